"""The host's end of a Dogwood (dogwood.md §2, §3, §4, §8).

It reads identity and window and has its session, where one is wanted, by itself, and is up then. Once
`read_events_after` was called it asks for the outstanding report; each event comes up as `Received`, once per link, and
the next one comes when the code above has sent `Request("ACK", body={"upto": seq})` for it. A report that was
acknowledged and comes again is acknowledged again.

Questions that no operation asks are answered all the same: IDENT, METERS and WINDOW (the resume block) from feature
reports, STATUS from the next STATUS report, or the last one if none comes at once; FAULTS without `from` gives all.
"""

from __future__ import annotations

import secrets

from protocols.dogwood import reports, wire
from protocols.dogwood.commands import Commands
from protocols.dogwood.datasheet import REPORT_IN, REPORT_OUT, TRIES
from protocols.dogwood.features import Features, Wanted
from protocols.dogwood.reports import Id, Report
from protocols.dogwood.retained import Retention
from protocols.dogwood.states import HOST, Action, Input, State
from protocols.dogwood.status import Status
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.handshake import BUSY_PAUSE, Entropy, Pin, Securing
from protocols.link import Down, LinkEvent, Received, Side, Up
from protocols.message import Hint, Message, Request, Response
from protocols.piece import CONTROL_IN, Piece
from protocols.plug import Plug
from protocols.seal import Seal
from protocols.vocabulary import Identity, Result, Resume

_REASONS = {
    Input.REFUSED: "a feature report is refused",
    Input.UNSECURED: "the device takes no session",
    Input.GAVE_UP: "no answer",
    Input.RESTARTED: "the device restarted",
}


