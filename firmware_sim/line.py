"""One wire to the host: a shuffler's own, or the bus that several shoes share. What breaks on a wire breaks here."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_sim.faults import FaultPlan
from firmware_sim.machine import Machine
from firmware_sim.mixers import stream

NOISE = b"\x00\xffAT\r\n\x55"


@dataclass
class Line:
    """`hang_up` is raised when the line drops; the host program takes it back when it has made a new one."""

    name: str
    machines: list[Machine]
    plan: FaultPlan
    seed: int = 0
    hang_up: bool = False
    frames: dict[str, int] = field(default_factory=dict)

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host reach every device on the wire."""
        for machine in self.machines:
            machine.receive(data, now)

    def tick(self, now: float) -> None:
        """Let every link look at the clock."""
        for machine in self.machines:
            machine.tick(now)

    def output(self, now: float) -> bytes:
        """What comes over the wire to the host now, broken where the plan says so."""
        return b"".join(self._through(machine, machine.output(now)) for machine in self.machines)

    def deadline(self) -> float | None:
        """When something may be due."""
        return min((at for at in (machine.deadline() for machine in self.machines) if at is not None), default=None)

    def _through(self, machine: Machine, data: bytes) -> bytes:
        if not data or not self.plan.faults:
            return data
        frames = [frame for frame in machine.unit.family.split_frames(data) if isinstance(frame, bytes)]
        return b"".join(self._spoil(machine.name, frame) for frame in frames)

    def _spoil(self, device: str, frame: bytes) -> bytes:
        number = self.frames[device] = self.frames.get(device, 0) + 1
        if self.plan.take("reply_lost", device, frame=number):
            return b""
        if self.plan.take("corrupt", device, frame=number):
            place = stream(self.seed, "corrupt", device, number).randrange(1, len(frame) - 1)
            frame = frame[:place] + bytes([frame[place] ^ 0x04]) + frame[place + 1 :]
        if self.plan.take("noise", device, frame=number):
            frame = NOISE + frame
        if self.plan.take("hang_up", device, frame=number):
            self.hang_up = True
        return frame
