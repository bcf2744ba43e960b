"""After a jam, a stall, a restart: in = out + inside + rack. The totals of the device are held against the journal, and
whoever took a card meanwhile is found out, at once and not at the end of the round.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shoectl.journal import Entry
from tests.session.test_simulated import table
from tests.timeloop import virtual

from . import invariants
from .world import World

When = Callable[[World], bool]
CARDS = 52
BLINK_S = 0.01  # from a movement of a card to the look at it: less than a device takes to start again
UNTOLD = Path("no truth")  # of a card that a hand has moved no journal tells


def at(step: str) -> When:
    def look(world: World) -> bool:
        return world.runner.open is not None and world.runner.open.step.do == step

    return look


def held(world: World) -> bool:
    step = world.runner.open
    return step is not None and step.holding is not None and step.holding.word is None


def unpowered(device: str) -> When:
    return lambda world: world.table is not None and world.table.machines[device].device is None


def struck(world: World) -> bool:
    return world.table is not None and bool(world.table.plan.fired)


@dataclass
class Watcher:
    """Takes a card from a pile when it is time to (`takes`); adds up what there is whenever the shoe is to be closed or
    a deck to be presented.
    """

    when: When
    pile: str
    takes: bool
    struck: int = 0  # the journal's last entry when it was time
    sums: list[int] = field(default_factory=list)

    async def beside(self, world: World) -> None:
        """Beside a daemon: looks when the table has changed, and between any two movements of cards."""
        assert world.table is not None
        world.table.world.watch(lambda place: self._moved(world))
        world.runner.listen(lambda: self._look(world))
        await asyncio.Event().wait()

    def _moved(self, world: World) -> None:
        if not self.struck and world.table is not None:
            world.table.clocks.moves.after(BLINK_S, lambda: self._look(world))

    def _look(self, world: World) -> None:
        if world.table is None:
            return
        cards = world.table.world
        if not self.struck and self.when(world) and cards.cards(self.pile):
            self.struck = world.runner.journal.last
            if self.takes:
                cards.move(cards.cards(self.pile)[-1], "off", by="somebody")
        shoe, shuffler = (world.table.machines[name].device for name in ("birch", "alder"))
        if self.struck and at("close_shoe")(world) and shoe is not None:
            inside = sum(count for count, _ in shoe.zones()[:2])  # as it tells: what lies in it and in its mouth
            self.sums.append(world.runner.course.layout.dealt() + inside)  # on the table and in the rack
        if self.struck and at("present_deck")(world) and shuffler is not None:
            self.sums.append(sum(count for count, _ in shuffler.zones()))


FAULTS = [
    ("birch:motor_stall@stays=1", held, "birch.shoe", "that makes 51"),
    ("birch:power_cut@card=7", unpowered("birch"), "birch.shoe", "it restarted"),
    ("alder:jam@card=31,tries=2", struck, "alder.rack", "counted 51"),
    ("alder:jam@card=31", at("take_out"), "alder.rack", "counted 51"),
    ("alder:power_cut@card=31", struck, "alder.infeed", "counted 51"),
]


async def played(folder: Path, fault: str, watcher: Watcher, rounds: int) -> World:
    world = World(folder, table(), (fault,), seed=3, disturb=watcher.beside)
    await world.play(rounds)
    assert world.stopped is None
    assert watcher.struck
    return world


def said(entry: Entry) -> str:
    """What the journal says of trouble, whichever kind of entry it is in."""
    match entry.kind:
        case "alarm" | "irregularity":
            return str(entry.body["text"])
        case "answer":
            return str(entry.body["answer"].get("reason", ""))
    return ""


@pytest.mark.parametrize(("fault", "when", "pile", "words"), FAULTS, ids=[one[0] for one in FAULTS])
@virtual
async def test_a_balance_that_adds_up_after_trouble_is_no_news(
    tmp_path: Path, fault: str, when: When, pile: str, words: str
) -> None:
    watcher = Watcher(when, pile, takes=False)
    world = await played(tmp_path, fault, watcher, rounds=1)
    entries = invariants.hold(world.journal, world.truth)
    assert set(watcher.sums) == {CARDS}
    assert not [entry for entry in entries if words in said(entry)]
    assert not [entry for entry in entries if entry.kind == "alarm"]
    asked = {entry.body["step"]["do"] for entry in entries if entry.kind == "step"}
    assert not asked & {"remove_deck", "count"}


@pytest.mark.parametrize(("fault", "when", "pile", "words"), FAULTS, ids=[one[0] for one in FAULTS])
@virtual
async def test_a_balance_that_does_not_add_up_after_trouble_is_named_before_another_card_counts(
    tmp_path: Path, fault: str, when: When, pile: str, words: str
) -> None:
    watcher = Watcher(when, pile, takes=True)
    world = await played(tmp_path, fault, watcher, rounds=2)
    entries = invariants.hold(world.journal, UNTOLD)
    named = next(entry.n for entry in entries if words in said(entry))
    after = [entry for entry in entries if entry.kind == "step" and entry.n > watcher.struck]
    last = next(entry.n for entry in after if entry.body["step"]["do"] in ("close_shoe", "wagers"))
    assert watcher.struck < named < last
    assert "remove_deck" in {entry.body["step"]["do"] for entry in after}
