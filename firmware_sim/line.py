"""One wire to the host: a shuffler's own, or the bus that several shoes share. What breaks on a wire breaks here.

bytes of the devices ──► frames ──► spoiled by the plan ──► held back by the adapter ──► host
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from firmware_sim.adapter import Adapter
from firmware_sim.faults import FaultPlan
from firmware_sim.machine import Machine
from firmware_sim.spoiling import Piece, Spoiler, flipped
from protocols.errors import FrameError
from protocols.piece import PieceFramer

BACK_AFTER = 0.5
PIECE_HEAD = 4
"""Bytes of a piece that are on no wire, so nothing can garble them."""


@dataclass
class Line:
    """`hang_up` is raised when the line drops; the host program takes it back when it has made a new one, which is to
    be `back_after` seconds later, and another node where `renamed`.
    """

    name: str
    machines: list[Machine]
    plan: FaultPlan
    seed: int = 0
    adapter: Adapter = field(default_factory=Adapter)
    hang_up: bool = False
    renamed: bool = False
    back_after: float = BACK_AFTER
    _to_host: deque[tuple[float, bytes]] = field(default_factory=deque)
    _untaken: list[bytes] = field(default_factory=list)
    _taking_from: float = 0.0
    _quiet_from: float = 0.0
    _echoes: int = 0
    _heard: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        head = 0 if self.serial else PIECE_HEAD
        self._spoilers = {machine.name: Spoiler(machine.name, self.plan, self.seed, head) for machine in self.machines}

    @property
    def serial(self) -> bool:
        """Whether bytes pass here one after the other, not pieces of endpoints."""
        return "baud" in self.machines[0].unit.family.line

    @property
    def taking(self) -> bool:
        """Whether bytes of the host are taken now."""
        return not self._taking_from

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host reach every device on the wire."""
        if self._taking_from:
            self._untaken.append(data)
            return
        heard = b"".join(self._from_host(data, now)) if self.plan.faults else data
        if self.adapter.echo:
            self._put(data, now)
        if self._taking_from:
            self._untaken.append(heard)
            return
        for machine in self.machines:
            machine.receive(heard, now)

    def tick(self, now: float) -> None:
        """Let every link look at the clock."""
        if self._taking_from and now >= self._taking_from:
            self._taking_from, untaken = 0.0, b"".join(self._untaken)
            self._untaken.clear()
            for machine in self.machines:
                machine.receive(untaken, now)
        for machine in self.machines:
            machine.tick(now)

    def output(self, now: float) -> bytes:
        """What comes over the wire to the host now, broken where the plan says so."""
        for machine in self.machines:
            data = machine.output(now)
            if not data:
                continue
            for other in self.machines:
                if other is not machine:
                    other.receive(data, now)
            for piece in self._spoiled(machine, data, now):
                self._put(piece.data, now + piece.delay)
        due = []
        while self._to_host and self._to_host[0][0] <= now:
            due.append(self._to_host.popleft()[1])
        if self.hang_up:
            self._to_host.clear()
        return b"".join(due)

    def unplugged(self, now: float) -> None:
        """The host's end was pulled out, on a medium where the devices notice."""
        for machine in self.machines:
            machine.unplugged(now)

    def deadline(self) -> float | None:
        """When something may be due."""
        times = [machine.deadline() for machine in self.machines]
        times += [self._to_host[0][0]] if self._to_host else []
        times += [self._taking_from] if self._taking_from else []
        return min((at for at in times if at is not None), default=None)

    def drop(self, back_after: float = BACK_AFTER, *, renamed: bool = False) -> None:
        """The line is gone, and comes back."""
        self.hang_up, self.back_after, self.renamed = True, back_after, renamed

    def _put(self, data: bytes, at: float) -> None:
        """On its way to the host, behind what is on its way already."""
        self._quiet_from = max(self._quiet_from, at) + self.adapter.seconds(len(data))
        if data:
            self._to_host.append((self._quiet_from + self.adapter.latency, data))

    def frames(self, data: bytes) -> list[bytes]:
        """The whole frames, or pieces, in what comes over the wire."""
        return [frame for frame in self._cut(data) if isinstance(frame, bytes)]

    def _spoiled(self, machine: Machine, data: bytes, now: float) -> Iterator[Piece]:
        if not self.plan.faults:
            yield Piece(data)
            return
        spoiler = self._spoilers[machine.name]
        for frame in self.frames(data):
            yield from spoiler.spoil(frame, now)
            gone = spoiler.gone
            if gone is not None:
                self.drop(gone.number("ms") / 1000, renamed=gone.kind.name == "renamed")

    def _from_host(self, data: bytes, now: float) -> Iterator[bytes]:
        """Frames of the host as they arrive; what is no whole frame passes as it is."""
        frames = self.frames(data)
        if b"".join(frames) != data:
            yield data
            return
        for frame in frames:
            yield self._meet(frame, now)

    def _cut(self, data: bytes) -> list[bytes | FrameError]:
        """What passes at once: frames, or pieces as they are."""
        if self.serial:
            return self.machines[0].unit.family.split_frames(data)
        return [found if isinstance(found, FrameError) else found.encode() for found in PieceFramer().feed(data, 0.0)]

    def _meet(self, frame: bytes, now: float) -> bytes:
        device = next(
            (each.name for each in self.machines if each.unit.address in (0, frame[0])), self.machines[0].name
        )
        number = self._heard[device] = self._heard.get(device, 0) + 1
        if echo := self.plan.take("echo", device, frame=number):
            self._echoes = echo.number("frames")
        if self._echoes:
            self._echoes -= 1
            self._put(frame, now)
        if stuck := self.plan.take("stuck_flow", device, frame=number):
            self._taking_from = now + stuck.number("ms") / 1000
        if self.plan.take("command_lost", device, frame=number):
            return b""
        if self.plan.take("command_corrupt", device, frame=number):
            head = 0 if self.serial else PIECE_HEAD
            return flipped(frame, self.seed, "command_corrupt", device, number, head=head)
        return frame
