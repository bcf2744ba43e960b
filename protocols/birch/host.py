"""The host's end of a Birch line, for one shoe (birch.md §3, §7, §8).

It asks by itself: SYNC at the start and after a loss, POLL when nothing else is under way, READ_EVENTS when there is
something new. Events come up as `Received`, each once per link however long their acknowledgement takes; the code above
says once where to begin (`read_events_after`), and nothing is read before. Its own requests go out between polls, in
order, and their answers come up with the id of the request. `eager` makes it poll as fast as the line allows.

On a shared line only the link that is given `output` may speak; `idle` says when the line may be given to another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from protocols.birch import wire
from protocols.birch.datasheet import (
    ADAPTER_DELAY,
    BAUD,
    DATA_MAX,
    DEFAULT_ADDRESS,
    FLAG_RESTARTED,
    FLAG_SESSION_NEEDED,
    POLL_EVERY,
    SYNC_EVERY,
    TRIES,
)
from protocols.birch.exchange import Exchange, Speaker, Why
from protocols.birch.frames import Frame
from protocols.birch.states import HOST as TABLE
from protocols.birch.states import HostAction, HostInput, HostState
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.link import Down, Dropped, Link, LinkEvent, Received, Side, Up
from protocols.message import Message, Request, Response
from protocols.reading import Reading
from protocols.vocabulary import Resume

_REASONS = {
    HostInput.GAVE_UP: "no answer",
    HostInput.OUT_OF_STEP: "an answer to another command",
    HostInput.UNREADABLE_AGAIN: "an answer that does not fit its command",
    HostInput.RESTARTED: "the device restarted",
}


class BirchHost(Link):
    """The host's link with the shoe at `address`.

    `interval`: seconds between polls, None for no polls and no reads of its own. `adapter_delay` is added to both
    time-outs. `last_poll` holds the fields of the last POLL answer.
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
    ) -> None:
        super().__init__()
        self.address = address
        self.interval = interval
        self.eager = eager
        self.last_poll: Mapping[str, Any] = {}
        self.state = HostState.CLOSED
        self._speaker = Speaker(address, baud, adapter_delay, self._tally)
        self._queue: deque[Request] = deque()
        self._exchange: Exchange | None = None
        self._sync_at = self._polled_at = 0.0
        self._polled_last = False
        self._patient = False
        self._poll_data: bytes | None = None
        self._reading = Reading("READ_EVENTS", DATA_MAX)

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._speaker.quiet_from = now
        self._step(HostInput.OPEN, now)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Rubbish while the link is down is counted and not told: it belongs to what was before."""
        self._take(self._speaker.hear(data, now, self._exchange), now)
        return self._take_events()

    def send(self, message: Message, now: float) -> None:
        """See Link."""
        if not isinstance(message, Request):
            raise LocalError(f"the host does not send {type(message).__name__}")
        if not self.up:
            raise LocalError("the link is down")
        if message.type == "SYNC":
            raise LocalError("SYNC is the link's own")
        wire.encode_request(message)
        self._queue.append(message)

    def output(self, now: float) -> bytes:
        """See Link. Chooses the next command, so it is called only while this link has the line."""
        if now < self._speaker.free_at:
            return b""
        if self._exchange is None:
            self._exchange = self._choose(now)
        if self._exchange is None or self._exchange.out:
            return b""
        self._step(HostInput.COMMAND, now)
        self._polled_last = self._exchange.code == wire.POLL_CODE
        if self._exchange.why is Why.SYNC:
            self._sync_at = now + SYNC_EVERY
        elif self._polled_last:
            self._polled_at = now
        return self._speaker.put(self._exchange, now)

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        exchange = self._exchange
        if exchange and exchange.out and now >= self._speaker.due(exchange):
            self._take(self._speaker.give_up(), now)
            if self._exchange is exchange and exchange.out:
                late = HostInput.TIMEOUT if exchange.left > 0 else HostInput.GAVE_UP
                self._step(HostInput.OUT_OF_STEP if exchange.foreign else late, now)
        return self._take_events()

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
            case _ if self._queue:
                return free
            case _ if self.interval is None:
                return None
            case _:
                return free if self.eager or self._reading.due else max(free, self._polled_at + self.interval)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (HostState.IDLE, HostState.WAITING)

    @property
    def idle(self) -> bool:
        """See Link."""
        return self._exchange is None

    def read_events_after(self, seq: int) -> None:
        """See Link. Nothing is read before this was called; another epoch asks for a new call."""
        self._reading.begin(seq)

    @property
    def caught_up(self) -> bool:
        """Whether all events that the last poll knew of were handed up."""
        return self.up and self._reading.caught_up

    # what goes out

    def _choose(self, now: float) -> Exchange | None:
        if self.state is HostState.SYNCING:
            return self._begin(Why.SYNC, Request("SYNC")) if now >= self._sync_at else None
        if self.state is not HostState.IDLE:
            return None
        due = self.interval is not None and now >= self._polled_at + self.interval
        waiting = self._queue or (self.interval is not None and self._reading.due)
        if due and not (waiting and self._polled_last):  # on a slow shared line a poll is due whenever the turn comes
            return self._begin(Why.POLL, Request("POLL"))
        if self._queue:
            return self._begin(Why.ASKED, self._queue.popleft())
        if waiting:
            return self._begin(Why.READ, self._reading.request())
        return self._begin(Why.POLL, Request("POLL")) if self.interval is not None and self.eager else None

    def _begin(self, why: Why, request: Request) -> Exchange:
        return self._speaker.begin(why, request, 1 if self._patient else TRIES)

    # what comes in

    def _take(self, items: list[Frame | FrameError], now: float) -> None:
        for item in items:
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.answer and item.src == self.address:
                self._tally.frames_in += 1
                self._reply(item, now)

    def _reply(self, frame: Frame, now: float) -> None:
        exchange = self._exchange
        if exchange is None or not exchange.tried or frame.toggle != exchange.toggle:
            self._step(HostInput.STRAY, now)
        elif frame.code != exchange.code:
            exchange.foreign = True
            self._step(HostInput.STRAY, now)
        elif exchange.why is Why.POLL and frame.data == self._poll_data and not self._reading.polls_matter:
            self._step(HostInput.REPLY, now)
        else:
            self._open(exchange, frame, now)

    def _open(self, exchange: Exchange, frame: Frame, now: float) -> None:
        try:
            response = wire.decode_response(frame, exchange.request.id)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._misread(exchange, error.seq, now)
            return
        if exchange.why is Why.SYNC and not response.ok:
            self._step(HostInput.GAVE_UP, now)
        else:
            self._step(HostInput.REPLY, now, response, frame.data)

    def _misread(self, exchange: Exchange, seq: int | None, now: float) -> None:
        """A repeat gives the same bytes if the device meant them; then events are read up to the bad one only."""
        if not exchange.unreadable:
            exchange.unreadable = True
            self._step(HostInput.UNREADABLE, now)
        elif exchange.why is Why.ASKED:
            self._step(HostInput.UNREADABLE_AGAIN, now)
        else:
            if exchange.why is Why.READ:
                self._reading.misread(seq)
            self._step(HostInput.UNREADABLE_READ, now)

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        if self.up:
            self._events.append(Dropped(kind, seq))

    # what is done about it

    def _step(self, happened: HostInput, now: float, response: Response | None = None, data: bytes = b"") -> None:
        action, self.state = TABLE[self.state][happened]
        match action:
            case HostAction.IGNORE | HostAction.SEND:
                return
            case HostAction.SYNC:
                self._sync_at = now
            case HostAction.COME_UP if response:
                self._come_up(response, now)
            case HostAction.DELIVER:
                self._deliver(response, data, now)
            case HostAction.DROP:
                self._tally.dropped += 1
            case HostAction.REPEAT if self._exchange:
                self._exchange.out = False
            case HostAction.ABANDON:
                self._exchange = None
            case HostAction.WAIT:
                self._exchange, self._patient = None, True
            case HostAction.LOSE:
                self._patient = happened is HostInput.GAVE_UP
                self._lose(_REASONS[happened], now)

    def _come_up(self, response: Response, now: float) -> None:
        self._exchange = self._poll_data = None
        self._patient = False
        self._polled_at = now - (self.interval or 0.0)
        resume = Resume.of(response.body)
        self._reading.link_up(resume.epoch)
        self._events.append(Up(resume))

    def _lose(self, reason: str, now: float) -> None:
        self._exchange, self._queue = None, deque()
        self._sync_at = now
        self._tally.resets += 1
        self._events.append(Down(reason))

    def _deliver(self, response: Response | None, data: bytes, now: float) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is None or response is None:
            return
        if exchange.why is Why.READ:
            self._events += map(Received, self._reading.read(response, len(data)))
        elif exchange.why is Why.ASKED:
            self._events.append(Received(response))
        if response.type == "POLL" and response.ok:
            self._polled(response, data, now)

    def _polled(self, response: Response, data: bytes, now: float) -> None:
        self.last_poll, self._poll_data = response.body, data
        if response.body["flags"] & FLAG_RESTARTED:
            self._step(HostInput.RESTARTED, now)
        elif not response.body["flags"] & FLAG_SESSION_NEEDED:
            self._reading.polled(response.body["ctr"])
