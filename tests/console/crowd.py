"""Ten browsers at a table that plays as fast as it can: `python -m tests.console.crowd [BROWSERS] [ROUNDS]`.

Each follows the stream and fetches the dealer's part at every event, as the page's script does. Prints rounds per
second with and without them, and what the links counted. The devices must not notice: no frame is sent again, and no
gate is shut.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import httpx

from shoectl.journal import Reader
from tests.endtoend.runs import SHOECTL, environment


@dataclass
class Came:
    """What a run came to."""

    rounds: int
    seconds: float
    events: int = 0
    fetched: int = 0
    slowest_ms: float = 0.0
    troubles: int = 0
    link: dict[str, int] | None = None


async def browse(address: str, link: str, came: Came) -> None:
    """One browser, until the daemon ends."""
    async with httpx.AsyncClient(base_url=address, timeout=20) as client:
        client.cookies.set(*link.split("=", 1))
        async with client.stream("GET", "/api/v1/stream") as stream:
            async for text in stream.aiter_lines():
                if text.startswith("data:"):
                    came.events += 1
                    began = time.monotonic()
                    answer = await client.get("/parts/dealer")
                    came.fetched += answer.status_code == 200
                    came.slowest_ms = max(came.slowest_ms, (time.monotonic() - began) * 1000)


async def play(browsers: int, rounds: int) -> Came:
    """Rounds with so many browsers, over real terminals."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = ["run", "--sim", "--seed", "5", "--speed", "max", "--json", "--rounds", str(rounds)]
        words += ["--journal", str(folder / "journal")]
        daemon = await asyncio.create_subprocess_exec(
            *SHOECTL, *words, cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert daemon.stderr is not None
        said: dict[str, str] = {}
        while "or with number and PIN" not in said:
            what, _, rest = (await daemon.stderr.readline()).decode().strip().partition(": ")
            said[what.partition(",")[0]] = rest
        began, came = time.monotonic(), Came(rounds, 0.0)
        async with httpx.AsyncClient() as first:
            cookies = (await first.get(said["sign in once"])).cookies
        cookie = "=".join(next(iter(cookies.items())))
        people = [asyncio.ensure_future(browse(said["console"], cookie, came)) for _ in range(browsers)]
        await daemon.communicate()
        came.seconds = time.monotonic() - began
        await asyncio.gather(*people, return_exceptions=True)
        assert daemon.returncode == 0
        link: Counter[str] = Counter()
        with Reader(folder / "journal") as reader:
            for entry in reader.entries():
                came.troubles += entry.kind in ("irregularity", "alarm", "hold")
                if entry.kind == "link":
                    link.update(
                        {k: v for k, v in entry.body["counted"].items() if k in ("resends", "dropped", "resets")}
                    )
        came.link = dict(link)
        return came


def main(words: list[str]) -> None:
    """Without browsers, then with them."""
    browsers, rounds = (int(words[0]) if words else 10), (int(words[1]) if len(words) > 1 else 60)
    for count in (0, browsers):
        came = asyncio.run(play(count, rounds))
        print(json.dumps({"browsers": count, "rounds_per_s": round(came.rounds / came.seconds, 2)} | vars(came)))


if __name__ == "__main__":
    main(sys.argv[1:])
