"""Every family's link over the bus: its simulated device, its own plug, the transport that takes it from there."""

from __future__ import annotations

import asyncio

import pytest

from protocols.family import Verb, families
from protocols.link import LinkEvent, Received, Side
from protocols.message import Request, Response
from tests.transports.hosts import Host, until
from tests.transports.simulated import on_a_bus

ADDRESSES = {"birch": {"address": 3}}


@pytest.mark.parametrize("name", families())
async def test_a_link_comes_up_over_the_bus_and_a_question_is_answered(name: str) -> None:
    family, loop = families()[name], asyncio.get_running_loop()
    link = family.make_link(Side.HOST, **ADDRESSES.get(name, {}))
    events: list[LinkEvent] = []

    async def keep_going(transport: Host) -> None:
        while True:
            events.extend(link.tick(loop.time()))
            if data := link.output(loop.time()):
                transport.transport.write(data)
            await asyncio.sleep(0.002)

    def answers() -> list[Response]:
        messages = [event.message for event in events if isinstance(event, Received)]
        return [message for message in messages if isinstance(message, Response) and message.type == asked]

    async with on_a_bus(name) as bus:
        host = Host(bus.url(name))
        await host.transport.open(lambda data: events.extend(link.receive(data, loop.time())), host.losses.append)
        link.open(loop.time())
        link.read_events_after(0)
        going = asyncio.create_task(keep_going(host))
        await until(lambda: link.up)
        asked = family.verbs[Verb.IDENT]
        link.send(Request(asked, 1, {}), loop.time())
        await until(answers)
        assert answers()[0].body["serial"] == bus.table.machines[name].unit.serial
        assert host.losses == []
        going.cancel()
        await host.transport.close()
