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
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from protocols.birch import frames, wire
from protocols.birch.datasheet import (
    ADAPTER_DELAY,
    BAUD,
    BITS_PER_BYTE,
    DATA_MAX,
    DEFAULT_ADDRESS,
    FIRST_BYTE,
    FLAG_RESTARTED,
    FLAG_SESSION_NEEDED,
    HOST,
    IDLE_BEFORE_COMMAND,
    LAST_BYTE,
    POLL_EVERY,
    SYNC_EVERY,
    TRIES,
)
from protocols.birch.frames import BirchFramer, Frame
from protocols.birch.states import HOST as TABLE
from protocols.birch.states import HostAction, HostInput, HostState
from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.events import EVENT_MAX
from protocols.link import Down, Dropped, Link, LinkCounters, LinkEvent, Received, Side, Tally, Up
from protocols.message import Event, Message, Request, Response
from protocols.vocabulary import Resume

_ALL = 0xFF
_REASONS = {
    HostInput.GAVE_UP: "no answer",
    HostInput.OUT_OF_STEP: "an answer to another command",
    HostInput.UNREADABLE_AGAIN: "an answer that does not fit its command",
    HostInput.RESTARTED: "the device restarted",
}


class _Why(Enum):
    SYNC = auto()
    POLL = auto()
    READ = auto()
    ASKED = auto()


