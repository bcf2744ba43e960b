"""Birth, will and clean stop: one topic, one QoS, retained; and what sets a late will right."""

from __future__ import annotations

import asyncio

from .broker import Broker
from .listener import listening
from .tables import Table, until


async def test_field_case_69_birth_and_will_are_told_alike_and_stay(broker: Broker, table: Table) -> None:
    async with listening(broker) as early:
        async with table.life(1) as playing:
            await playing
            await early.until(lambda: early.at("status"))
        async with listening(broker) as late:
            await late.until(lambda: late.at("status"))
            assert late.at("status")[0].retained
            assert late.at("status")[0].json["reason"] == "stopped"
    assert [one.json["state"] for one in early.at("status")] == ["online", "offline"]
