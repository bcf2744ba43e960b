"""A device that is away for long: people are told what its condition is, and can always end it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from shoectl.table.holds import away, is_away
from shoectl.table.openstep import OpenStep
from tests.timeloop import virtual

from .devices import Station
from .table import Scene

GONE = "waiting for the port: /dev/shoe is not there"
OTHER = "refused: BI000009 is not BI000003, which belongs here"
BLOCKED = "stopped: BI000003: event 25 came again with other content; call service"
TIMES = (6.0, 20.0)  # when the condition changes, in s after the link went


@pytest.mark.parametrize(
    ("condition", "how", "words"),
    [
        (GONE, "lost", "does not answer (waiting for the port: /dev/shoe is not there): wait until it does"),
        ("online", "lost", "the shoe does not answer: wait until it does"),
        (OTHER, "refused", "the shoe is refused: BI000009 is not BI000003, which belongs here: see to that"),
        (BLOCKED, "stopped", "the shoe is stopped: BI000003: event 25 came again with other content; call service"),
    ],
)
def test_a_hold_for_a_device_that_is_away_says_what_is_the_matter_with_it(condition: str, how: str, words: str) -> None:
    said = away("shoe", condition)
    assert said[0] == how
    assert words in said[1]
    assert said[1].endswith("or give the step up")
    assert is_away(f"shoe {how} 3, 1")


def test_other_holds_are_none_for_a_device_that_is_away() -> None:
    assert not any(map(is_away, ("refused, 1", "fault 17, 2", "shoe lid, 1", "unreadable 4, 1")))


def goes_away(*conditions: str) -> Callable[[Scene], None]:
    """The shoe's link goes in the deal for a minute; the conditions follow one another."""

    def prepare(scene: Scene) -> None:
        def before(station: Station) -> None:
            step = scene.runner.open
            if not scene.record_of and step is not None and step.step.do == "deal":
                scene.record_of.append("gone")
                station.away = 60
                station.condition = conditions[0]
                for at, condition in zip(TIMES, conditions[1:], strict=False):
                    asyncio.get_running_loop().call_later(at, tell, station, condition)
                station.lose()

        def tell(station: Station, condition: str) -> None:
            station.condition = condition
            scene.runner.changed(station.name)

        scene.shoe.before = before

    return prepare


def words(scene: Scene) -> list[tuple[str, str]]:
    return [(one.body["reason"], one.body["how"]) for one in scene.entries if one.kind == "held"]


@virtual
async def test_every_way_of_being_away_is_told_and_all_end_when_the_device_answers(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.play(prepare=goes_away(GONE, OTHER, GONE))
    scene.check()
    told = [one.body["text"] for one in scene.entries if one.kind == "hold"]
    assert len(told) == 2
    assert GONE in told[0]
    assert OTHER in told[1]
    back = "it answers again"
    assert words(scene) == [("shoe lost 1, 1", back), ("shoe refused 1, 1", back)]
    assert scene.irregularities() == []


@virtual
async def test_who_says_go_on_to_a_device_that_is_still_away_is_asked_again_and_can_give_it_up(tmp_path: Path) -> None:
    said: list[str] = []

    async def say(scene: Scene, step: OpenStep) -> None:
        said.append("go on" if len(said) < 2 else "give up")
        await scene.runner.give_held(step.ref, said[-1], by=("floor",))

    scene = Scene(tmp_path, holds=say)
    await scene.play(prepare=goes_away(BLOCKED))
    scene.check()
    assert [how for _, how in words(scene)][:3] == ["go on", "go on", "give up"]
    assert scene.irregularities()[0] == "device failed"