@dataclass
class _Exchange:
    """One command and the wait for its answer. Times are seconds."""

    why: _Why
    request: Request
    code: int
    toggle: int
    data: bytes
    tries: int = 0
    out: bool = False
    ended: float = 0.0
    heard: bool = False
    unreadable: bool = False
    foreign: bool = False


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
        self.address = address
        self.interval = interval
        self.eager = eager
        self.last_poll: Mapping[str, Any] = {}
        self.state = HostState.CLOSED
        self._adapter_delay = adapter_delay
        self._byte_time = BITS_PER_BYTE / baud
        self._framer = BirchFramer()
        self._tally = Tally()
        self._events: list[LinkEvent] = []
        self._queue: deque[Request] = deque()
        self._exchange: _Exchange | None = None
        self._toggle = 0
        self._echo = b""
        self._quiet_from = self._sync_at = self._polled_at = 0.0
        self._patient = False
        self._epoch: int | None = None
        self._poll_data: bytes | None = None
        self._ctr: int | None = None
        self._after: int | None = None
        self._unread = False
        self._limit = _ALL

    # Link

    def open(self, now: float) -> None:
        """See Link."""
        self._quiet_from = now
        self._step(HostInput.OPEN, now)

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Own bytes that the adapter gives back are taken away first."""
        self._tally.bytes_in += len(data)
        self._quiet_from = max(self._quiet_from, now)
        data = self._without_echo(data)
        if data and self._exchange:
            self._exchange.heard = True
        self._take(self._framer.feed(data, now), now)
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
        if now < self._quiet_from + IDLE_BEFORE_COMMAND:
            return b""
        if self._exchange is None:
            self._exchange = self._choose(now)
        if self._exchange is None or self._exchange.out:
            return b""
        self._step(HostInput.COMMAND, now)
        return self._put(self._exchange, now)

    def tick(self, now: float) -> list[LinkEvent]:
        """See Link."""
        exchange = self._exchange
        if exchange and exchange.out and now >= self._due(exchange):
            self._take(self._framer.flush(), now)
            if self._exchange is exchange and exchange.out:
                if exchange.foreign:
                    self._step(HostInput.OUT_OF_STEP, now)
                else:
                    self._step(HostInput.TIMEOUT if exchange.tries < TRIES else HostInput.GAVE_UP, now)
        return self._take_events()

    def deadline(self) -> float | None:
        """See Link."""
        free = self._quiet_from + IDLE_BEFORE_COMMAND
        if self._exchange:
            return self._due(self._exchange) if self._exchange.out else free
        match self.state:
            case HostState.CLOSED:
                return None
            case HostState.SYNCING:
                return max(free, self._sync_at)
            case _ if self._queue or self._reading or (self.eager and self.interval is not None):
                return free
            case _:
                return None if self.interval is None else max(free, self._polled_at + self.interval)

    @property
    def up(self) -> bool:
        """See Link."""
        return self.state in (HostState.IDLE, HostState.WAITING)

    @property
    def idle(self) -> bool:
        """See Link."""
        return self._exchange is None

    @property
    def counters(self) -> LinkCounters:
        """See Link."""
        return self._tally.counters()

    def read_events_after(self, seq: int) -> None:
        """See Link. Nothing is read before this was called; another epoch asks for a new call."""
        self._after = seq
        self._unread = True

    @property
    def caught_up(self) -> bool:
        """Whether all events that the last poll knew of were handed up."""
        return self.up and self._ctr is not None and self._after is not None and not self._unread

    # what goes out

    def _choose(self, now: float) -> _Exchange | None:
        if self.state is HostState.SYNCING:
            return self._begin(_Why.SYNC, Request("SYNC")) if now >= self._sync_at else None
        if self.state is not HostState.IDLE:
            return None
        polls = self.interval is not None
        if self.interval is not None and now >= self._polled_at + self.interval:
            return self._begin(_Why.POLL, Request("POLL"))
        if self._queue:
            return self._begin(_Why.ASKED, self._queue.popleft())
        if self._reading and self._after is not None:
            return self._begin(_Why.READ, Request("READ_EVENTS", 0, {"from": self._after + 1, "max": self._limit}))
        return self._begin(_Why.POLL, Request("POLL")) if polls and self.eager else None

    @property
    def _reading(self) -> bool:
        return self._unread and self._after is not None and self.interval is not None

    def _begin(self, why: _Why, request: Request) -> _Exchange:
        code, data = wire.encode_request(request)
        self._toggle = 0 if why is _Why.SYNC else self._toggle ^ 1
        sent = frames.encode(Frame(self.address, HOST, False, self._toggle, code, data))
        return _Exchange(why, request, code, self._toggle, sent)

    def _put(self, exchange: _Exchange, now: float) -> bytes:
        self._tally.dropped += len(self._framer.flush())
        exchange.out, exchange.heard = True, False
        exchange.tries += 1
        exchange.ended = self._quiet_from = now + len(exchange.data) * self._byte_time
        if exchange.why is _Why.SYNC:
            self._sync_at = now + SYNC_EVERY
        elif exchange.code == wire.POLL_CODE:
            self._polled_at = now
        self._echo = exchange.data
        self._tally.bytes_out += len(exchange.data)
        self._tally.frames_out += 1
        self._tally.resends += exchange.tries > 1
        return exchange.data

    def _due(self, exchange: _Exchange) -> float:
        return exchange.ended + self._adapter_delay + (LAST_BYTE if exchange.heard else FIRST_BYTE)

    # what comes in

    def _without_echo(self, data: bytes) -> bytes:
        size = min(len(data), len(self._echo))
        if data[:size] != self._echo[:size]:
            self._echo = b""
            return data
        self._echo = self._echo[size:]
        return data[size:]

    def _take(self, items: list[Frame | FrameError], now: float) -> None:
        for item in items:
            if isinstance(item, FrameError):
                self._drop(item.kind)
            elif item.answer and item.src == self.address:
                self._tally.frames_in += 1
                self._reply(item, now)

    def _reply(self, frame: Frame, now: float) -> None:
        exchange = self._exchange
        if exchange is None or not exchange.tries or frame.toggle != exchange.toggle:
            self._step(HostInput.STRAY, now)
        elif frame.code != exchange.code:
            exchange.foreign = True
            self._step(HostInput.STRAY, now)
        elif exchange.why is _Why.POLL and frame.data == self._poll_data:
            self._step(HostInput.REPLY, now)
        else:
            self._open(exchange, frame, now)

    def _open(self, exchange: _Exchange, frame: Frame, now: float) -> None:
        try:
            response = wire.decode_response(frame, exchange.request.id)
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._misread(exchange, error.seq, now)
        else:
            self._step(HostInput.REPLY, now, response, frame.data)

    def _misread(self, exchange: _Exchange, seq: int | None, now: float) -> None:
        """A repeat gives the same bytes if the device meant them; then events are read up to the bad one only."""
        if not exchange.unreadable:
            exchange.unreadable = True
            self._step(HostInput.UNREADABLE, now)
        elif exchange.why is _Why.ASKED:
            self._step(HostInput.UNREADABLE_AGAIN, now)
        else:
            before = 0 if seq is None or self._after is None else seq - self._after - 1
            self._unread = exchange.why is _Why.READ and 0 < before < _ALL and self._limit == _ALL
            self._limit = before if self._unread else _ALL
            self._step(HostInput.UNREADABLE_READ, now)

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        self._events.append(Dropped(kind, seq))

    def _take_events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events

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
            case HostAction.ABANDON | HostAction.WAIT:
                self._exchange = None
            case HostAction.LOSE:
                self._lose(_REASONS[happened], now)

    def _come_up(self, response: Response, now: float) -> None:
        self._exchange = None
        if not response.ok:
            self.state = HostState.SYNCING
            return
        resume = Resume.of(response.body)
        if self._epoch is not None and resume.epoch != self._epoch:
            self._after = None
        self._epoch = resume.epoch
        self._ctr = self._poll_data = None
        self._polled_at = now - (self.interval or 0.0)
        self._limit = _ALL
        self._patient = False
        self._events.append(Up(resume))

    def _lose(self, reason: str, now: float) -> None:
        self._exchange = None
        self._queue.clear()
        self._sync_at = now
        self._toggle = 0
        self._tally.resets += 1
        self._events.append(Down(reason))

    def _deliver(self, response: Response | None, data: bytes, now: float) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is None or response is None:
            return
        if exchange.why is _Why.READ:
            self._read(response, data)
        elif exchange.why is _Why.ASKED:
            self._events.append(Received(response))
        if response.type == "POLL" and response.ok:
            self._polled(response, data, now)

    def _polled(self, response: Response, data: bytes, now: float) -> None:
        self.last_poll, self._poll_data = response.body, data
        if response.body["flags"] & FLAG_RESTARTED:
            self._step(HostInput.RESTARTED, now)
        elif not response.body["flags"] & FLAG_SESSION_NEEDED and response.body["ctr"] != self._ctr:
            self._ctr = response.body["ctr"]
            self._unread = True
            self._limit = _ALL

    def _read(self, response: Response, data: bytes) -> None:
        """Hand the new events up. With room left for another event in the answer, these were all."""
        if not response.ok:
            self._unread, self._ctr, self._poll_data = False, None, None
            return
        events: tuple[Event, ...] = response.body["events"]
        for event in events:
            if self._after is not None and event.seq > self._after:
                self._after = event.seq
                self._events.append(Received(event))
        room = DATA_MAX - len(data) > EVENT_MAX
        self._unread = bool(events) and not (room and len(events) < self._limit)
        self._limit = _ALL
