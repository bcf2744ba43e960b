"""A listener with a session that the broker keeps; it comes back whenever the broker does.

`python -m tests.mqtt.listener HOST PORT CA USER PASSWORD FILTER` prints what it hears, a JSON line a message: for
measurements, in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from .broker import PASSWORDS, WATCHER, Broker


@dataclass(frozen=True)
class Heard:
    """A message."""

    topic: str
    payload: bytes
    retained: bool
    properties: Any = None

    @property
    def json(self) -> Any:
        """What it says."""
        return json.loads(self.payload)


def client(port: int, ca: Path, user: str, password: str, name: str | None = None, **more: Any) -> aiomqtt.Client:
    """A client as users of the bus have one; with a name its session is kept."""
    properties = Properties(PacketTypes.CONNECT)
    if name is not None:
        properties.SessionExpiryInterval = 3600
    return aiomqtt.Client(
        "127.0.0.1",
        port,
        username=user,
        password=password,
        identifier=name,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=name is None,
        properties=properties,
        tls_context=ssl.create_default_context(cafile=str(ca)),
        **{"timeout": 30, **more},
    )


def as_user(broker: Broker, user: str, name: str | None = None, **more: Any) -> aiomqtt.Client:
    """A client of one of the broker's users."""
    return client(broker.port, broker.authority.ca, user, PASSWORDS[user], name, **more)


class Listener:
    """Keeps what it hears, in order."""

    def __init__(self, make: Callable[[], aiomqtt.Client], topics: str = "shoectl/#") -> None:
        self._make, self._topics = make, topics
        self.heard: list[Heard] = []
        self.there = asyncio.Event()
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            with contextlib.suppress(aiomqtt.MqttError):
                async with self._make() as one:
                    await one.subscribe(self._topics, qos=1)
                    self.there.set()
                    async for message in one.messages:
                        self._take(message)
            self.there.clear()
            await asyncio.sleep(0.05)

    def _take(self, message: aiomqtt.Message) -> None:
        said = Heard(message.topic.value, bytes(message.payload), message.retain, message.properties)
        self.heard.append(said)
        self._news.set()

    def at(self, end: str) -> list[Heard]:
        """What was heard at the topic with this end."""
        return [one for one in self.heard if one.topic.endswith("/" + end)]

    def events(self) -> dict[int, Any]:
        """The journal's entries as they came, each once; two that differ under one number are a fault."""
        found: dict[int, Any] = {}
        for one in self.at("events"):
            said = one.json
            assert found.setdefault(said["seq"], said) == said, f"{said['seq']} was told in two ways"
        return found

    async def until(self, holds: Callable[[], Any], within: float = 40.0) -> None:
        """Wait until something holds of what was heard."""
        async with asyncio.timeout(within):
            while not holds():
                self._news.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await self._news.wait()


@contextlib.asynccontextmanager
async def listening(broker: Broker, user: str = WATCHER, topics: str = "shoectl/#", name: str | None = None) -> Any:
    """A listener for the time of the block, there when it begins."""
    one = Listener(lambda: as_user(broker, user, name), topics)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(one.run())
        async with asyncio.timeout(30):
            await one.there.wait()
        try:
            yield one
        finally:
            task.cancel()


async def main(words: list[str]) -> None:
    """From the command line."""
    host, port, ca, user, password, topics = words
    assert host == "127.0.0.1"
    # a broker that ends in the middle of a connection is not noticed before the time is over
    name = "shoectl-test-listener"
    one = Listener(lambda: client(int(port), Path(ca), user, password, name, timeout=2), topics)
    printed = 0

    async def show() -> AsyncIterator[None]:
        nonlocal printed
        while True:
            for said in one.heard[printed:]:
                line = {"at": time.monotonic(), "topic": said.topic, "retained": said.retained, "said": said.json}
                print(json.dumps(line))
            one.heard.clear()
            sys.stdout.flush()
            await asyncio.sleep(0.05)
            yield

    async with asyncio.TaskGroup() as group:
        group.create_task(one.run())
        await one.there.wait()
        print(json.dumps({"ready": True}), flush=True)
        async for _ in show():
            pass


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(sys.argv[1:]))
