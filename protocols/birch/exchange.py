"""One command and its answer on a line where the host alone begins (birch.md §1, §3): times, toggle, echo, repeats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from protocols.birch import frames, wire
from protocols.birch.datasheet import BITS_PER_BYTE, FIRST_BYTE, HOST, IDLE_BEFORE_COMMAND, LAST_BYTE
from protocols.birch.frames import BirchFramer, Frame
from protocols.errors import FrameError
from protocols.link import Tally
from protocols.message import Request
from protocols.seal import Session


class Why(Enum):
    """Who wanted a command: the link itself, or the code above."""

    SYNC = auto()
    POLL = auto()
    READ = auto()
    SECURE = auto()
    """The handshake of a session."""
    ASKED = auto()


@dataclass
class Exchange:
    """One command and the wait for its answer. `left`: tries that may still be made. Times are seconds."""

    why: Why
    request: Request
    code: int
    toggle: int
    data: bytes
    left: int
    out: bool = False
    """It was sent, and its answer is awaited; not so before the first sending and before a repeat."""
    tried: bool = False
    ended: float = 0.0
    heard: bool = False
    """Something came back that was not our own echo."""
    unreadable: bool = False
    """The right answer came, and its body did not fit."""
    foreign: bool = False
    """An answer with our toggle came for another command."""


class Speaker:
    """The host's mouth and ear on the line, for one address."""

    def __init__(self, address: int, baud: int, adapter_delay: float, tally: Tally) -> None:
        self.quiet_from = 0.0
        self._address = address
        self._byte_time = BITS_PER_BYTE / baud
        self._adapter_delay = adapter_delay
        self._tally = tally
        self._framer = BirchFramer()
        self._toggle = 0
        self._echo = b""

    @property
    def free_at(self) -> float:
        """When the next command may begin."""
        return self.quiet_from + IDLE_BEFORE_COMMAND

    def begin(self, why: Why, request: Request, tries: int, session: Session | None) -> Exchange:
        """A new command flips the toggle; SYNC sets it to 0. A repeat has the bytes of the first try, its seal too."""
        code, data = wire.encode_request(request)
        self._toggle = 0 if why is Why.SYNC else self._toggle ^ 1
        frame = wire.sealed(session, Frame(self._address, HOST, False, self._toggle, code, data))
        return Exchange(why, request, code, self._toggle, frames.encode(frame), tries)

    def put(self, exchange: Exchange, now: float) -> bytes:
        """The bytes of a command, first or again. What was still held of earlier answers is forgotten."""
        self._tally.dropped += len(self._framer.flush())
        self._tally.resends += exchange.tried
        exchange.out, exchange.tried, exchange.heard = True, True, False
        exchange.left -= 1
        exchange.ended = self.quiet_from = now + len(exchange.data) * self._byte_time
        self._echo = exchange.data
        self._tally.bytes_out += len(exchange.data)
        self._tally.frames_out += 1
        return exchange.data

    def due(self, exchange: Exchange) -> float:
        """When the answer is late. Both limits count from the end of the command, so rubbish cannot move them."""
        return exchange.ended + self._adapter_delay + (LAST_BYTE if exchange.heard else FIRST_BYTE)

    def hear(self, data: bytes, now: float, exchange: Exchange | None) -> list[Frame | FrameError]:
        """Frames in what came in, without what we said ourselves."""
        self._tally.bytes_in += len(data)
        self.quiet_from = max(self.quiet_from, now)
        data = self._without_echo(data)
        if data and exchange:
            exchange.heard = True
        return self._framer.feed(data, now)

    def give_up(self) -> list[Frame | FrameError]:
        """The time is over: frames that a false start has hidden."""
        return self._framer.flush()

    def _without_echo(self, data: bytes) -> bytes:
        size = min(len(data), len(self._echo))
        if data[:size] != self._echo[:size]:
            self._echo = b""
            return data
        self._echo = self._echo[size:]
        return data[size:]
