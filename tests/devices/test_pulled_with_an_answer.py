"""A plug that goes in the very moment in which an answer comes: whoever waited for it gets both at once."""

import asyncio
from dataclasses import dataclass

import pytest

from protocols.family import families
from protocols.piece import pieces
from shoectl.devices.places import Place, occupy
from shoectl.transports import Transport, TransportError, open_transport
from shoectl.transports.base import Lost, Received
from tests.devices.notes import Notes
from tests.timeloop import run

WITHIN_S = 30.0
LISTENED_S = 3.0
MOST = 200


@dataclass
class Pull:
    """The plug goes once, right after so many pieces were heard, before anybody who waits has had a turn."""

    left: int
    in_pieces: bool

    def parts(self, data: bytes) -> list[bytes]:
        """What is heard at once, apart: another time it may come alone."""
        return [piece.encode() for piece in pieces(data)] if self.in_pieces else [data]

    def make(self, url: str) -> Transport:
        return Pulled(open_transport(url), self)


class Pulled(Transport):
    def __init__(self, port: Transport, pull: Pull) -> None:
        self._port, self._pull, self._gone = port, pull, False

    async def open(self, received: Received, lost: Lost) -> None:
        def heard(data: bytes) -> None:
            for part in self._pull.parts(data):
                if self._gone:
                    return
                self._pull.left -= 1
                self._gone = self._pull.left == 0
                received(part)
                if self._gone:
                    lost(TransportError("the port was lost", "check the plug"))

        await self._port.open(heard, lost)

    def write(self, data: bytes) -> None:
        if not self._gone:
            self._port.write(data)

    async def close(self) -> None:
        await self._port.close()


async def came_back(family: str, at: int) -> bool:
    """Whether there was so much to hear. Raises TimeoutError where the station does not take its device again."""
    pull, notes = Pull(at, in_pieces=family in ("cedar", "dogwood")), Notes()
    station = occupy([Place("device", f"sim:{family}?seed=7", family)], notes, make=pull.make)["device"]
    async with asyncio.TaskGroup() as group:
        task = group.create_task(station.run())
        for pause in (LISTENED_S, 0.0):  # it may go before the station is ready, and after that
            async with asyncio.timeout(WITHIN_S):
                await station.ready()
            await asyncio.sleep(pause)
        task.cancel()
    assert notes.alarms == []
    return pull.left <= 0


@pytest.mark.parametrize("family", sorted(families()))
def test_a_plug_that_goes_with_an_answer_is_noticed_whichever_answer_it_is(family: str) -> None:
    at = 1
    while run(came_back(family, at)):
        at += 1
        assert at < MOST
    assert at > 5
