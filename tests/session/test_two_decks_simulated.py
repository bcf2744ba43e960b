"""Two decks at whole simulated tables: what the journal says is what was, and no card is ever in the other deck."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoectl.games.dealing import Dealing
from shoectl.table.runner import Runner
from shoectl.table.state import Deck, Equipment, ShoeKind, ShufflerKind, TableState
from tests.timeloop import virtual

from .bench import Bench
from .scenes import LIMITS, two_decks

BOTH = ("alder", "birch")


def table(devices: tuple[str, ...] = BOTH, there: bool = True, **changes: Any) -> TableState:
    equipment = Equipment(ShufflerKind(), ShoeKind() if "birch" in devices else None)
    dealing = Dealing.MANUAL if "birch" in devices else Dealing.HAND
    return replace(two_decks(equipment, there=there), seats=(1, 2, 3, 4), limits=LIMITS, dealing=dealing, **changes)  # type: ignore[arg-type]


async def played(
    folder: Path, *faults: str, rounds: int = 4, devices: tuple[str, ...] = BOTH, seed: int = 1, **changes: Any
) -> tuple[Bench, Runner[TableState]]:
    bench = Bench(folder, table(devices, **changes), *faults, devices=devices, seed=seed)
    return bench, await bench.play(rounds)


def whole(bench: Bench) -> None:
    """Cards are where the journal says; each deck is whole, in one place, and of one colour."""
    journal, truth = bench.journal_deals(), bench.true_deals()
    assert [place for place, _ in journal] == [place for place, _ in truth]
    assert all(face in (None, card) for (_, face), (_, card) in zip(journal, truth, strict=True))
    lies: dict[tuple[str, int, str], str] = {}
    for line in map(json.loads, bench.truth.read_text().splitlines()):
        lies[line["card"], line["copy"], line["back"]] = line["to"]
    there = Counter((place, back) for (_, _, back), place in lies.items() if place not in ("off", "floor"))
    rack = [(place, back) for place, back in there if place == "rack"]
    assert len(rack) <= 1, there


def decks_dealt(bench: Bench) -> list[set[str]]:
    """The backs of the cards that were dealt from the shoe or the hand, round by round."""
    rounds: list[set[str]] = []
    for line in map(json.loads, bench.truth.read_text().splitlines()):
        filled = line["from"] == "hand" and line["to"] == "birch.shoe"
        if filled and (not rounds or line["back"] not in rounds[-1]):
            rounds.append({line["back"]})
    return rounds


@pytest.mark.parametrize(("devices", "there"), [(BOTH, True), (BOTH, False), (("alder",), True)])
@virtual
async def test_every_card_of_the_journal_is_the_one_that_was_dealt(
    tmp_path: Path, devices: tuple[str, ...], there: bool
) -> None:
    bench, runner = await played(tmp_path, devices=devices, rounds=8, there=there)
    assert ("bring_deck" in bench.asked()) is not there
    whole(bench)
    assert runner.state.rounds_played == 8
    assert "take_out" not in bench.asked()
    takes = [step["deck"] for step in bench.steps() if step["do"] == "take_deck"]
    assert takes == [0, 1] * 4
    if "birch" in devices:
        assert decks_dealt(bench) == [{"red"}, {"blue"}] * 4


FAULTS = [
    "alder:jam@card=31",
    "alder:jam@card=31,cycle=2",
    "alder:missing@cycle=2",
    "alder:extra@cycle=3",
    "alder:sort@cycle=2",
    "alder:panel",
    "alder:gap@event=14",
    "alder:power_cut@card=31,cycle=2",
    "alder:lying_count@out=-1,cycle=3",
    "alder:reply_lost@frame=19",
    "birch:unreadable@draw=3",
    "birch:early_draw",
    "birch:overdraw@draw=25",
    "birch:power_cut@card=12",
    "birch:gap@event=13",
    "birch:hang_up@frame=60",
    "birch:lying_count@rest=-1",
]


@pytest.mark.parametrize("fault", FAULTS)
@virtual
async def test_a_table_gets_over_a_fault_and_still_knows_every_card(tmp_path: Path, fault: str) -> None:
    bench, runner = await played(tmp_path, fault)
    whole(bench)
    assert runner.state.rounds_played == 4


@virtual
async def test_a_program_that_dies_at_any_entry_goes_on_with_the_same_cards(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    first, _ = await played(tmp_path / "whole", rounds=3, seed=3)
    for at in range(4, first.entries[-1].n, 17):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        bench = Bench(folder, table(), devices=BOTH, seed=3)
        await bench.play(3, die_at=at)
        runner = await bench.play(3)
        whole(bench)
        assert runner.state.rounds_played == 3
        assert bench.journal_deals() == first.journal_deals(), at


@virtual
async def test_burnt_cards_go_to_the_rack_unseen(tmp_path: Path) -> None:
    bench, runner = await played(tmp_path, rounds=2, house={"burn_cards": 2})
    burnt = [place for place, _ in bench.journal_deals() if place == "burn"]
    assert len(burnt) == 4
    assert bench.table.state()["places"].get("burn") is None
    assert runner.state.rounds_played == 2


@virtual
async def test_a_house_that_always_cuts_cuts_each_deck_once(tmp_path: Path) -> None:
    bench, _ = await played(tmp_path, rounds=3, house={"cut": "always"})
    whole(bench)
    assert bench.asked().count("cut_deck") == 3


def test_the_second_deck_is_another_one() -> None:
    assert table().decks == (Deck(0), replace(table().decks[1], number=1, back="blue"))
