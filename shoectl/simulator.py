"""A simulated table of our own: `shoesim` as a child process, behind real terminals or on a USB bus, ended with us.

Nothing of it is imported: it shares the wire with the daemon, and its control socket with the simulated people.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocols.family import families
from shoectl.errors import BadInput, DeviceFailed

READY_WITHIN: Final = 30.0  # s from the start to the ready line
END_WITHIN: Final = 2.0  # s between asking it to end and ending it
BAD_USAGE: Final = 2


@dataclass(frozen=True)
class SimulatedDevice:
    """A device of the simulator: its family, the URL of its line, its serial number."""

    family: str
    url: str
    serial: str


@dataclass(frozen=True)
class Simulator:
    """A simulator that is ready. `process` ends only when it was told to, or when it failed."""

    process: asyncio.subprocess.Process
    devices: tuple[SimulatedDevice, ...]
    control: Path
    log: Path

    async def watch(self) -> None:
        """Wait for its end, which nobody wanted. Raises DeviceFailed."""
        code = await self.process.wait()
        raise DeviceFailed(f"the simulator ended by itself ({code}): {_last_line(self.log)}")


@asynccontextmanager
async def simulator(
    folder: Path,
    devices: Sequence[str],
    *,
    seed: int,
    speed: str,
    state: Path,
    faults: Sequence[str] = (),
    truth: Path | None = None,
) -> AsyncIterator[Simulator]:
    """Start a simulated table of these devices with its sockets in `folder`, and end it again. `state` keeps its cards
    and its devices' memory, so that a later run finds them as after a power cut. Raises BadInput for what it does not
    accept.
    """
    control, log = folder / "control.sock", folder / "shoesim.log"
    command = [sys.executable, "-m", "firmware_sim", *devices, "--control", str(control)]
    command += ["--dir", str(folder)] if _serial(devices) else ["--usbip", "127.0.0.1:0"]
    command += ["--state", str(state), "--seed", str(seed), "--speed", speed, "--person", "none"]
    command += ["--parent", str(os.getpid())]  # it ends with us, also where we are killed before it has begun
    command += [word for fault in faults for word in ("--fault", fault)]
    command += ["--truth", str(truth)] if truth else []
    with log.open("wb") as errors:
        # a session of its own: Ctrl-C at the terminal is for the daemon, which then ends it
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    try:
        yield await _ready(process, control, log)
    finally:
        await _end(process)


def _serial(names: Sequence[str]) -> bool:
    """Whether every device has a serial line, so that terminals will do; else all of them are plugged into one bus.
    `alder?plug=ftdi` says how one is plugged in, so it is.
    """
    if any("plug=" in name.partition("?")[2] for name in names):
        return False
    lines = [known.line for name in names if (known := families().get(name.partition("@")[0].partition("?")[0]))]
    return all("baud" in line for line in lines)


async def _ready(process: asyncio.subprocess.Process, control: Path, log: Path) -> Simulator:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), READY_WITHIN)
    except TimeoutError:
        raise DeviceFailed(f"the simulator was not ready within {READY_WITHIN:.0f} s: {_last_line(log)}") from None
    if not line:
        code = await process.wait()
        said = _last_line(log)
        raise BadInput(said.removeprefix("shoesim: ")) if code == BAD_USAGE else DeviceFailed(f"the simulator: {said}")
    said = json.loads(line)
    devices = tuple(SimulatedDevice(one["family"], one["url"], one["serial"]) for one in said["devices"])
    return Simulator(process, devices, Path(said.get("control") or control), log)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), END_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
