"""Browsers at a table that plays as fast as it can, while its bus is flooded: `python -m tests.mqtt.crowd`.

In full ten browsers and 100 rounds, over real terminals with a real broker; each browser follows the stream and fetches
the dealer's part at every event, as the page's script does. The same rounds first without all of them. What must not
be: a device that heard nothing and shut its gate, a round that another one sees ended otherwise, a command that was
carried out, a refusal that was not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from protocols.vocabulary import EventCode
from shoectl.journal import Reader
from tests.endtoend.runs import SHOECTL, environment

from .broker import ROOT, Broker
from .test_daemon import configured

TROUBLE = ("irregularity", "alarm", "hold")
KINDS = {"malformed", "dropped"}  # refusals that every flood comes to
ASKED_EVERY_S = 0.1
LINK = ("resends", "dropped", "resets", "bad_crc")


@dataclass
class Came:
    """What a run came to. `refused` by reason, `done`: commands that were carried out; `by`: who answered."""

    rounds: int
    seconds: float = 0.0
    events: int = 0
    fetched: int = 0
    failed: int = 0
    slowest_ms: float = 0.0
    sent: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    done: float = 0.0
    troubles: Counter[str] = field(default_factory=Counter)
    silent: int = 0
    by: Counter[str] = field(default_factory=Counter)
    link: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> list[str]:
        """What must not have been."""
        said = [f"{number} times {what}" for what, number in self.troubles.items()]
        said += [f"{self.silent} times a device heard nothing"] if self.silent else []
        said += [f"{self.done:.0f} commands were carried out"] if self.done else []
        said += ["refusals were not counted"] if self.sent and not set(self.refused) >= KINDS else []
        return said + ([f"{self.failed} pages did not come"] if self.failed else [])


async def browse(address: str, cookie: str, came: Came) -> None:
    """One browser, until the daemon ends."""
    async with httpx.AsyncClient(base_url=address, timeout=20) as client:
        client.cookies.set(*cookie.split("=", 1))
        async with client.stream("GET", "/api/v1/stream") as stream:
            async for text in stream.aiter_lines():
                if text.startswith("data:"):
                    came.events += 1
                    began = time.monotonic()
                    answer = await client.get("/parts/dealer")
                    came.fetched += answer.status_code == 200
                    came.failed += answer.status_code != 200
                    came.slowest_ms = max(came.slowest_ms, (time.monotonic() - began) * 1000)


async def ask(address: str, came: Came) -> None:
    """Whoever watches: reads the metrics again and again, until the daemon ends."""
    async with httpx.AsyncClient(base_url=address, timeout=20) as client:
        while True:
            for family in text_string_to_metric_families((await client.get("/metrics")).text):
                for sample in family.samples:
                    match sample.name:
                        case "shoectl_bus_commands_refused_total":
                            came.refused[sample.labels["why"]] = int(sample.value)
                        case "shoectl_bus_commands_done_total":
                            came.done = sample.value
            await asyncio.sleep(ASKED_EVERY_S)


@asynccontextmanager
async def flooded(broker: Broker, came: Came) -> AsyncIterator[None]:
    """A process that sends whatever is refused."""
    words = [sys.executable, "-m", "tests.mqtt.flood", str(broker.port), str(broker.authority.ca)]
    mad = await asyncio.create_subprocess_exec(*words, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            mad.terminate()
        said, _ = await mad.communicate()
        came.sent = int(said or 0)


async def play(folder: Path, broker: Broker, browsers: int, rounds: int, *, flood: bool, speed: str = "max") -> Came:
    """Rounds with so many browsers, over real terminals. Raises AssertionError where the daemon does not end well."""
    words = [word for word in configured(folder, broker) if word != "--no-console"]
    words[words.index("--speed") + 1] = speed
    pipe, came = subprocess.PIPE, Came(rounds)
    daemon = await asyncio.create_subprocess_exec(
        *SHOECTL, *words, "--rounds", str(rounds), cwd=folder, env=environment(folder), stdout=pipe, stderr=pipe
    )
    assert daemon.stderr is not None
    said: dict[str, str] = {}
    while "or with number and PIN" not in said:
        what, _, rest = (await daemon.stderr.readline()).decode().strip().partition(": ")
        said[what.partition(",")[0]] = rest
    began = time.monotonic()
    async with httpx.AsyncClient() as first:
        cookies = (await first.get(said["sign in once"])).cookies
    cookie = "=".join(next(iter(cookies.items())))
    async with AsyncExitStack() as stack:
        people = [asyncio.ensure_future(browse(said["console"], cookie, came)) for _ in range(browsers)]
        people.append(asyncio.ensure_future(ask(said["console"], came)))
        if flood:
            await stack.enter_async_context(flooded(broker, came))
        _, err = await daemon.communicate()
        came.seconds = time.monotonic() - began
    for one in people:
        one.cancel()
    await asyncio.gather(*people, return_exceptions=True)
    assert daemon.returncode == 0, err.decode()
    _read(folder / "journal", came)
    return came


def _read(journal: Path, came: Came) -> None:
    before: dict[str, int] = {}  # what a device had to tell already when the daemon came to it
    with Reader(journal) as reader:
        for entry in reader.entries():
            if entry.kind in TROUBLE:
                came.troubles[entry.kind] += 1
            if entry.kind == "device":
                before.setdefault(entry.body["place"], entry.body["newest"])
            if entry.kind == "event" and entry.body["code"] == EventCode.COMMS_LOST:
                came.silent += entry.body["seq"] > before[entry.body["place"]]
            if entry.kind == "answer":
                came.by[str(entry.body["by"])] += 1
            counted = entry.body.get("counted")
            if isinstance(counted, Mapping):
                came.link.update({name: counted.get(name, 0) for name in LINK})


def main(words: list[str]) -> int:
    """Without them, then with them. 0 where nothing was that must not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browsers", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--speed", default="max")
    given = parser.parse_args(words)
    wrong, plain = 0, None
    for browsers, flood in ((0, False), (given.browsers, False), (given.browsers, True)):
        with tempfile.TemporaryDirectory() as name:
            (folder := Path(name) / "table").mkdir()
            broker = Broker(Path(name) / "broker")
            broker.start()
            try:
                came = asyncio.run(play(folder, broker, browsers, given.rounds, flood=flood, speed=given.speed))
            finally:
                broker.stop()
        pace = {"browsers": browsers, "flood": flood, "rounds_per_s": round(came.rounds / came.seconds, 2)}
        plain = plain or came
        faults = came.faults + ([] if came.by == plain.by else ["others answered than without them"])
        print(json.dumps(pace | vars(came)), *faults, sep="\n", flush=True)
        wrong += bool(faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
