"""The bus without a broker: what a table would publish is heard as it is handed over, and commands come as messages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from aiomqtt import Message
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoectl.devices.station import Station
from shoectl.disk import Disk
from shoectl.mqtt.availability import Availability
from shoectl.mqtt.connection import Link
from shoectl.mqtt.intake import Intake
from shoectl.mqtt.memory import Memory
from shoectl.mqtt.outbox import Outbox
from shoectl.mqtt.retained import Revisions
from shoectl.mqtt.session import Session
from shoectl.mqtt.settings import Pace
from shoectl.mqtt.topics import Topics
from shoectl.people.persons import Operators
from shoectl.table.desk import Desk
from shoectl.table.runner import Runner

TOPICS = Topics("main", "table")
PACE = Pace(telemetry=0.2, breath=0.002, farewell=1.0)  # virtual seconds: a round takes about half of one
Heard = Callable[[str, bytes], None]


class Wire:
    """Stands where `Link` does, at a broker that takes everything at once."""

    dropped = 0

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._came: asyncio.Queue[Message] = asyncio.Queue()
        self._sent = 0

    @property
    async def messages(self) -> AsyncIterator[Message]:
        """Commands as they come."""
        while True:
            yield await self._came.get()

    async def deliver(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """QoS 1."""
        self._heard(topic, payload)

    async def publish(self, topic: str, payload: bytes, qos: int, *, properties: Properties | None = None) -> None:
        """QoS 0."""
        self._heard(topic, payload)

    async def listen(self, topic: str) -> None:
        """All that is ours is handed over anyway."""

    async def unsubscribe(self, topic: str) -> None:
        """Nothing floods this one."""

    def command(
        self, name: str, fields: Mapping[str, Any], *, by: str = "dealer", retain: bool = False, age_s: float = 0.0
    ) -> None:
        """Somebody publishes a command and wants an answer."""
        self._sent += 1
        issued = datetime.fromtimestamp(time.time() - age_s, UTC).isoformat()
        said = {"id": f"{issued[:19]}-{self._sent}", "issued_at": issued, "by": by}
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic = f"{TOPICS.base}reply/{name}"
        payload = json.dumps({**said, **fields}).encode()
        self._came.put_nowait(Message(f"{TOPICS.base}cmd/{name}", payload, 1, retain, self._sent, properties))


class Bus:
    """A daemon's session on the bus, with everything that the program has for it."""

    def __init__(self, runner: Runner[Any], stations: Mapping[str, Station], journal: Path, heard: Heard) -> None:
        self.wire = Wire(heard)
        self._runner, self._stations, self._journal = runner, stations, journal

    async def run(self) -> None:
        """Until it is cancelled."""
        disk = Disk("bus")
        with contextlib.ExitStack() as opened:
            opened.callback(disk.end)
            # opened by the thread that uses them, and closed after it has ended
            memory = await disk.do(Memory, self._journal.with_name("journal-bus"))
            outbox = await disk.do(Outbox, self._journal)

            async def remember(id: str) -> bool:
                return await disk.do(memory.remember, id)

            cursor = await disk.do(outbox.fits, await disk.do(memory.cursor))
            life = await disk.do(memory.next_life, time.time())
            session = Session(
                self._runner,
                self._stations,
                TOPICS,
                PACE,
                disk=disk,
                memory=memory,
                outbox=outbox,
                cursor=cursor,
                availability=Availability("0123456789abcdef", "1.2.3", Revisions(life)),
                intake=Intake(Desk(self._runner), TOPICS, Operators(lambda: self._runner.state.operators), remember),
            )
            link = cast("Link", self.wire)
            try:
                await session.begin(link)
                await session.run(link)
            finally:
                await session.farewell(link, lost=False)
                disk.end()
                outbox.close()
                memory.close()
