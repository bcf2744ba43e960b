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
from protocols.dogwood.datasheet import (
    DATA_SIZE,
    FLAG_OUTSTANDING,
    FLAG_SESSION,
    REPORT_IN,
    REPORT_OUT,
    RESEND,
    STATUS_EVERY,
)
from protocols.dogwood.reports import NO_OP, Ack, Id, Report, Retained
from protocols.errors import DecodeError, FrameError, LocalError
from protocols.handshake import Guard
from protocols.link import LinkEvent, Received, Side, Up
from protocols.message import Event, Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, CONTROL_OUT, Piece, Tail
from protocols.plug import DevicePlug
from protocols.vocabulary import Result, Resume, ResumeCause

_TIDS = 255


class DogwoodDevice(DevicePlug):
    """The device's link. It hears endpoints 00 and 01 and speaks on 80 and 81."""

    def __init__(self, *, resume: Callable[[], Resume] | None = None) -> None:
        super().__init__({CONTROL_OUT: self._setup, REPORT_OUT: self._output_report})
        if resume is not None:
            self.resume = resume
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
        """See Link."""
        out, self._out = self._out, []
        return self._said(out + (self._due(now) if self._plugged else []))

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
        if self._hint_due or (self._retains and self._sent_at is None):
            return 0.0
        times = [self._told_at + STATUS_EVERY] if self._hint is not None else []
        times += [self._sent_at + RESEND] if self._retains and self._sent_at is not None else []
        return min(times, default=None)

    def _pulled(self) -> None:
        self._asked.clear()
        self._control = None
        self._out.clear()

    @property
    def _retains(self) -> bool:
        """Whether there is a retained report that may be sent."""
        return bool(self._retained) and not (self.guard is not None and self.guard.missing)

    # what goes out

    def _due(self, now: float) -> list[Piece]:
        out = []
        if self._retains and (self._sent_at is None or now >= self._sent_at + RESEND):
            retained = Retained(self._tid, self._again, self._retained[0])
            self._tally.resends += self._again
            self._sent_at, self._again = now, True
            out.append(self._piece(retained.id, reports.say_retained(retained)))
        if self._hint is not None and self._hint_due:
            self._hint_due, self._told_at = False, now
            out.append(_plain(Id.STATUS, self._status(self._hint)))
        return out

    def _status(self, hint: Hint) -> bytes:
        outstanding = bool(self._retained)
        flags = hint.body["flags"] & ~FLAG_OUTSTANDING | FLAG_OUTSTANDING * outstanding
        if self.guard is not None:
            flags = flags & ~FLAG_SESSION | FLAG_SESSION * bool(self.level)
        pending = self._retained[0].seq if outstanding else 0
        return build(wire.STATUS, {**hint.body, "flags": flags, "pending_seq": pending}, "STATUS")

    def _answer(self, response: Response) -> None:
        asked = next((each for each in self._asked if (each.type, each.id) == (response.type, response.id)), None)
        if asked is not None:
            layout = reports.say_result(response)
            self._asked.remove(asked)
            plain = response.type in ("AUTH1", "AUTH2")
            self._out.append(_plain(Id.RESULT, layout) if plain else self._piece(Id.RESULT, layout))

    def _piece(self, id: Id, layout: bytes) -> Piece:
        """A report as it leaves now: sealed in a session, each time anew."""
        session = None if self.guard is None else self.guard.session
        if session is None:
            return _plain(id, layout)
        return Piece(REPORT_IN, reports.seal(id, layout, session.outgoing).encode())

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
            report = self._admitted(reports.split(piece.data, Side.HOST), now)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            return
        if report is None:
            return
        self._tally.frames_in += 1
        if report.id is Id.ACK:
            self._ack(report.data)
        else:
            self._command(report.data, now)

    def _admitted(self, report: Report, now: float) -> Report | None:
        """A report as it is worked on, without its seal; None for one that was refused for want of a session."""
        guard = self.guard
        if guard is None or (guard.session is None and not guard.missing):
            return report
        if guard.session is not None:
            try:
                return reports.unseal(report, guard.session.incoming)
            except DecodeError as error:
                if reports.is_handshake(report):
                    return report
                self._drop(error.kind)
                self._events += guard.untrue(error.kind, now)
                self._end_session(guard)
        elif reports.is_handshake(report):
            return report
        self._out.append(_plain(Id.RESULT, reports.say_result(Response(NO_OP, 0, Result.E_AUTH))))
        return None

    def _end_session(self, guard: Guard) -> None:
        self._asked.clear()
        self._events += guard.end()
        self._hint_due = self._hint is not None

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

    def _command(self, data: bytes, now: float) -> None:
        try:
            request = reports.read_command(data)
        except DecodeError as error:
            self._drop(error.kind)
            kind = wire.CATALOGUE.by_code.get(data[2])
            op, result = (NO_OP, Result.E_UNSUPPORTED) if kind is None else (kind.name, Result.E_PARAM)
            layout = reports.say_result(Response(op, int.from_bytes(data[:2], "little"), result))
            self._out.append(self._piece(Id.RESULT, layout))
            return
        self._asked.append(request)
        if self.guard is None or request.type not in ("AUTH1", "AUTH2"):
            self._events.append(Received(request))
            return
        response, events = self.guard.answer(request, now)
        self._answer(response)
        self._events += events
        self._hint_due = self._hint is not None


def _plain(id: Id, layout: bytes) -> Piece:
    return Piece(REPORT_IN, Report(id, reports.pad(layout)).encode())
