"""The host's end of an Alder's line (alder.md §3).

Requests go out as the window lets them, in order. After `Down` those without an answer are forgotten: the code above
asks the device what became of them. Where a session is wanted the link is up once it stands.
"""

from __future__ import annotations

import secrets

from protocols.alder import wire
from protocols.alder.datasheet import BAUD, RESET_AGAIN, SECURED_WITHIN
from protocols.alder.end import REASONS, AlderEnd
from protocols.alder.states import Action, Input, State
from protocols.alder.wire import Frame, Kind
from protocols.codec import RESUME, parse
from protocols.errors import ErrorKind
from protocols.handshake import Entropy, Pin, Securing
from protocols.link import Down, LinkEvent, Side, Up
from protocols.message import Message, Request, Response
from protocols.seal import Session
from protocols.vocabulary import Resume


class AlderHost(AlderEnd):
    """The host's link. `pin`: the session that it insists on."""

    side = Side.HOST

    def __init__(self, *, baud: int = BAUD, pin: Pin | None = None, entropy: Entropy = secrets.token_bytes) -> None:
        super().__init__(baud)
        self._securing: Securing = Securing(pin, entropy)
        self._asked: list[tuple[str, int]] = []
        self._reset_at = self._secured_by = 0.0
        self._lost_at = -RESET_AGAIN

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        super().send(message, now)
        if isinstance(message, Request):
            self._asked.append((message.type, message.id))

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        events = super().tick(now)
        if self.state is State.SECURING and now >= self._secured_by:
            self._step(Input.UNSECURED, now)
        if self.state is State.RESETTING and now >= self._reset_at + RESET_AGAIN:
            self._step(Input.AGAIN, now)
        return events + self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        due = super().deadline()
        if due == 0.0:
            return due
        if self.state is State.RESETTING:
            return self._reset_at + RESET_AGAIN
        if self.state is State.SECURING and due is not None:
            return min(due, self._secured_by)
        return due

    @property
    def _session(self) -> Session | None:
        return self._securing.session

    def _take(self, message: Message, now: float) -> None:
        if isinstance(message, Response):
            asked = (message.type, message.id)
            if asked not in self._asked:
                self._drop(ErrorKind.TYPE)
                return
            self._asked.remove(asked)
        if self.state is not State.SECURING:
            super()._take(message, now)
        elif isinstance(message, Response):  # anything else came too early and comes again
            self._secure(self._securing.answered(message), now)

    # the session

    def _secure(self, request: Request | None, now: float) -> None:
        """The next request of the handshake, or its end."""
        if request is not None:
            self._queue(wire.encode_payload(request))
            self._asked.append((request.type, request.id))
        elif self._securing.done:
            self._step(Input.SECURED, now)
        else:
            self._step(Input.DENIED if self._securing.stopped else Input.UNSECURED, now)

    # what is done about it

    def _act(self, action: Action, happened: Input, now: float, frame: Frame | None) -> None:
        match action:
            case Action.RESET:
                self._reset(now)
            case Action.LOSE:
                self._events.append(Down(REASONS[happened]))
                self._lose(now)
            case Action.SECURE if frame:
                self._begin(Resume.of(parse(RESUME, frame.payload)), now)
            case Action.COME_UP if self._told:
                self._events.append(Up(self._told))
            case Action.BACK:
                self._forget()
                self._reset_at = now
            case Action.STOP:
                self._forget()
                self._events.append(Down(self._securing.stopped))

    def _reset(self, now: float) -> None:
        self._forget()
        self._reset_at = now
        self._control = [Frame(Kind.RST)]

    def _lose(self, now: float) -> None:
        """A link that goes as soon as it is up is not reset again at the pace of the line: the next RST waits."""
        again = now < self._lost_at + RESET_AGAIN
        self._lost_at = now
        self._reset(now)
        if again:
            self._control.clear()

    def _forget(self) -> None:
        """Numbers, what is queued and the session are of before."""
        self._window.reset()
        self._asked.clear()
        self._securing.end()

    def _begin(self, resume: Resume, now: float) -> None:
        """The device has reset its numbers: so do we."""
        self._forget()
        self._tally.resets += 1
        self._heard = self._sent = now
        self._told, self._secured_by = resume, now + SECURED_WITHIN
        self._secure(self._securing.begin(resume), now)