class DogwoodHost(Plug):
    """The host's link. `pin`: the session that it insists on.

    It hears endpoints 80 (feature reports) and 81 (input reports) and speaks on 00 and 01.
    """

    side = Side.HOST

    def __init__(self, *, pin: Pin | None = None, entropy: Entropy = secrets.token_bytes) -> None:
        super().__init__({CONTROL_IN: self._feature, REPORT_IN: self._input})
        self.state = State.CLOSED
        self._features = Features()
        self._commands = Commands()
        self._retention = Retention()
        self._status = Status()
        self._securing: Securing = Securing(pin, entropy)
        self._who: Identity | None = None
        self._resume: Resume | None = None
        self._again_at = 0.0
        self._untrue = 0

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._step(Input.OPEN, now)

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        match message.type:
            case "ACK":
                self._retention.durable(message.body["upto"])
                self._events.append(Received(Response("ACK", message.id, Result.OK)))
            case "STATUS":
                self._status.ask(message.id, now)
            case name if name in wire.FEATURES:
                self._features.want(name, message.id)
            case _:
                self._commands.add(message)

    def output(self, now: float) -> bytes:
        """See Link."""
        out = [self._features.ask(now)] if self._features.waiting and now >= self._again_at else []
        if self.state is State.UP:
            out += [self._piece(Id.ACK, reports.say_ack(ack)) for ack in self._retention.acks]
            self._retention.acks.clear()
        if self._commands.waiting(all=self.state is State.UP):
            asked = self._commands.next(now)
            self._tally.resends += asked.tries > 1
            layout = reports.say_command(asked.request)
            out.append(_plain(Id.COMMAND, layout) if asked.auth else self._piece(Id.COMMAND, layout))
        return self._said(out)

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        late = self._features.late_at()
        if late is not None and now >= late:
            self._step(Input.REFUSED, now)
        elif self.state is State.ASKING and self._features.quiet and now >= self._again_at:
            self._step(Input.AGAIN, now)
        late = self._commands.late_at()
        if late is not None and now >= late:
            self._late(now)
        if self.state is State.UP:
            self._events += map(Received, self._status.due(now))
            if now >= self._status.missed_at:
                self._status.missed(now)
                self._features.want("WINDOW")
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        up = self.state is State.UP
        if self._events or (up and self._retention.acks) or self._commands.waiting(all=up):
            return 0.0
        times = [self._features.late_at(), self._commands.late_at()]
        if self._features.waiting or (self.state is State.ASKING and self._features.quiet):
            times.append(self._again_at)
        times += [self._status.deadline()] if up else []
        return min((at for at in times if at is not None), default=None)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (State.UP, State.RESECURING)

    def read_events_after(self, seq: int) -> None:
        """See Link. The device tells from its oldest event on, whatever is durable here."""
        self._retention.listen()

    # what goes out

    def _piece(self, id: Id, layout: bytes) -> Piece:
        """A report as it leaves now: sealed in a session, each time anew."""
        session = self._securing.session
        if session is None:
            return _plain(id, layout)
        return Piece(REPORT_OUT, reports.seal(id, layout, session.outgoing).encode())

    # feature reports

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
        known = max(self._resume.newest if self._resume else 0, self._retention.handed)
        if wanted.name == "WINDOW" and body["newest"] > known:
            self._status.told()
        if wanted.id is not None:
            self._events.append(Received(Response(wanted.name, wanted.id, Result.OK, body)))
        elif wanted.name == "IDENT":
            self._who = Identity.of(body)
        else:
            before, self._resume = self._resume, Resume.of(body)
            if self.up and before is not None and (before.boot, before.epoch) != (body["boot"], body["epoch"]):
                self._step(Input.RESTARTED, now)
            else:
                self._step(Input.TOLD, now)

    # input reports

    def _input(self, piece: Piece, now: float) -> None:
        if self.state not in (State.SECURING, State.UP, State.RESECURING):
            return
        try:
            report = reports.split(piece.data, Side.DEVICE)
            if report.id in reports.FEATURES:
                raise DecodeError(ErrorKind.TYPE)
            self._tally.frames_in += 1
            if report.id is Id.STATUS:
                self._hint(Hint(reports.parse_padded(wire.STATUS, report.data)), now)
            elif self._securing.session is not None:
                self._sealed(report, self._securing.session.incoming, now)
            elif self._securing.pin is None or reports.is_handshake(report):
                self._plain(report, now)
        except (FrameError, DecodeError) as error:
            self._drop(error.kind, error.seq if isinstance(error, DecodeError) else None)

    def _sealed(self, report: Report, seal: Seal, now: float) -> None:
        """A report in a session. One that says that there is none, or does not fit its seal, asks for another."""
        if reports.ends_session(report):
            self._distrust(now)
            return
        try:
            plain = reports.unseal(report, seal)
        except DecodeError as error:
            if not reports.is_handshake(report):
                self._drop(error.kind)
                self._distrust(now)
            return
        self._plain(plain, now)

    def _plain(self, report: Report, now: float) -> None:
        if report.id is Id.RESULT:
            self._result(reports.read_result(report.data), now)
        elif self._retention.listening:  # else it comes again once we have asked for it
            retained = reports.read_retained(report.id, report.data)
            self._tally.repeats += retained.again
            event = self._retention.take(retained)
            if event is not None:
                self._status.told()
                self._events.append(Received(event))

    def _hint(self, hint: Hint, now: float) -> None:
        if not self.up:
            return
        answers = self._status.came(hint, now)
        if self._resume is not None and hint.body["boot"] != self._resume.boot:
            self._step(Input.RESTARTED, now)
        else:
            self._events += [Received(hint), *map(Received, answers)]

    def _result(self, response: Response, now: float) -> None:
        answer = self._commands.answered(response)
        if answer is None:
            return
        if answer.type in ("AUTH1", "AUTH2"):
            self._secure(self._securing.answered(answer), now)
        else:
            self._untrue = 0
            self._events.append(Received(answer))

    def _late(self, now: float) -> None:
        """No result: the same again, but for the handshake, which begins anew."""
        auth = self._commands.auth
        if not self._commands.again():
            self._step(Input.GAVE_UP, now)
        elif auth:
            self._step(Input.LATE, now)

    # the session

    def _distrust(self, now: float) -> None:
        """Another handshake; when that came to nothing too often, the link is lost."""
        self._untrue += 1
        self._step(Input.GAVE_UP if self._untrue >= TRIES else Input.UNTRUE, now)

    def _secure(self, request: Request | None, now: float) -> None:
        """The next request of the handshake, or its end."""
        if request is not None:
            self._commands.authenticate(request)
        elif self._securing.done:
            self._step(Input.SECURED, now)
        else:
            self._step(Input.DENIED if self._securing.stopped else Input.UNSECURED, now)

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
                self._reset(now)
            case Action.SECURE if self._resume:
                self._commands.hold()
                self._secure(self._securing.begin(self._resume, self._who), now)
            case Action.COME_UP if self._resume:
                self._status.link_up(now)
                self._retention.link_up()
                self._events.append(Up(self._resume))
            case Action.RESYNC:
                self._retention.resync()
            case Action.LOSE:
                self._lose(_REASONS[happened], now)
            case Action.STOP:
                self._lose(self._securing.stopped, now)

    def _reset(self, now: float) -> None:
        self._features.forget()
        self._commands.forget()
        self._securing.end()
        self._again_at = now + BUSY_PAUSE

    def _lose(self, reason: str, now: float) -> None:
        self._reset(now)
        self._tally.resets += 1
        self._events.append(Down(reason))


def _plain(id: Id, layout: bytes) -> Piece:
    return Piece(REPORT_OUT, Report(id, reports.pad(layout)).encode())
