"""A system that has gone mad: commands of every kind that is refused, as fast as the broker takes them.

`python -m tests.mqtt.flood PORT CA`: until it is told to end; prints how many it sent.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from shoectl.mqtt.commands import LARGEST
from shoectl.mqtt.connection import PACKET_MOST

from .broker import PASSWORDS, PIT
from .listener import client
from .malformed import MALFORMED, said
from .tables import BASE


def commands() -> Iterator[tuple[str, bytes, bool]]:
    """One of each kind: what it is named, what it says, whether it is retained."""
    yield from (("answer", payload, False) for payload in MALFORMED)
    yield from (("answer", b"x" * length, False) for length in (LARGEST, LARGEST + 1, PACKET_MOST + 1))
    yield from ((name, json.dumps(said("list")).encode(), False) for name in ("deal", "answer", "held", "report"))
    ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    wrong = (
        said("answer", issued_at=ago),
        said("answer", by="nobody"),
        said("answer", by="seat 1"),
        said("answer", step="9999999.1.0"),
        said("held", step="9999999.1.0", by="floor", how="give up"),
        said("report", step="9999999.1.0"),
    )
    yield from (("answer" if "with" in one else "report", json.dumps(one).encode(), False) for one in wrong)
    yield "answer", json.dumps(said("answer")).encode(), True


async def main(words: list[str]) -> None:
    """Send until SIGTERM."""
    ended, sent = asyncio.Event(), 0
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with client(int(words[0]), Path(words[1]), PIT, PASSWORDS[PIT], max_queued_outgoing_messages=0) as bus:
        while not ended.is_set():
            for name, payload, retained in commands():
                await bus.publish(f"{BASE}cmd/{name}", payload, qos=0, retain=retained)
                sent += 1
            await asyncio.sleep(0)
    print(sent)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
