"""The other end of the line, in a process of its own: an echo, or a shoe that reports a card now and then."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

from protocols.message import Request
from protocols.vocabulary import EventCode
from shoectl.cards import STANDARD
from shoectl.devices.faces import byte_of
from tests.devices.scripted import Answer, birch

BETWEEN_S = 0.02
SETTLE_S = 3.0  # until the host has found the shoe, or has fetched the last card


def echo(fd: int) -> None:
    while data := os.read(fd, 64):
        os.write(fd, data)


async def shoe(fd: int, cards: int) -> None:
    """Report `cards` cards, then print when the last byte of each left, as [[seq, monotonic ns], ...]."""
    device = birch()
    left: list[tuple[int, int]] = []
    leaving: list[int] = []

    def say(data: bytes) -> None:
        os.write(fd, data)
        if data:
            now = time.monotonic_ns()
            left.extend((seq, now) for seq in leaving)
            leaving.clear()

    def read(request: Request) -> Answer | None:
        answer = device._plain(request)
        told: Any = answer[1].get("events", ())
        known = {seq for seq, _ in left}
        leaving[:] = [event.seq for event in told if event.seq not in known]
        return answer

    device.answers["READ_EVENTS"] = read
    device.power_on(say)
    asyncio.get_running_loop().add_reader(fd, lambda: device.received(os.read(fd, 4096)))
    await asyncio.sleep(SETTLE_S)
    for idx in range(1, cards + 1):
        device.event(EventCode.CARD_DRAWN, **card(idx))
        await asyncio.sleep(BETWEEN_S)
    await asyncio.sleep(SETTLE_S)
    print(json.dumps(left), flush=True)
    await asyncio.sleep(60)


def card(idx: int) -> dict[str, int]:
    face = byte_of(STANDARD[idx % len(STANDARD)])
    return {"idx": idx, "card": face, "quality": 99, "dwell_ms": 40}


if __name__ == "__main__":
    what, descriptor, *rest = sys.argv[1:]
    if what == "echo":
        echo(int(descriptor))
    else:
        asyncio.run(shoe(int(descriptor), int(rest[0])))
