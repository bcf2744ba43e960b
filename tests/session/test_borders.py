"""A motion that is begun in one round and awaited in another: evidence older than the round it is used in."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocols.message import Event
from protocols.vocabulary import EventCode
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.table.entries import Attached, Evidence, EvidenceRef
from shoectl.table.facts import Facts
from tests.timeloop import virtual

from .table import Scene


class Withdraws:
    """Withdraws the table once, while that step is open; lets the shuffle end before the round's border or after."""

    def __init__(self, do: str, *, ends_before: bool) -> None:
        self.do, self.ends_before = do, ends_before
        self.withdrawn = False

    def __call__(self, scene: Scene) -> None:
        step = scene.runner.open
        if step is None or step.closed:
            return
        if not self.withdrawn and step.step.do == self.do:
            self.withdrawn = True
            if self.ends_before:
                scene.alder.finish()
            trouble = Irregularity(Trouble.WITHDRAWN, text="the limits change")
            self.task = asyncio.ensure_future(scene.runner.interrupt(step.ref, trouble))
        elif self.withdrawn and step.ref.round > 1 and scene.alder.state == "FEEDING":
            scene.alder.finish()


@pytest.mark.parametrize("ends_before", [True, False])
@virtual
async def test_a_shuffle_that_ends_around_a_rounds_border_proves_the_deck_all_the_same(
    tmp_path: Path, ends_before: bool
) -> None:
    scene = Scene(tmp_path, idle=Withdraws("await_shuffle", ends_before=ends_before))
    scene.alder.ends = [{"lasts": True}]
    runner = await scene.play(2)
    asked = scene.asked(runner)
    assert runner.state.rounds_played == 1
    assert "start_shuffle" not in asked[asked.index("await_shuffle") :]
    assert scene.announced().count("no more bets") == 1
    assert not any("No round starts" in text for text in scene.announced())


def seen(*codes: EventCode, place: str = "shuffler") -> Facts:
    """What a table knows that has seen these events, one after the other, from the device of a place."""
    family = {"shuffler": "alder", "shoe": "birch"}[place]
    facts = Facts()
    facts.take_device(Attached(place, f"{family} 1", "1", family, 1, 1, 0, "1.0", 1, 0))
    for n, code in enumerate(codes, 1):
        facts.take_event(Evidence(place, f"{family} 1", 1, Event(n, 1, 0, code, {}), n))
    return facts


def carried(facts: Facts) -> list[int]:
    return [one.event.code for one in facts.carried()]


STARTED, STATE, DONE = EventCode.SHUFFLE_STARTED, EventCode.STATE, EventCode.SHUFFLE_DONE


def test_of_a_shuffle_that_is_not_judged_every_event_goes_on_into_the_next_round() -> None:
    facts = seen(STATE, STARTED, STATE, EventCode.JAM, EventCode.CLEARED, STATE)
    assert carried(facts) == [STARTED, STATE, EventCode.JAM, EventCode.CLEARED, STATE]
    judged = seen(STARTED, STATE, DONE, EventCode.CMD_DONE, STATE)
    judged.use([EvidenceRef("alder 1", 1, 3), EvidenceRef("alder 1", 1, 4)])
    assert carried(judged) == []


@pytest.mark.parametrize("code", [EventCode.POWER_UP, EventCode.DOOR, EventCode.SERVICE_PORT])
def test_what_was_done_to_a_proven_deck_before_the_border_is_not_forgotten_behind_it(code: EventCode) -> None:
    facts = seen(STARTED, DONE, code)
    facts.use([EvidenceRef("alder 1", 1, 2)])
    assert carried(facts) == [code]
    assert carried(seen(code, place="shoe")) == []  # a shoe is judged in the round in which it is dealt from
