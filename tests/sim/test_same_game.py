"""One seed is one game: at any speed, on any medium, and through restarts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sim.desk import Desk


def game(desk: Desk, rounds: int = 2) -> list[int]:
    """A few shuffles and deals; the faces in the order of their draws."""
    for _ in range(rounds):
        desk.shuffle()
        desk.send("alder", "PRESENT", deck=0, override_by=0)
        desk.do("take", device="alder")
        desk.load(source="hand")
        desk.arm(10)
        desk.draw([f"seat {n % 3}" for n in range(10)])
        desk.send("birch", "SHOE_CLOSE", residual=42)
        desk.settle("birch", "CMD_DONE")
        desk.do("unload", device="birch", to="rack")
        for seat in range(3):
            desk.do("move", **{"from": f"seat {seat}", "to": "rack"})
        desk.do("feed", device="alder", **{"from": "rack"})
    return desk.faces()


def test_a_seed_is_a_game_and_another_is_another() -> None:
    games = [game(Desk("alder", "birch", seed=seed)) for seed in (7, 7, 8)]
    assert games[0] == games[1] != games[2]
    assert len(games[0]) == 20


def test_speed_does_not_change_the_game() -> None:
    assert game(Desk("alder", "birch", seed=7, speed=200.0)) == game(Desk("alder", "birch", seed=7))


def test_a_power_cut_in_the_shuffle_does_not_change_the_game() -> None:
    desk = Desk("alder", "birch", seed=7, faults=("alder:power_cut@card=20,cycle=1",))
    desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.settle("alder", "POWER_UP", "STATE")
    desk.do("take_out", device="alder")
    desk.do("feed", device="alder", **{"from": "rack"})
    assert game(desk) == game(Desk("alder", "birch", seed=7))


def test_a_restart_between_rounds_does_not_change_the_game(tmp_path: Path) -> None:
    desk = Desk("alder", "birch", seed=7, state=tmp_path)
    first = game(desk, 1)
    desk.bench.table.close()
    desk = Desk("alder", "birch", seed=7, state=tmp_path, first_id=500)
    second = game(desk, 1)[len(first) :]
    desk.bench.table.close()
    assert first + second == game(Desk("alder", "birch", seed=7))


def test_all_cards_in_drawing_order_come_in_that_order() -> None:
    order = "2d Kh As 9c Ts"
    desk = Desk("alder", "birch", deck=order)
    desk.shuffle(expected=5)
    desk.send("alder", "PRESENT", deck=0, override_by=0)
    desk.do("take", device="alder")
    assert desk.cards("hand") == order.split()


def test_an_event_ring_and_the_numbers_of_boots_go_on_after_a_restart(tmp_path: Path) -> None:
    desk = Desk("alder", state=tmp_path)
    newest = desk.ask("alder", "STATUS").body["newest"]
    desk.bench.table.close()
    desk = Desk("alder", state=tmp_path)
    events = desk.events("alder")
    assert [event.seq for event in events] == list(range(1, events[-1].seq + 1))
    assert events[newest].name == "POWER_UP"
    assert events[newest].boot == 2
    desk.bench.table.close()


@pytest.mark.parametrize("seed", [1, 7])
def test_the_truth_explains_every_card_that_a_device_reports(tmp_path: Path, seed: int) -> None:
    desk = Desk("alder", "birch", seed=seed, truth=tmp_path / "truth", faults=("birch:overdraw", "alder:extra@card=3"))
    desk.shuffle()
    desk.do("take_out", device="alder")
    desk.load(cards=53, decks=8)
    desk.arm(3)
    desk.draw(["seat 1", "seat 2", "dealer"])
    desk.run(0.5)
    desk.do("move", **{"from": "birch.mouth", "to": "rack"})
    where: dict[tuple[str, str, int, int], str] = {}
    drawn = []
    for number, text in enumerate((tmp_path / "truth").read_text().splitlines(), start=1):
        line = json.loads(text)
        card = (line["card"], line["back"], line["copy"], line["deck"])
        assert line["n"] == number
        assert where.get(card, line["from"]) == line["from"]
        where[card] = line["to"]
        if line["from"] == "birch.shoe":
            drawn.append(line["card"])
    assert sorted(where.values()) == sorted(
        place for place, cards in desk.bench.table.world.places.items() for _ in cards
    )
    assert len(drawn) == len(desk.faces()) == 4
    desk.bench.table.close()
