"""Cards are out of the shuffler when every fault is cleared as well: one left open would refuse the next shuffle."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocols.vocabulary import EventCode
from shoectl.cards import Card
from shoectl.table.openstep import OpenStep
from tests.timeloop import virtual

from .devices import Alder
from .table import Scene


class Forgetful(Alder):
    """Says that it is empty when its cards are out, whatever faults are still open; some stay for a while."""

    def __init__(self, code: EventCode) -> None:
        super().__init__()
        self.code = code
        self.stays = False

    def feed(self, cards: list[Card]) -> None:
        super().feed(cards)
        if not self.cycle and not self.open:
            self.cycle = 1
            self.fault(self.code, **{"in": 52, "out": 51, "expected": 52})

    def take_out(self) -> list[Card]:
        cards = super().take_out()
        self.enter("EMPTY")
        return cards

    def sensed(self, code: int) -> bool:
        return self.stays


@pytest.mark.parametrize("code", [EventCode.COUNT_MISMATCH, EventCode.JAM, EventCode.RESIDUAL])
@virtual
async def test_a_fault_left_open_in_an_empty_shuffler_is_cleared_before_the_next_shuffle(
    tmp_path: Path, code: EventCode
) -> None:
    scene = Scene(tmp_path, alder=Forgetful(code))
    runner = await scene.play()
    assert scene.asked(runner).count("take_out") == 1
    assert scene.asked(runner).count("start_shuffle") == 2
    assert scene.alder.open == {}
    scene.check()


@virtual
async def test_a_fault_that_stays_in_an_empty_shuffler_is_told_to_people_and_the_step_waits(tmp_path: Path) -> None:
    alder = Forgetful(EventCode.COUNT_MISMATCH)
    alder.stays = True
    texts: list[str] = []

    async def people(scene: Scene, step: OpenStep) -> None:
        assert step.holding is not None
        texts.append(step.holding.text)
        alder.stays = False
        await scene.runner.give_held(step.ref, "go on", by=("dealer",))

    scene = Scene(tmp_path, alder=alder, holds=people)
    runner = await scene.play()
    assert len(texts) == 1
    assert "take all cards out and count them" in texts[0]
    assert scene.asked(runner).count("take_out") == 1
    scene.check()
