"""`sim:` URLs: a device in this process, which stays the same one when its line is opened again."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from firmware_sim.hosts.memory import SimTransport
from protocols.family import families
from protocols.link import Link, Received, Side, Up
from protocols.message import Message, Request, Response
from tests.timeloop import virtual


class Talk:
    """A host's link over a transport, on the running loop's clock."""

    def __init__(self, url: str, family: str) -> None:
        self.transport = SimTransport(urlsplit(url))
        self.link: Link = families()[family].make_link(Side.HOST)
        self.messages: list[Message] = []
        self.boots: list[int] = []
        self.lost: list[Exception | None] = []

    async def open(self) -> None:
        await self.transport.open(self._received, self.lost.append)
        self.link.open(self._now)
        await self.until(lambda: bool(self.boots))

    async def until(self, reached: object) -> None:
        assert callable(reached)
        end = self._now + 30
        while not reached():
            assert self._now < end
            self._take(self.link.tick(self._now))
            self.transport.write(self.link.output(self._now))
            await asyncio.sleep(0.01)

    async def ask(self, type: str, **body: object) -> Response:
        self.link.send(Request(type, 7, body), self._now)
        before = len(self.messages)
        await self.until(lambda: any(isinstance(each, Response) for each in self.messages[before:]))
        return next(each for each in self.messages[before:] if isinstance(each, Response))

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _received(self, data: bytes) -> None:
        self._take(self.link.receive(data, self._now))

    def _take(self, events: list[object]) -> None:  # type: ignore[type-arg]
        for event in events:
            match event:
                case Received(message):
                    self.messages.append(message)
                case Up(resume):
                    self.boots.append(resume.boot)


@virtual
async def test_the_same_url_is_the_same_device() -> None:
    first = Talk("sim:alder?seed=7", "alder")
    await first.open()
    assert (await first.ask("CONFIG_SET", key=4, value=0, who=1)).ok
    await first.transport.close()
    await first.transport.close()
    again = Talk("sim:alder?seed=7", "alder")
    await again.open()
    assert again.boots == first.boots
    assert (await again.ask("CONFIG_GET", key=4)).body == {"value": 0}
    other = Talk("sim:alder?seed=8", "alder")
    await other.open()
    assert (await other.ask("CONFIG_GET", key=4)).body == {"value": 1}


@virtual
async def test_one_line_has_one_host() -> None:
    first, second = Talk("sim:alder", "alder"), Talk("sim:alder", "alder")
    await first.open()
    with pytest.raises(OSError, match="open already"):
        await second.open()


@virtual
async def test_a_line_that_hangs_up_is_lost_once_and_can_be_opened_again() -> None:
    talk = Talk("sim:alder?fault=alder:hang_up@frame=4", "alder")
    await talk.open()
    await talk.until(lambda: bool(talk.lost))
    await asyncio.sleep(5)
    assert talk.lost == [None]
    again = Talk("sim:alder?fault=alder:hang_up@frame=4", "alder")
    await again.open()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sim:elder", "no device"),
        ("sim:alder?speed=0", "above 0"),
        ("sim:alder?colour=red", "no option"),
        ("sim:alder?fault=flood", "no fault"),
        ("sim:birch?address=17", "2 to 15"),
    ],
)
@virtual
async def test_an_url_that_cannot_be_is_one_line(url: str, says: str) -> None:
    with pytest.raises(OSError, match=says) as caught:
        await SimTransport(urlsplit(url)).open(lambda data: None, lambda error: None)
    assert "\n" not in str(caught.value)
