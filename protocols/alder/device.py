"""The device's end of an Alder's line (alder.md §3).

Give `resume` (see protocols.link.Link) before `open`. After `Up` the firmware sends all retained events from the oldest
on, each once; a reset has dropped whatever was still queued. `Up` comes once more when a session begins. Requests of
unknown type, bodies that do not fit and what needs a session are answered by the link itself, the rest comes up as
`Received`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from protocols.alder import sealing, wire
from protocols.alder.datasheet import BAUD, SILENCE
from protocols.alder.end import REASONS, AlderEnd
from protocols.alder.states import Action, Input
from protocols.alder.wire import Frame, Kind
from protocols.codec import RESUME, build
from protocols.errors import ErrorKind
from protocols.handshake import Guard
from protocols.link import Down, Secured, Side, Silent, Up
from protocols.message import Event, Message, Progress, Request
from protocols.seal import Session
from protocols.vocabulary import Result, Resume, ResumeCause

_ERRORS = {
    Input.GAVE_UP: (2, ResumeCause.GAVE_UP),
    Input.BAD_NR: (3, ResumeCause.PROTOCOL),
    Input.HELD: (3, ResumeCause.PROTOCOL),
    Input.SEALED: (4, ResumeCause.SECURITY),
}
_LINK_IS_DOWN = 1


class AlderDevice(AlderEnd):
    """The device's link."""

    side = Side.DEVICE

    def __init__(self, *, baud: int = BAUD, resume: Callable[[], Resume] | None = None) -> None:
        super().__init__(baud)
        if resume is not None:
            self.resume = resume
        self._cause = ResumeCause.RESTARTED

    def send(self, message: Message, now: float) -> None:
        """See Link. Events are pushed once the session stands, where one is needed."""
        if self.up and isinstance(message, (Event, Progress)) and self.guard is not None and self.guard.missing:
            return
        super().send(message, now)

    @property
    def _session(self) -> Session | None:
        return None if self.guard is None else self.guard.session

    def _take(self, message: Message, now: float) -> None:
        if self.guard is not None and isinstance(message, Request) and message.type in ("AUTH1", "AUTH2"):
            self._authenticate(self.guard, message, now)
        else:
            super()._take(message, now)

    # what is not handed up

    def _admits(self, payload: bytes) -> bool:
        if self.guard is None or not self.guard.missing or sealing.open_to_all(payload):
            return True
        self._refuse(payload, Result.E_AUTH)
        return False

    def _malformed(self, payload: bytes, kind: ErrorKind) -> None:
        self._refuse(payload, Result.E_UNSUPPORTED if kind is ErrorKind.TYPE else Result.E_PARAM)

    def _refuse(self, payload: bytes, result: Result) -> None:
        """What is no request is not answered."""
        if len(payload) >= wire.HEAD_SIZE and 0 < payload[0] < wire.EVENT:
            self._queue(bytes([payload[0] | wire.ANSWER, payload[1], payload[2], result]))

    # the session

    def _untrue(self, kind: ErrorKind, now: float) -> None:
        if self.guard is not None and kind is not ErrorKind.SEALED:
            self._events += self.guard.untrue(kind, now)
        super()._untrue(kind, now)

    def _authenticate(self, guard: Guard, request: Request, now: float) -> None:
        response, events = guard.answer(request, now)
        self._queue(wire.encode_payload(response))
        self._events += events
        if self._told is not None and any(isinstance(event, Secured) for event in events):
            self._events.append(Up(self._told))

    def _forget(self) -> None:
        """Numbers, what is queued and the session are of before."""
        self._window.reset()
        if self.guard is not None:
            self._events += self.guard.end()

    # what is done about it

    def _act(self, action: Action, happened: Input, now: float, frame: Frame | None) -> None:
        match action:
            case Action.ANNOUNCE:
                self._control.append(self._stand(ResumeCause.RESTARTED)[1])
            case Action.ACCEPT:
                self._accept(now)
            case Action.REFUSE:
                self._control.append(Frame(Kind.ERROR, payload=bytes([_LINK_IS_DOWN])))
            case Action.FAIL:
                self._fail(happened)
            case Action.FALL_SILENT:
                self._silent = True
                self._events.append(Silent(int(SILENCE * 1000)))

    def _accept(self, now: float) -> None:
        self._forget()
        self._tally.resets += 1
        self._sent = now
        self._told, answer = self._stand(self._cause)
        self._cause = ResumeCause.HOST_ASKED
        self._control = [answer]
        self._events.append(Up(self._told))

    def _stand(self, cause: ResumeCause) -> tuple[Resume, Frame]:
        resume = replace(self.resume(), cause=int(cause))
        return resume, Frame(Kind.RSTACK, payload=build(RESUME, resume.body, "resume block"))

    def _fail(self, happened: Input) -> None:
        reason, self._cause = _ERRORS[happened]
        self._forget()
        self._control = [Frame(Kind.ERROR, payload=bytes([reason]))]
        self._events.append(Down(REASONS[happened]))
