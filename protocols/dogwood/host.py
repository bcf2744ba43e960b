"""The host's end of a Dogwood (dogwood.md §2, §3, §4, §8).

It reads identity and window by itself and is up then. Once `read_events_after` was called it asks for the outstanding
report; each event comes up as `Received`, once per link, and the next one comes when the code above has sent
`Request("ACK", body={"upto": seq})` for it. A report that was acknowledged and comes again is acknowledged again.

Questions that no operation asks are answered all the same: IDENT, METERS and WINDOW (the resume block) from feature
reports, STATUS from the next STATUS report, or the last one if none comes at once; FAULTS without `from` gives all.
"""

from __future__ import annotations

from protocols.dogwood import reports, wire
from protocols.dogwood.commands import Commands
from protocols.dogwood.datasheet import REPORT_IN, REPORT_OUT, STATUS_FRESH, STATUS_MISSED, STATUS_SETTLES
from protocols.dogwood.features import Features, Wanted
from protocols.dogwood.reports import Ack, Id, Report, Retained
from protocols.dogwood.states import HOST, Action, Input, State
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Down, Dropped, Link, LinkCounters, LinkEvent, Received, Side, Tally, Up
from protocols.message import Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, Piece, PieceFramer
from protocols.vocabulary import Identity, Result, Resume

AGAIN = 1.0
_REASONS = {
    Input.REFUSED: "a feature report is refused",
    Input.GAVE_UP: "no answer",
    Input.RESTARTED: "the device restarted",
}


