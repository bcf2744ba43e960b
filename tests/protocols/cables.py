"""Cables between two ends of a link, and a clock that moves only when nothing else can.

A cable carries what one end puts out, in order, never overtaking; what it does to the bytes is its kind.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from protocols.link import Link, LinkEvent


class Cable:
    """Clean: bytes arrive at once and whole."""

    def carry(self, data: bytes) -> list[bytes]:
        """The pieces that arrive for one writing."""
        return [data]

    def delay(self) -> float:
        """How long this writing is under way, in seconds."""
        return 0.0


class OneByte(Cable):
    """Each byte is a reading of its own."""

    def carry(self, data: bytes) -> list[bytes]:
        return [bytes([byte]) for byte in data]


@dataclass
class Luck:
    """When a cable may do harm: never more than `worst` times before `clean` writings went through unharmed.

    Shared by both directions, so that harm stays below the number of tries that a family makes.
    """

    rng: random.Random
    rate: float
    worst: int
    clean: int
    awake: bool = False
    _harmed: int = 0
    _since: int = 0

    def strikes(self) -> bool:
        """Whether this writing is harmed."""
        if not self.awake:
            return False
        if self._harmed >= self.worst:
            self._since += 1
            if self._since < self.clean:
                return False
            self._harmed = self._since = 0
            return False
        if self.rng.random() < self.rate:
            self._harmed += 1
            return True
        return False


@dataclass
class Harmful(Cable):
    """Now and then a writing suffers `harm`."""

    luck: Luck
    harm: Callable[[random.Random, bytes], list[bytes]]

    def carry(self, data: bytes) -> list[bytes]:
        return self.harm(self.luck.rng, data) if self.luck.strikes() else [data]


@dataclass
class Delaying(Cable):
    """Each writing takes its own time, up to `most` seconds."""

    rng: random.Random
    most: float

    def delay(self) -> float:
        return self.rng.random() * self.most


def lose(rng: random.Random, data: bytes) -> list[bytes]:
    """All of it is gone."""
    return []


def cut(rng: random.Random, data: bytes) -> list[bytes]:
    """Some bytes in the middle are gone."""
    at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return [data[:at] + data[max(to, at + 1) :]]


def corrupt(rng: random.Random, data: bytes) -> list[bytes]:
    """One bit is turned."""
    at = rng.randrange(len(data))
    return [data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]]


def repeat(rng: random.Random, data: bytes) -> list[bytes]:
    """It arrives twice."""
    return [data, data]


def babble(rng: random.Random, data: bytes) -> list[bytes]:
    """Noise before and after."""
    return [rng.randbytes(rng.randrange(1, 9)) + data + rng.randbytes(rng.randrange(1, 9))]


HARMS = {"lossy": lose, "cutting": cut, "corrupting": corrupt, "duplicating": repeat, "noisy": babble}


@dataclass
class Bench:
    """A host link, a device link, a cable each way, and the clock. `firmware` answers what the device hands up."""

    host: Link
    device: Link
    firmware: Callable[[LinkEvent, float], None]
    to_device: Cable = field(default_factory=Cable)
    to_host: Cable = field(default_factory=Cable)
    now: float = 100.0
    at_host: list[LinkEvent] = field(default_factory=list)
    at_device: list[LinkEvent] = field(default_factory=list)
    wrote: int = 0
    _under_way: list[deque[tuple[float, bytes]]] = field(default_factory=lambda: [deque(), deque()])

    def open(self) -> None:
        """The device starts and says so; then the host opens its port."""
        self.device.open(self.now)
        self.run(0.1)
        self.host.open(self.now)

    def up(self) -> None:
        """Open, and wait until both ends say that they are up; from then on cables may do harm."""
        self.open()
        self.run(10, until=lambda: self.host.up)
        assert self.host.up
        for cable in (self.to_device, self.to_host):
            if isinstance(cable, Harmful):
                cable.luck.awake = True

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, at most so long, and no longer than needed."""
        end = self.now + seconds
        while not until():
            self._settle()
            at = self._next()
            if until() or at > end:
                break
            self.now = max(at, self.now + 1e-6)
        else:
            return
        self.now = max(self.now, min(end, self.now if until() else end))

    def _settle(self) -> None:
        """All that happens without time passing."""
        busy = True
        while busy:
            self._hear_host(self.host.tick(self.now))
            self._hear_device(self.device.tick(self.now))
            busy = self._write(self.host, self.to_device, self._under_way[0])
            busy |= self._write(self.device, self.to_host, self._under_way[1])
            for piece in self._arrived(self._under_way[0]):
                busy = True
                self._hear_device(self.device.receive(piece, self.now))
            for piece in self._arrived(self._under_way[1]):
                busy = True
                self._hear_host(self.host.receive(piece, self.now))

    def _write(self, end: Link, cable: Cable, under_way: deque[tuple[float, bytes]]) -> bool:
        data = end.output(self.now)
        if not data:
            return False
        self.wrote += 1
        at = max(self.now + cable.delay(), under_way[-1][0] if under_way else 0.0)
        under_way.extend((at, piece) for piece in cable.carry(data) if piece)
        return True

    def _arrived(self, under_way: deque[tuple[float, bytes]]) -> list[bytes]:
        pieces = []
        while under_way and under_way[0][0] <= self.now:
            pieces.append(under_way.popleft()[1])
        return pieces

    def _hear_host(self, events: list[LinkEvent]) -> None:
        self.at_host += events

    def _hear_device(self, events: list[LinkEvent]) -> None:
        self.at_device += events
        for event in events:
            self.firmware(event, self.now)

    def _next(self) -> float:
        times = [at for at in (self.host.deadline(), self.device.deadline()) if at is not None]
        times += [way[0][0] for way in self._under_way if way]
        return min(times, default=float("inf"))
