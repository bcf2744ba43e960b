"""Commands and their answers at the host's end of a Birch line, one at a time (birch.md §3)."""

from __future__ import annotations

from abc import abstractmethod

from protocols.birch import wire
from protocols.birch.agenda import Agenda
from protocols.birch.datasheet import SYNC_EVERY
from protocols.birch.exchange import Exchange, Speaker, Why
from protocols.birch.frames import Frame
from protocols.birch.states import HostInput
from protocols.errors import DecodeError, ErrorKind, FrameError, Untrue
from protocols.handshake import Securing
from protocols.link import Dropped, Link, LinkEvent
from protocols.message import Response


class Asker(Link):
    """One exchange at a time, with the shoe at `address`."""

    def __init__(self, address: int, baud: int, adapter_delay: float, agenda: Agenda, securing: Securing) -> None:
        super().__init__()
        self.address = address
        self._speaker = Speaker(address, baud, adapter_delay, self._tally)
        self._agenda = agenda
        self._securing: Securing = securing
        self._exchange: Exchange | None = None
        self._sync_at = 0.0

    @abstractmethod
    def _choose(self, now: float) -> Exchange | None:
        """The next command, if there is one to be sent now."""

    @abstractmethod
    def _step(self, happened: HostInput, now: float, response: Response | None = None, data: bytes = b"") -> None:
        """Something happened; `data` is the plain data of a response."""

    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """See Link. Rubbish while the link is down is counted and not told: it belongs to what was before."""
        self._take(self._speaker.hear(data, now, self._exchange), now)
        return self._take_events()

    def output(self, now: float) -> bytes:
        """See Link. Chooses the next command, so it is called only while this link has the line."""
        if now < self._speaker.free_at:
            return b""
        if self._exchange is None:
            self._exchange = self._choose(now)
        if self._exchange is None or self._exchange.out:
            return b""
        self._step(HostInput.COMMAND, now)
        self._agenda.asked(self._exchange.code == wire.POLL_CODE, now)
        if self._exchange.why is Why.SYNC:
            self._sync_at = now + SYNC_EVERY
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

    @property
    def idle(self) -> bool:
        """See Link."""
        return self._exchange is None

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
        else:
            self._open(exchange, frame, now)

    def _open(self, exchange: Exchange, frame: Frame, now: float) -> None:
        """The right answer: first whether it is of the session, then what it says."""
        try:
            data = wire.answered(self._securing.session, frame)
            if exchange.why is Why.POLL and self._agenda.knows(data):
                self._step(HostInput.REPLY, now)
                return
            response = wire.read_response(wire.CATALOGUE.coded(frame.code), data, exchange.request.id)
        except Untrue as error:
            if error.kind is not None:
                self._drop(error.kind)
            self._step(HostInput.UNTRUE, now)
            return
        except DecodeError as error:
            self._drop(error.kind, error.seq)
            self._misread(exchange, error.seq, now)
            return
        if exchange.why is Why.SYNC and not response.ok:
            self._step(HostInput.GAVE_UP, now)
        else:
            self._step(HostInput.REPLY, now, response, data)

    def _misread(self, exchange: Exchange, seq: int | None, now: float) -> None:
        """A repeat gives the same bytes if the device meant them, which a seal proves; then events are read up to
        the bad one only.
        """
        if not exchange.unreadable and not self.level:
            exchange.unreadable = True
            self._step(HostInput.UNREADABLE, now)
        elif exchange.why in (Why.ASKED, Why.SECURE):
            self._step(HostInput.UNREADABLE_AGAIN, now)
        else:
            if exchange.why is Why.READ:
                self._agenda.reading.misread(seq)
            self._step(HostInput.UNREADABLE_READ, now)

    def _drop(self, kind: ErrorKind, seq: int | None = None) -> None:
        self._tally.dropped += 1
        if self.up:
            self._events.append(Dropped(kind, seq))