class DogwoodHost(Link):
    """The host's link. `status` holds the last STATUS report, `identity` what the feature reports said."""

    side = Side.HOST

    def __init__(self) -> None:
        self.state = State.CLOSED
        self.status: Hint | None = None
        self.identity: Identity | None = None
        self._ears = {CONTROL_IN: self._feature, REPORT_IN: self._input}
        self._tally = Tally()
        self._framer = PieceFramer()
        self._features = Features()
        self._commands = Commands()
        self._events: list[LinkEvent] = []
        self._acks: list[Ack] = []
        self._resume: Resume | None = None
        self._current: Retained | None = None
        self._handed = self._acked = 0
        self._listening = False
        self._asking: list[tuple[int, float]] = []
        self._again_at = self._status_at = 0.0

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._step(Input.OPEN, now)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Takes pieces of endpoints 80 (feature reports) and 81 (input reports)."""
        self._tally.bytes_in += len(data)
        for item in self._framer.feed(data, now):
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.ep in self._ears:
                self._ears[item.ep](item, now)
            else:
                self._drop(ErrorKind.TYPE)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        match message.type:
            case "ACK":
                self._acknowledge(message)
            case "STATUS":
                self._asking.append((message.id, now))
            case name if name in wire.FEATURES:
                self._features.want(name, message.id)
            case _:
                self._commands.add(_checked(message))

    def output(self, now: float) -> bytes:
        """See Link. Pieces of endpoints 00 (requests for feature reports) and 01 (output reports)."""
        out = []
        if self._features.waiting and now >= self._again_at:
            out.append(self._features.ask(now))
        if self.state is State.UP:
            out += [_piece(Id.ACK, reports.say_ack(ack)) for ack in self._acks]
            self._acks.clear()
            if self._commands.waiting:
                asked = self._commands.next(now)
                self._tally.resends += asked.tries > 1
                out.append(_piece(Id.COMMAND, reports.say_command(asked.request)))
        data = b"".join(piece.encode() for piece in out)
        self._tally.bytes_out += len(data)
        self._tally.frames_out += len(out)
        return data

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        late = self._features.late_at()
        if late is not None and now >= late:
            self._step(Input.REFUSED, now)
        if self.state is State.ASKING and not self._features.waiting and late is None and now >= self._again_at:
            self._step(Input.AGAIN, now)
        if self.state is State.UP:
            self._watch(now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        late = self._features.late_at()
        match self.state:
            case State.CLOSED:
                return None
            case State.ASKING:
                return self._again_at if late is None else late
            case State.UP:
                if self._events or self._acks or self._commands.waiting or self._features.waiting:
                    return 0.0
                times = [late, self._commands.late_at(), self._status_at + STATUS_MISSED]
                times += [self._status_due(at) for _, at in self._asking]
                return min(at for at in times if at is not None)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state is State.UP

    @property
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def read_events_after(self, seq: int) -> None:
        """See Link. The device tells from its oldest event on, whatever is durable here."""
        if self.up and not self._listening:
            self._acks.append(Ack())
        self._listening = True

    # what goes out

    def _acknowledge(self, request: Request) -> None:
        """Everything up to a number is durable; what is outstanding and came up already may go."""
        current = self._current
        if current is not None and current.event.seq == self._handed <= request.body["upto"]:
            self._acked = self._handed
            self._acks.append(Ack(current.tid, current.event.seq))
            self._current = None
        self._events.append(Received(Response("ACK", request.id, Result.OK)))

    # what comes in

    def _feature(self, piece: Piece, now: float) -> None:
        try:
            wanted = self._features.take(piece)
            if wanted is not None:
                self._told(wanted, now)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind)
            self._step(Input.REFUSED, now)

    def _told(self, wanted: Wanted, now: float) -> None:
        body = wanted.body()
        if wanted.id is not None:
            self._events.append(Received(Response(wanted.name, wanted.id, Result.OK, body)))
        elif wanted.name == "IDENT":
            self.identity = Identity.of(body)
        else:
            before, self._resume = self._resume, Resume.of(body)
            if self.up and before is not None and (before.boot, before.epoch) != (body["boot"], body["epoch"]):
                self._step(Input.RESTARTED, now)
            else:
                self._step(Input.TOLD, now)

    def _input(self, piece: Piece, now: float) -> None:
        if not self.up:
            return
        try:
            report = reports.split(piece.data, Side.DEVICE)
            self._tally.frames_in += 1
            match report.id:
                case Id.STATUS:
                    self._status(Hint(reports.parse_padded(wire.STATUS, report.data)), now)
                case Id.CARD | Id.EVENT:
                    self._event(report)
                case Id.RESULT:
                    self._result(reports.read_result(report.data))
                case _:
                    self._drop(ErrorKind.TYPE)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind, error.seq if isinstance(error, DecodeError) else None)

    def _status(self, hint: Hint, now: float) -> None:
        self.status, self._status_at = hint, now
        if self._resume is not None and hint.body["boot"] != self._resume.boot:
            self._step(Input.RESTARTED, now)
            return
        self._events.append(Received(hint))
        for id, _ in self._asking:
            self._events.append(Received(Response("STATUS", id, Result.OK, hint.body)))
        self._asking.clear()

    def _event(self, report: Report) -> None:
        if not self._listening:
            return  # it comes again once we asked for it
        retained = reports.read_retained(report.id, report.data)
        seq = retained.event.seq
        self._tally.repeats += retained.again
        if seq == self._acked:
            self._acks.append(Ack(retained.tid, seq))
            return
        self._current = retained
        if seq != self._handed:
            self._handed = seq
            self._events.append(Received(retained.event))

    def _result(self, response: Response) -> None:
        answer = self._commands.answered(response)
        if answer is not None:
            self._events.append(Received(answer))

    def _watch(self, now: float) -> None:
        late = self._commands.late_at()
        if late is not None and now >= late and not self._commands.again():
            self._step(Input.GAVE_UP, now)
        for id, at in list(self._asking):
            if self.status is not None and now >= self._status_due(at) and now < self._status_at + STATUS_FRESH:
                self._asking.remove((id, at))
                self._events.append(Received(Response("STATUS", id, Result.OK, self.status.body)))
        if now >= self._status_at + STATUS_MISSED:
            self._status_at = now
            self._features.want("WINDOW")

    def _status_due(self, asked_at: float) -> float:
        return asked_at + STATUS_SETTLES

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        if self.up:
            self._events.append(Dropped(kind, seq))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events

    # what is done about it

    def _step(self, happened: Input, now: float) -> None:
        action, self.state = HOST[self.state][happened]
        match action:
            case Action.IGNORE:
                return
            case Action.ASK:
                self._again_at = now
                self._features.want("IDENT")
                self._features.want("WINDOW")
            case Action.WAIT:
                self._features.forget()
                self._again_at = now + AGAIN
            case Action.COME_UP if self._resume:
                self._come_up(self._resume, now)
            case Action.LOSE:
                self._lose(_REASONS[happened], now)

    def _come_up(self, resume: Resume, now: float) -> None:
        self._current, self._handed, self._acked = None, 0, 0
        self.status, self._status_at = None, now
        if self._listening:
            self._acks.append(Ack())
        self._events.append(Up(resume))

    def _lose(self, reason: str, now: float) -> None:
        self._commands.forget()
        self._features.forget()
        self._acks.clear()
        self._asking.clear()
        self._tally.resets += 1
        self._again_at = now + AGAIN
        self._events.append(Down(reason))


def _checked(request: Request) -> Request:
    whole = {"from": 0, **request.body} if request.type == "FAULTS" else request.body
    reports.say_command(Request(request.type, request.id, whole))
    return request


def _piece(id: Id, layout: bytes) -> Piece:
    return Piece(REPORT_OUT, Report(id, reports.pad(layout)).encode())
