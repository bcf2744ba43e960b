"""Hands that watch the tray of a shoe that mixes while it is fed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from shoectl.table.carrying import Carrier
from tests.session.test_simulated import table
from tests.timeloop import virtual

DEVICES = [{"name": "cedar", "family": "cedar"}]


def view(step: int, do: str, **fields: Any) -> Mapping[str, Any]:
    """What people see as a step is opened."""
    asked = {"ref": {"round": 3, "step": step}, "do": do, **fields}
    return {"round": 3, "record": [], "places": {}, "step": asked}


@virtual
async def test_hands_that_watched_the_tray_leave_the_packets_of_the_next_deal_alone() -> None:
    watching: list[str] = []  # movements that the simulator was asked for, and asked again while it is away

    async def ask(order: Mapping[str, Any]) -> Mapping[str, Any]:
        if order.get("do") != "take":
            return {"ok": True, "devices": DEVICES, "places": {}}
        watching.append(order["id"])
        try:
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        finally:
            watching.remove(order["id"])

    carrier, state = Carrier(ask), table(("cedar",))
    tasks: list[asyncio.Task[None]] = []

    def start(work: Any) -> asyncio.Task[None]:
        tasks.append(asyncio.ensure_future(work))
        return tasks[-1]

    carrier.start = start
    await carrier.carry(view(1, "feed_discards", place="rack", deck=0), state)
    await asyncio.sleep(1)
    assert watching == ["r3.s1.1.tray"]
    await carrier.carry(view(2, "deal", to=["seat 1"]), state)
    await asyncio.sleep(1)
    assert watching == ["r3.s2.packet1"]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
