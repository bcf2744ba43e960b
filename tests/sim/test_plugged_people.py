"""`--person auto` at a Cedar and at a Dogwood, one seed one game, the state directory, and `sim:` URLs of both."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from firmware_sim.hosts.memory import SimTransport
from protocols.family import families
from protocols.link import Link, Received, Side
from protocols.message import Request, Response
from protocols.vocabulary import Result
from tests.sim.plugged import Plugged


def test_people_serve_a_cedar_without_a_word() -> None:
    desk = Plugged("cedar", "unreadable@card=4", person="auto", seed=2)
    desk.tell("LOAD_BEGIN", profile=0, decks=1, expected=52, set_id="00" * 8)
    desk.run(5)
    desk.tell("LOAD_END")
    desk.run(0.5)
    desk.tell("PURGE_REJECT", expected=1, who=1)
    desk.run(3)
    assert desk.state() == "READY"
    desk.clear_all()
    for round in range(1, 6):
        assert desk.tell("DELIVER_PLAN", round=round, packets=({"seat": 1, "n": 5}, {"seat": 0, "n": 5})).ok
        desk.run(3)
        assert desk.result_of("SHOE_ARM", round=round, lease=5) is Result.OK
        desk.run(3)
        assert desk.state() == "READY"
        assert desk.result_of("FEED_DISCARDS", expected=0) is Result.ACCEPTED
        desk.run(3)
    while desk.cards("cedar.infeed"):
        desk.tell("FEED_DISCARDS", expected=0)
        desk.run(4)
    assert desk.counted()["verdict"] == 1
    desk.tell("UNLOAD_ALL")
    desk.run(3)
    assert (desk.state(), len(desk.cards("cedar.output"))) == ("UNLOADED", 0)


def test_people_fill_a_dogwood_and_gather_what_was_dealt() -> None:
    desk = Plugged("dogwood", person="auto", seed=2)
    desk.run(3)
    for cycle in (1, 2, 3):
        assert desk.tell("LOAD", decks=1, expected=52).body == {"cycle": cycle}
        assert desk.result_of("ARM", round=1, lease=255) is Result.OK
        assert desk.bench.until(lambda: desk.state() == "EMPTY", 60)
        desk.run(5)
        assert len(desk.cards("dogwood.shoe")) == 52
    orders = [event.body["card"] for event in desk.events() if event.name == "CARD_DRAWN"]
    assert len(orders) == 156
    assert orders[:52] != orders[52:104]


@pytest.mark.parametrize("speed", [math.inf, 40.0])
def test_one_seed_is_one_game_at_every_speed_and_through_a_restart(tmp_path: Path, speed: float) -> None:
    dealt = []
    for cut in (False, True):
        folder = tmp_path / str(cut)
        desk = Plugged("cedar", seed=9, speed=speed, state=folder)
        desk.loaded()
        if cut:
            desk.bench.table.close()
            desk = Plugged("cedar", seed=9, speed=speed, state=folder, first_id=100)
        desk.plan((1, 5))
        desk.hands("take")
        dealt.append(desk.cards("seat 1"))
        desk.bench.table.close()
    assert dealt[0] == dealt[1] == ["9c", "Jc", "Jh", "8s", "3h"]


class Cable:
    """A host's link on a transport."""

    def __init__(self, family: str) -> None:
        self.link: Link = families()[family].make_link(Side.HOST)
        self.transport = SimTransport(urlsplit(f"sim:{family}?seed=7&speed=max"))
        self.answers: list[Response] = []

    def received(self, data: bytes) -> None:
        events = self.link.receive(data, self.now)
        self.answers += [
            each.message for each in events if isinstance(each, Received) and isinstance(each.message, Response)
        ]

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def turn(self) -> None:
        self.link.tick(self.now)
        self.transport.write(self.link.output(self.now))
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("family", ["cedar", "dogwood"])
async def test_a_url_names_one(family: str) -> None:
    cable = Cable(family)
    await cable.transport.open(cable.received, lambda error: None)
    cable.link.open(cable.now)
    while not cable.link.up:
        await cable.turn()
    cable.link.send(Request("IDENT", 0), cable.now)
    while not cable.answers:
        await cable.turn()
    assert cable.answers[0].body["family"] == families()[family].code
    await cable.transport.close()
