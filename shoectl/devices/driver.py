"""One connection to one device: a link, the requests that wait for an answer, and the events that came in."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from protocols.errors import ErrorKind
from protocols.family import Family, Verb
from protocols.link import Down, Dropped, Link, LinkEvent, Received, Up
from protocols.message import Body, Event, Hint, Progress, Request, Response
from protocols.vocabulary import Resume
from shoectl.devices.command import DeviceLost

ANSWER_WITHIN_S = 7.0  # beyond the point where a link gives up by itself (Alder: 6 s), so that it comes first
NOISY_DROPS = 3
NOISY_WINDOW_S = 10.0


class EventUnreadable(Exception):
    """The device holds an event that nobody can read: it and all later ones stay in the device (common.md §7)."""

    def __init__(self, seq: int, kind: ErrorKind) -> None:
        super().__init__(f"event {seq} cannot be read ({kind})")
        self.seq = seq


class Bell:
    """Rings when something may have changed. Whoever waits looks again: `while not so: await bell.heard()`.

    Between the look and the wait there is no other `await`: what rang in it would be missed.
    """

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake everybody who waits now."""
        self._rung.set()
        self._rung = asyncio.Event()

    async def heard(self) -> None:
        """Wait for the next ring."""
        await self._rung.wait()


class Driver:
    """One connection. It may see several link sessions; once it has failed it is never used again.

    `bell` rings whenever something changed here that somebody may wait for. `otherwise` is called when the device says
    by itself that it stands otherwise than it was answered last.
    """

    def __init__(self, family: Family, link: Link, bell: Bell, otherwise: Callable[[], None] = lambda: None) -> None:
        self.family = family
        self.link = link
        self.resume: Resume | None = None  # of the session that stands, None while none does
        self.session = 0  # counts sessions of this connection
        self.failure: Exception | None = None
        self.reason = "no answer yet"  # why no session stands
        self.wants = False  # something was given to the link that may not have left yet
        self.dropped: Counter[ErrorKind] = Counter()
        self.unreadable: EventUnreadable | None = None  # the oldest one of this session
        self.forged = False  # a message came whose seal does not fit, and nobody was told yet
        self.stale = 0  # answers that nobody waited for any more
        self.took = 0.0  # seconds from the last request that was answered to its answer
        self.slowest = 0.0
        self.progress: Progress | None = None
        self.inbox: deque[Event] = deque()  # events of this session that nobody took yet
        self._bell, self._otherwise = bell, otherwise
        self._standing: object = None  # as it was answered last, None once it was said to be another
        self._pending: dict[tuple[str, int], asyncio.Future[Response]] = {}
        self._posted: set[tuple[str, int]] = set()
        self._pump: Callable[[], None] = lambda: None
        self._last_id = 0
        self._drops: list[float] = []
        self._tells = Verb.READ_EVENTS not in family.verbs  # by itself, and cannot be asked
        self._spoilt = 0  # the event of such a device that could not be read

    def begin(self, pump: Callable[[], None], now: float) -> None:
        """The wire is there; `pump` moves what the link wants to send."""
        self._pump = pump
        self.link.open(now)
        self.wants = True

    def take(self, events: Iterable[LinkEvent], now: float) -> None:
        """What the link made of bytes or of time."""
        for event in events:
            match event:
                case Up(resume):
                    self.session += 1
                    self.resume, self.unreadable = resume, None
                    self.inbox.clear()
                    self._drops.clear()
                    self._standing = None
                case Down(reason):
                    self._over(reason)
                case Received(Response() as response):
                    self._answered(response)
                case Received(Hint(body)):
                    self._hinted(body)
                case Received(Event() as news):
                    self.progress = None  # what it was about is over, or goes on after trouble and is told again
                    self.inbox.append(news)
                case Received(Progress() as progress):
                    self.progress = progress
                case Dropped(kind, seq):
                    self._drop(kind, seq, now)
            self._bell.ring()

    async def stands(self) -> None:
        """Return once there is a session, or there will be none."""
        while self.resume is None and self.failure is None and not self.link.stopped:
            await self._bell.heard()

    def fail(self, error: Exception) -> None:
        """The connection is used up, for this reason."""
        if self.failure is None:
            self.failure = error
            self._over(str(error) or type(error).__name__)
            self._bell.ring()

    def noisy(self, now: float) -> bool:
        """Whether three messages or more were malformed within ten seconds (common.md §11)."""
        self._drops = [at for at in self._drops if at > now - NOISY_WINDOW_S]
        return len(self._drops) >= NOISY_DROPS

    def post(self, type: str, body: Mapping[str, Any]) -> None:
        """Send a question whose answer nobody waits for. Without a session nothing is sent."""
        if self.resume is not None:
            request = Request(type, self._question_id(), body)
            self._posted.add((request.type, request.id))
            self._send(request)

    async def ask(self, type: str, body: Mapping[str, Any] | None = None, *, within: float | None = None) -> Response:
        """Send a question (class Q) and wait for its answer. Raises DeviceLost."""
        return await self.request(Request(type, self._question_id(), body or {}), within=within)

    async def request(self, request: Request, *, within: float | None = None) -> Response:
        """Send a request and wait for its answer, at most `within` seconds whatever else comes in meanwhile.

        Raises DeviceLost when the session ends or the time is over; the connection is used up then, for only a
        new session makes sure that the request is not worked on later.
        """
        if self.resume is None:
            raise DeviceLost(self.reason)
        key = (request.type, request.id)
        if key in self._pending:
            raise ValueError(f"{request.type} {request.id} is under way already")
        loop = asyncio.get_running_loop()
        within = ANSWER_WITHIN_S if within is None else within
        answer: asyncio.Future[Response] = loop.create_future()
        self._pending[key] = answer
        try:
            started = loop.time()
            async with asyncio.timeout_at(started + within):
                self._send(request)
                response = await answer
            self.took = loop.time() - started
            self.slowest = max(self.slowest, self.took)
            return response
        except TimeoutError:
            lost = DeviceLost(f"no answer to {request.type} within {within:g} s")
            self.fail(lost)
            raise lost from None
        finally:
            self._pending.pop(key, None)

    def _send(self, request: Request) -> None:
        self.link.send(request, asyncio.get_running_loop().time())
        self.wants = True
        self._pump()

    def _question_id(self) -> int:
        """Ids of questions are only echoed; each is another one, so that a late answer is not taken for a new one."""
        self._last_id = self._last_id % self.family.id_max + 1
        return self._last_id

    def _hinted(self, body: Body) -> None:
        """Hints may be lost or late, and a STATUS that is made of them too: who has gone by one has to look again."""
        if self.family.standing is not None and self._standing not in (None, self.family.standing(body)):
            self._standing = None
            self._otherwise()

    def _answered(self, response: Response) -> None:
        if self.family.standing is not None and response.type == self.family.verbs[Verb.STATUS]:
            self._standing = self.family.standing(response.body)
        key = (response.type, response.id)
        answer = self._pending.pop(key, None)
        if answer is None:
            self.stale += key not in self._posted
            self._posted.discard(key)
        elif not answer.done():
            answer.set_result(response)

    def _over(self, reason: str) -> None:
        self.resume, self.reason = None, reason
        self._posted.clear()
        pending, self._pending = self._pending, {}
        for answer in pending.values():
            if not answer.done():
                answer.set_exception(DeviceLost(reason))

    def _drop(self, kind: ErrorKind, seq: int | None, now: float) -> None:
        self.dropped[kind] += 1
        self.forged |= kind in (ErrorKind.MAC, ErrorKind.REPLAY)
        if self.resume is None:
            return  # what comes before a session stands belongs to an older one
        self._drops.append(now)
        asyncio.get_running_loop().call_later(NOISY_WINDOW_S, self._bell.ring)  # it may be over then
        if seq is not None and self._tells and seq != self._spoilt:
            self._spoilt = seq  # it is told again until it is acknowledged: spoilt on the way, it can be read then
            return
        if seq is not None and (self.unreadable is None or seq < self.unreadable.seq):
            self.unreadable = EventUnreadable(seq, kind)
            for (type, _), answer in self._pending.items():
                if type == self.family.verbs.get(Verb.READ_EVENTS) and not answer.done():
                    answer.set_exception(self.unreadable)
