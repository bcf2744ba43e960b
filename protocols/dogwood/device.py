"""The device's end of a Dogwood (dogwood.md §2, §3, §4).

Give `resume` (see protocols.link.Link) before `open`; it is called at the start. `Up` follows at once, for this family
has no reset: the firmware then sends all retained events from the oldest on, and later ones as they happen, each once.
The link sends them one at a time, again and again until the host acknowledges, and tells so as `Request("ACK")` with
`upto`: the firmware frees the event, and what it answers is dropped. Commands come up as `Received`, and so do the
requests for feature reports, as IDENT, METERS and WINDOW (the link fills in the cause); each is answered by a Response.
The firmware sends a `Hint` with the fields of STATUS whenever one of them changes; the link fills in `pending_seq` and
the flag of the outstanding report, and repeats it each second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from protocols.codec import build
from protocols.dogwood import reports, wire
from protocols.dogwood.datasheet import DATA_SIZE, FLAG_OUTSTANDING, REPORT_IN, REPORT_OUT, RESEND, STATUS_EVERY
from protocols.dogwood.reports import NO_OP, Ack, Id, Report, Retained
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Dropped, Heard, Link, LinkCounters, LinkEvent, Received, Side, Silent, Tally, Up
from protocols.message import Event, Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, PieceFramer, Tail
from protocols.vocabulary import Result, Resume, ResumeCause

_TIDS = 255


class DogwoodDevice(Link):
    """The device's link. Nothing is said before the host was heard, and nothing after the plug was pulled."""

    side = Side.DEVICE

    def __init__(self, *, resume: Callable[[], Resume] | None = None) -> None:
        if resume is not None:
            self.resume = resume
        self._open = self._plugged = False
        self._ears = {CONTROL_OUT: self._setup, REPORT_OUT: self._output_report}
        self._tally = Tally()
        self._framer = PieceFramer()
        self._events: list[LinkEvent] = []
        self._cause = ResumeCause.RESTARTED
        self._retained: deque[Event] = deque()
        self._tid = 1
        self._sent_at: float | None = None
        self._again = False
        self._asked: list[Request] = []
        self._control: Id | None = None
        self._out: list[Piece] = []
        self._hint: Hint | None = None
        self._hint_due = False
        self._told_at = 0.0

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._open = True
        self._told_at = now
        self._events.append(Up(replace(self.resume(), cause=int(self._cause))))

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Takes pieces of endpoints 00 (requests for feature reports) and 01 (output reports)."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.ep not in self._ears:
                self._drop(ErrorKind.TYPE)
            elif self._open:
                self._plug()
                self._ears[item.ep](item, now)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link. Pushes events, each once, and hints."""
        if not self._open:
            raise LocalError("the link is not open")
        match message:
            case Event():
                reports.say_retained(Retained(1, False, message))
                self._retained.append(message)
            case Hint():
                build(wire.STATUS, {**message.body, "pending_seq": 0}, "STATUS")
                self._hint, self._hint_due = message, True
            case Response() if message.type in wire.FEATURES:
                self._told(message)
            case Response(type="ACK"):
                return
            case Response():
                self._answer(message)
            case _:
                raise LocalError(f"a Dogwood does not send {type(message).__name__}")

    def output(self, now: float) -> bytes:
        """See Link. Pieces of endpoints 80 (feature reports) and 81 (input reports)."""
        out, self._out = self._out, []
        if self._plugged:
            out += self._due(now)
        data = b"".join(piece.encode() for piece in out)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(out)
        return data

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        if self._hint is not None and now >= self._told_at + STATUS_EVERY:
            self._hint_due = True
            self._told_at = now
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        if self._events or self._out:
            return 0.0
        if not self._plugged:
            return None
        if self._hint_due or (self._retained and self._sent_at is None):
            return 0.0
        times = [self._told_at + STATUS_EVERY] if self._hint is not None else []
        times += [self._sent_at + RESEND] if self._retained and self._sent_at is not None else []
        return min(times, default=None)

    @property
    def up(self) -> bool:
        """Whether the device has power and listens."""
        return self._open

    @property
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def unplugged(self, now: float) -> list[LinkEvent]:
        """See Link. `Silent` tells the firmware, with 0 ms; `Heard` follows with the first thing that comes in."""
        self._asked.clear()
        self._control = None
        self._out.clear()
        if self._plugged:
            self._plugged = False
            self._events.append(Silent(0))
        return self._take_events()

    def _plug(self) -> None:
        if not self._plugged:
            self._plugged = True
            self._events.append(Heard())

    # what goes out

    def _due(self, now: float) -> list[Piece]:
        out = []
        if self._retained and (self._sent_at is None or now >= self._sent_at + RESEND):
            retained = Retained(self._tid, self._again, self._retained[0])
            self._tally.resends += self._again
            self._sent_at, self._again = now, True
            out.append(_piece(retained.id, reports.say_retained(retained)))
        if self._hint is not None and self._hint_due:
            self._hint_due, self._told_at = False, now
            out.append(_piece(Id.STATUS, self._status(self._hint)))
        return out

    def _status(self, hint: Hint) -> bytes:
        outstanding = bool(self._retained)
        flags = hint.body["flags"] & ~FLAG_OUTSTANDING | FLAG_OUTSTANDING * outstanding
        pending = self._retained[0].seq if outstanding else 0
        return build(wire.STATUS, {**hint.body, "flags": flags, "pending_seq": pending}, "STATUS")

    def _answer(self, response: Response) -> None:
        asked = next((each for each in self._asked if (each.type, each.id) == (response.type, response.id)), None)
        if asked is not None:
            layout = reports.say_result(response)
            self._asked.remove(asked)
            self._out.append(_piece(Id.RESULT, layout))

    def _refuse(self, cmd_id: int, op: str, result: Result, kind: ErrorKind) -> None:
        self._drop(kind)
        self._out.append(_piece(Id.RESULT, reports.say_result(Response(op, cmd_id, result))))

    # feature reports

    def _setup(self, piece: Piece, now: float) -> None:
        try:
            id = reports.feature(wire.feature_asked(piece.data))
        except DecodeError as error:
            self._drop(error.kind)
            self._out.append(Piece(CONTROL_IN, tail=Tail.STALL))
            return
        self._control = id
        self._events.append(Received(Request(next(name for name, ids in wire.FEATURES.items() if id.name in ids))))

    def _told(self, response: Response) -> None:
        id = self._control
        if id is None or id.name not in wire.FEATURES[response.type]:
            return
        self._control = None
        body = response.body
        if id is Id.WINDOW:
            body = {**body, "cause": int(self._cause)}
        at = DATA_SIZE * wire.FEATURES[response.type].index(id.name)
        data = build(wire.LAYOUTS[response.type], body, response.type)[at : at + DATA_SIZE]
        self._out.append(Piece(CONTROL_IN, Report(id, reports.pad(data)).encode()))

    # output reports

    def _output_report(self, piece: Piece, now: float) -> None:
        try:
            report = reports.split(piece.data, Side.HOST)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            return
        self._tally.frames_in += 1
        if report.id is Id.ACK:
            self._ack(report.data)
        else:
            self._command(report.data)

    def _ack(self, data: bytes) -> None:
        try:
            ack = reports.read_ack(data)
        except DecodeError as error:
            self._drop(error.kind)
            return
        self._cause = ResumeCause.HOST_ASKED
        if ack.resync:
            self._tally.resets += 1
            self._tid, self._sent_at = 1, None
            self._again = bool(self._retained)
        elif self._retained and self._sent_at is not None and ack == Ack(self._tid, self._retained[0].seq):
            self._retained.popleft()
            self._tid = self._tid % _TIDS + 1
            self._sent_at, self._again = None, False
            self._hint_due = self._hint is not None
            self._events.append(Received(Request("ACK", 0, {"upto": ack.seq})))

    def _command(self, data: bytes) -> None:
        cmd_id, op = int.from_bytes(data[:2], "little"), data[2]
        kind = wire.CATALOGUE.by_code.get(op)
        try:
            request = reports.read_command(data)
        except DecodeError as error:
            if kind is None:
                self._refuse(cmd_id, NO_OP, Result.E_UNSUPPORTED, error.kind)
            else:
                self._refuse(cmd_id, kind.name, Result.E_PARAM, error.kind)
            return
        self._asked.append(request)
        self._events.append(Received(request))

    def _drop(self, kind: ErrorKind) -> None:
        self._tally.dropped += 1
        self._events.append(Dropped(kind))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events


def _piece(id: Id, layout: bytes) -> Piece:
    return Piece(REPORT_IN, Report(id, reports.pad(layout)).encode())
