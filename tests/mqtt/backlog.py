"""A day's entries that wait for a broker, and what it takes of memory to send them.

`python -m tests.mqtt.backlog --entries 50000` in full. The table and its bus are a process of their own, so that the
most memory it ever had is that of the bus; the journal was filled before by another.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from shoectl.journal import Journal
from shoectl.mqtt.connection import Link

from .broker import Broker
from .tables import Hands, Table, until

TEXT: Final = "what an entry says at most, more or less; " * 40  # as long as the longest ones are
FROZEN_AFTER_S, FROZEN_S = 0.7, 0.5  # when, and how long, the broker says nothing
WITHIN_S: Final = 120
MOST_MB: Final = 8.0  # a batch of 64 entries and what Python makes of them; six thousand at once are five times that


@dataclass(frozen=True)
class Measured:
    """What the process found. `waited` for the broker when it came, `under_way`: the most messages in the client's
    hands at once; memory in kB, before a broker was there and at most from then on.
    """

    waited: int
    under_way: int
    before_kb: int
    after_kb: int
    seconds: float

    @property
    def grown_mb(self) -> float:
        """How much memory sending took."""
        return (self.after_kb - self.before_kb) / 1024


async def measure(folder: Path, entries: int) -> Measured:
    """Fill a journal, and have a process send it to a broker that comes late and falls silent for a moment.

    Raises AssertionError, TimeoutError. That all of it comes, once and in order, tests/mqtt/test_events.py looks at.
    """
    broker = Broker(folder / "broker")
    table = Table(folder, broker)
    async with table.life(1, bus=False) as playing:
        await playing
    with Journal.open(table.path, durable=False) as journal:
        for number in range(entries):
            journal.append("note", {"text": TEXT, "number": number})
            if number % 1000 == 0:
                journal.flush_now()
    async with table.life(2, bus=False) as playing:  # a round begins behind all that: a start reads from there on
        await playing
    words = ["-m", "tests.mqtt.backlog", "--child", str(folder), str(broker.port), str(broker.authority.ca)]
    child = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert await child.stdout.readline() == b"no broker\n"
        broker.start()
        await asyncio.sleep(FROZEN_AFTER_S)
        with broker.frozen():
            await asyncio.sleep(FROZEN_S)
        async with asyncio.timeout(WITHIN_S):
            measured = Measured(**json.loads(await child.stdout.readline()))
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()
        broker.stop()
    return measured


class Counted:
    """Counts the messages that are in a client's hands: given to it, and not acknowledged by the broker."""

    def __init__(self) -> None:
        self.most = self._now = 0
        whole = Link.deliver

        async def deliver(link: Link, topic: str, payload: bytes, **more: Any) -> None:
            self._now += 1
            self.most = max(self.most, self._now, len(link._client._out_messages))
            try:
                await whole(link, topic, payload, **more)
            finally:
                self._now -= 1

        Link.deliver = deliver  # type: ignore[method-assign,assignment]


async def send(folder: Path, port: int, ca: Path) -> Measured:
    """The process itself: a table that plays no more, and its bus, until the broker has everything."""

    class There:
        authority = type("Authority", (), {"ca": ca})

    there: Any = There()
    there.port = port
    table, counted = Table(folder, there), Counted()
    async with table.life(2, hands=Hands(1)):
        await until(lambda: "nothing listens" in table.face.status().text)
        waited = table.face.status().waiting
        forget_peak()
        before = memory_kb("VmRSS")
        began = time.monotonic()
        print("no broker", flush=True)
        await until(lambda: table.face.status().connected and not table.face.status().waiting, within=WITHIN_S)
        return Measured(waited, counted.most, before, memory_kb("VmHWM"), time.monotonic() - began)


def forget_peak() -> None:
    """That of the start is none of the bus's (proc_pid_clear_refs(5))."""
    Path("/proc/self/clear_refs").write_text("5")


def memory_kb(name: str) -> int:
    """Of this process: `VmRSS` is now, `VmHWM` the most since the peak was forgotten (proc_pid_status(5))."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mqtt.backlog", description=__doc__)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--child", nargs=3, metavar=("FOLDER", "PORT", "CA"))
    chosen = parser.parse_args(words)
    if chosen.child:
        folder, port, ca = chosen.child
        print(json.dumps(asdict(asyncio.run(send(Path(folder), int(port), Path(ca))))), flush=True)
        return 0
    with tempfile.TemporaryDirectory() as name:
        found = asyncio.run(measure(Path(name), chosen.entries))
    print(
        f"{found.waited} entries waited, sent in {found.seconds:.0f} s; memory grew by {found.grown_mb:.1f} MB, ",
        end="",
    )
    print(f"at most {found.under_way} messages were under way")
    return 0 if within_bounds(found) else 1


def within_bounds(found: Measured) -> bool:
    """Whether memory and window were kept."""
    from shoectl.mqtt.outbox import WINDOW

    # beside the window there may be one of the retained topics, one of the status, one that is a birth
    return found.grown_mb < MOST_MB and found.under_way <= WINDOW + 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
