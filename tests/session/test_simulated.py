"""Whole tables of simulated devices, cards, dealer and players, in virtual time: what the journal says is what was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shoectl.games.answers import Decision
from shoectl.games.dealing import Dealing
from shoectl.games.steps import Ask
from shoectl.table import players
from shoectl.table.carrying import Carrier
from shoectl.table.runner import Runner
from shoectl.table.state import Equipment, ShoeKind, ShufflerKind, TableState
from tests.timeloop import virtual

from .bench import Bench
from .scenes import LIMITS

BOTH = ("alder", "birch")
MIXING = Equipment(ShufflerKind(True, True, "cedar"), ShoeKind(True, True, "cedar", mixes=True, packets=True))


def table(devices: tuple[str, ...] = BOTH, **changes: object) -> TableState:
    equipment = Equipment(
        ShufflerKind() if "alder" in devices else None,
        ShoeKind() if {"birch", "dogwood"} & set(devices) else None,
    )
    dealing = Dealing.MANUAL if equipment.shoe else Dealing.HAND
    if "cedar" in devices:
        equipment, dealing = MIXING, Dealing.AUTOMATED
    state = TableState("lunar-poker", (1, 2, 3, 4), {}, LIMITS, dealing, equipment)
    return replace(state, **changes)  # type: ignore[arg-type]


async def played(
    folder: Path, *faults: str, rounds: int = 2, devices: tuple[str, ...] = BOTH, seed: int = 1, **changes: object
) -> tuple[Bench, Runner[TableState]]:
    bench = Bench(folder, table(devices, **changes), *faults, devices=devices, seed=seed)
    runner = await bench.play(rounds)
    return bench, runner


@pytest.mark.parametrize("devices", [BOTH, ("alder",), ("birch",)])
@virtual
async def test_every_card_of_the_journal_is_the_one_that_was_dealt(tmp_path: Path, devices: tuple[str, ...]) -> None:
    bench, runner = await played(tmp_path, devices=devices, rounds=6)
    bench.check()
    assert runner.state.rounds_played == 6
    assert ("count" in bench.asked()) is ("alder" not in devices)


@virtual
async def test_players_fold_bet_buy_and_exchange(tmp_path: Path) -> None:
    bench, runner = await played(tmp_path, rounds=12, seed=3)
    bench.check()
    chosen = {entry.body["answer"]["choice"] for entry in bench.entries if entry.body.get("takes") == "Decision"}
    assert chosen == {"fold", "bet", "buy", "exchange"}
    won = {(step["do"], step["wager"].partition(":")[0]) for step in bench.steps() if step["do"] in ("pay", "collect")}
    assert {("pay", "super"), ("collect", "super"), ("pay", "ante"), ("pay", "bet")} <= won
    assert runner.state.rounds_played == 12


@virtual
async def test_one_seed_is_one_game(tmp_path: Path) -> None:
    games = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        bench, _ = await played(tmp_path / name, seed=9)
        games.append((bench.journal_deals(), [step for step in bench.steps() if step["do"] in ("pay", "collect")]))
    assert games[0] == games[1]


FAULTS = [
    ("alder:jam@card=31", True),
    ("alder:jam@card=31,tries=2", False),
    ("alder:missing", True),
    ("alder:extra", True),
    ("alder:sort", True),
    ("alder:panel", True),
    ("alder:gap@event=6", True),
    ("alder:power_cut@card=31", True),
    ("alder:lying_count@out=-1", True),
    ("alder:reply_lost@frame=9", False),
    ("birch:unreadable@draw=3", False),
    ("birch:early_draw", False),
    ("birch:overdraw@draw=25", False),
    ("birch:power_cut@card=12", False),
    ("birch:gap@event=13", False),
    ("birch:hang_up@frame=60", False),
]


@pytest.mark.parametrize(("fault", "shuffles_again"), FAULTS, ids=[fault for fault, _ in FAULTS])
@virtual
async def test_a_table_gets_over_a_fault_and_still_knows_every_card(
    tmp_path: Path, fault: str, shuffles_again: bool
) -> None:
    bench, runner = await played(tmp_path, fault)
    bench.check()
    assert runner.state.rounds_played == 2
    said = [step["text"] for step in bench.steps() if step["do"] == "announce" and "No round starts" in step["text"]]
    gone = "remove_deck" in bench.asked()
    assert (bool(said) or gone) is shuffles_again


@pytest.mark.parametrize("house", ["rack", "void"])
@virtual
async def test_a_card_too_many_follows_the_house(tmp_path: Path, house: str) -> None:
    bench, _ = await played(tmp_path, "birch:overdraw@draw=25", house={"card_drawn_in_error": house})
    places = bench.table.state()["places"]
    assert places == {"rack": 52}


@virtual
async def test_where_everybody_exchanges_the_stub_runs_out_and_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exchange(step: Ask, *_: object) -> Decision:
        names = {choice.name for choice in step.choices}
        return Decision("exchange" if "exchange" in names else "bet")

    monkeypatch.setattr(players, "decide", exchange)
    bench, runner = await played(tmp_path, rounds=3, seed=5, seats=(1, 2, 3, 4, 5, 6, 7), house={"seats": 7})
    assert {"renew_stub", "deal_by_hand"} <= set(bench.asked())
    assert runner.state.deck.retired == ""
    bench.check()


@virtual
async def test_a_program_that_dies_at_any_entry_goes_on_with_the_same_cards(tmp_path: Path) -> None:
    whole, _ = await played(tmp_path, rounds=1, seed=3)
    for at in range(4, whole.entries[-1].n, 9):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        bench = Bench(folder, table(), devices=BOTH, seed=3)
        await bench.play(1, die_at=at)
        runner = await bench.play(1)
        bench.check()
        assert runner.state.rounds_played == 1
        assert bench.journal_deals() == whole.journal_deals(), at


@virtual
async def test_of_two_shoes_on_one_line_people_serve_the_first(tmp_path: Path) -> None:
    devices = (*BOTH, "birch@4")
    bench = Bench(tmp_path, table(devices), devices=devices)
    bench.pump.start()
    hands = Carrier(bench.ask)
    assert (await hands.name_of("shoe"), await hands.name_of("shuffler")) == BOTH[::-1]
    assert await hands.mouth() == "birch.mouth"
