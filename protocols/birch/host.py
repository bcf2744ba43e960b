"""The host's end of a Birch line, for one shoe (birch.md §3, §7, §8).

It asks by itself: SYNC at the start and after a loss, POLL when nothing else is under way, READ_EVENTS when there is
something new. Events come up as `Received`, each once per link however long their acknowledgement takes; the code above
says once where to begin (`read_events_after`), and nothing is read before. Its own requests go out between polls, in
order, and their answers come up with the id of the request. `eager` makes it poll as fast as the line allows.

On a shared line only the link that is given `output` may speak; `idle` says when the line may be given to another.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from protocols.birch import wire
from protocols.birch.agenda import Agenda
from protocols.birch.asker import Asker
from protocols.birch.datasheet import (
    ADAPTER_DELAY,
    BAUD,
    DATA_MAX,
    DEFAULT_ADDRESS,
    POLL_EVERY,
    TRIES,
)
from protocols.birch.exchange import Exchange, Why
from protocols.birch.states import HOST as TABLE
from protocols.birch.states import HostAction, HostInput, HostState
from protocols.errors import LocalError
from protocols.handshake import Entropy, Pin, Securing
from protocols.link import Down, Received, Side, Up
from protocols.message import Message, Request, Response
from protocols.seal import overhead
from protocols.vocabulary import Resume

_REASONS = {
    HostInput.GAVE_UP: "no answer",
    HostInput.OUT_OF_STEP: "an answer to another command",
    HostInput.UNREADABLE_AGAIN: "an answer that does not fit its command",
    HostInput.RESTARTED: "the device restarted",
    HostInput.UNTRUE: "the session ended",
}


class BirchHost(Asker):
    """The host's link with the shoe at `address`.

    `interval`: seconds between polls, None for no polls and no reads of its own. `adapter_delay` is added to both
    time-outs. `pin`: the session that it insists on.
    """

    side = Side.HOST

    def __init__(
        self,
        *,
        address: int = DEFAULT_ADDRESS,
        interval: float | None = POLL_EVERY,
        adapter_delay: float = ADAPTER_DELAY,
        baud: int = BAUD,
        eager: bool = False,
        pin: Pin | None = None,
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        super().__init__(address, baud, adapter_delay, Agenda(interval, eager), Securing(pin, entropy))
        self.state = HostState.CLOSED
        self._wanted: Request | None = None
        self._resume: Resume | None = None
        self._patient = False

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._speaker.quiet_from = now
        self._step(HostInput.OPEN, now)

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        if message.type == "SYNC":
            raise LocalError("SYNC is the link's own")
        wire.encode_request(message)
        self._agenda.queue.append(message)

    def deadline(self) -> float | None:
        """See Link."""
        free = self._speaker.free_at
        if self._exchange:
            return self._speaker.due(self._exchange) if self._exchange.out else free
        match self.state:
            case HostState.CLOSED:
                return None
            case HostState.SYNCING:
                return max(free, self._sync_at)
            case HostState.SECURING:
                return free
            case _:
                return self._agenda.due(free)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (HostState.IDLE, HostState.WAITING)

    @property
    def last_poll(self) -> Mapping[str, Any]:
        """The fields of the last POLL answer."""
        return self._agenda.last_poll

    @property
    def eager(self) -> bool:
        """Whether it polls as fast as the line allows."""
        return self._agenda.eager

    @eager.setter
    def eager(self, eager: bool) -> None:
        self._agenda.eager = eager

    @property
    def room(self) -> int:
        """See Link."""
        return DATA_MAX - overhead(self.level)

    def read_events_after(self, seq: int) -> None:
        """See Link. Nothing is read before this was called; another epoch asks for a new call."""
        self._agenda.reading.begin(seq)

    @property
    def caught_up(self) -> bool:
        """Whether all events that the last poll knew of were handed up."""
        return self.up and self._agenda.reading.caught_up

    # what goes out

    def _choose(self, now: float) -> Exchange | None:
        if self.state is HostState.SYNCING:
            return self._begin(Why.SYNC, Request("SYNC")) if now >= self._sync_at else None
        if self.state is HostState.SECURING:
            return self._begin(Why.SECURE, self._wanted) if self._wanted else None
        chosen = self._agenda.next(now) if self.state is HostState.IDLE else None
        return self._begin(*chosen) if chosen else None

    def _begin(self, why: Why, request: Request) -> Exchange:
        return self._speaker.begin(why, request, 1 if self._patient else TRIES, self._securing.session)

    # what is done about it

    def _step(self, happened: HostInput, now: float, response: Response | None = None, data: bytes = b"") -> None:
        action, self.state = TABLE[self.state][happened]
        match action:
            case HostAction.IGNORE | HostAction.SEND:
                return
            case HostAction.SYNC:
                self._sync_at = now
            case HostAction.SECURE if response:
                self._exchange, self._resume = None, Resume.of(response.body)
                self._secure(self._securing.begin(self._resume), now)
            case HostAction.COME_UP if self._resume:
                self._come_up(self._resume, now)
            case HostAction.STOP:
                self._reset()
                self._events.append(Down(self._securing.stopped))
            case HostAction.DELIVER:
                self._deliver(response, data, now)
            case HostAction.DROP:
                self._tally.dropped += 1
            case HostAction.REPEAT if self._exchange:
                self._exchange.out = False
            case HostAction.ABANDON:
                self._exchange = None
            case HostAction.WAIT:
                self._reset()
                self._patient, self._sync_at = True, max(self._sync_at, now)
            case HostAction.LOSE:
                self._patient = happened is HostInput.GAVE_UP
                self._lose(_REASONS[happened], now)

    def _secure(self, request: Request | None, now: float) -> None:
        """The next request of the handshake, or its end."""
        self._wanted = request
        if request is None and self._securing.done:
            self._step(HostInput.SECURED, now)
        elif request is None:
            self._step(HostInput.DENIED if self._securing.stopped else HostInput.UNSECURED, now)

    def _come_up(self, resume: Resume, now: float) -> None:
        self._patient = False
        self._agenda.link_up(resume.epoch, self.room, now)
        self._events.append(Up(resume))

    def _lose(self, reason: str, now: float) -> None:
        self._reset()
        self._sync_at = now
        self._tally.resets += 1
        self._events.append(Down(reason))

    def _reset(self) -> None:
        self._exchange = self._wanted = None
        self._agenda.queue.clear()
        self._securing.end()

    def _deliver(self, response: Response | None, data: bytes, now: float) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is None or response is None:
            return
        if exchange.why is Why.SECURE:
            self._secure(self._securing.answered(response), now)
        elif exchange.why is Why.READ:
            self._events += map(Received, self._agenda.reading.read(response, len(data)))
        elif exchange.why is Why.ASKED:
            self._events.append(Received(response))
        if response.type == "POLL" and response.ok and self._agenda.polled(response.body, data):
            self._step(HostInput.RESTARTED, now)
