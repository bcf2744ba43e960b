"""The conformance suite's rig on the real kernel. It runs as the unprivileged user: `python -m tests.kernel.guest.rig`.

Prints one JSON line a check. The simulator and the plugs are those of a world that stands (world.py).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import traceback
from typing import Any

from protocols.family import families
from tests.conformance.checks import CHECKS, trial
from tests.conformance.rig import Rig
from tests.kernel.guest.hub import SOCKET

PATIENCE = 4.0  # the machine is translated, and may share its processors
FIRST_ID = 30_000  # the table was there before, and the devices remember its numbers
CHECK_WITHIN_S = 90.0


class OnTheKernel(Rig):
    """A device that the kernel has attached."""

    patience = PATIENCE
    look_every = 0.02

    def __init__(self, family: str, url: str, serial: str, control: str) -> None:
        self.family = families()[family]
        self.url, self.serial = url, serial
        self._control = control
        self._ids = 0

    async def begin(self) -> None:
        await self.put_back()  # where a check before this one ended in the middle

    async def finish(self) -> None:
        return None

    async def pull(self) -> None:
        await self._hub("pull")

    async def put_back(self) -> None:
        await self._hub("put_back")

    async def order(self, **order: Any) -> dict[str, Any]:
        self._ids += 1
        asked = json.dumps({"id": f"{time.monotonic()} {self._ids}", **order})
        told: dict[str, Any] = json.loads(await _said(self._control, asked))
        return told

    async def _hub(self, what: str) -> None:
        await _said(str(SOCKET), f"{what} {self.family.name}")


async def _said(path: str, line: str) -> str:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line.encode() + b"\n")
    answer = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    return answer.decode()


async def check_all(family: str, url: str, serial: str, control: str) -> None:
    """All checks, one after the other, at one device; a station each, which then need not wait for the one before."""
    for number, check in enumerate(CHECKS):
        began, said = time.monotonic(), ""
        async with trial(OnTheKernel(family, url, serial, control), FIRST_ID + 100 * number) as at:
            try:
                async with asyncio.timeout(CHECK_WITHIN_S):
                    await check(at)
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)
                lines = [f"{each.filename.rpartition('/')[2]}:{each.lineno} {each.line}" for each in where[-4:]]
                said = "\n".join([f"{type(error).__name__}: {error}", f"station: {at.station.condition}", *lines])
        told = {"family": family, "check": check.__name__, "ok": not said, "said": said}
        print(json.dumps({**told, "seconds": time.monotonic() - began}), flush=True)


async def main(*devices: str) -> None:
    """Each device, given as a list in JSON: family, URL, serial number, control socket."""
    for device in devices:
        await check_all(*json.loads(device))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
