"""Cards are things: each in one place, each movement written down before anybody sees it, found again after a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_sim.mechanics import SUPPLY, World
from firmware_sim.timeline import Timeline, Timers
from firmware_sim.whereabouts import Ledger, Truth

PLACES = ("a", "b", "c")


def world_at(folder: Path | None = None) -> World:
    if folder is None:
        return World(Timeline())
    return World(Timeline(), Ledger(folder / "cards.jsonl"), Truth(folder / "truth.jsonl"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@given(st.lists(st.tuples(st.integers(0, 11), st.sampled_from(PLACES), st.none() | st.integers(0, 2))))
def test_cards_neither_come_nor_go(moves: list[tuple[int, str, int | None]]) -> None:
    world = world_at()
    cards = world.create(("As", "Ks", "As", "2d"), back="red", deck=0)
    cards += world.create(("As", "cut")[:1], back="blue", deck=1)
    for number, place, at in moves:
        world.move(cards[number % len(cards)], place, by="test", at=at)
        world.check()
    lying = [card for place in (*PLACES, SUPPLY) for card in world.cards(place)]
    assert sorted(card.number for card in lying) == [card.number for card in cards]


def test_copies_tell_equal_faces_of_a_deck_apart() -> None:
    world = world_at()
    cards = world.create(("As", "As", "Ks"), back="red", deck=0) + world.create(("As",), back="red", deck=1)
    assert [card.copy for card in cards] == [0, 1, 0, 0]


def test_a_movement_is_one_line_before_anybody_sees_it(tmp_path: Path) -> None:
    world = world_at(tmp_path)
    seen: list[int] = []
    world.watch(lambda name: seen.append(len(lines(tmp_path / "truth.jsonl"))))
    card = world.create(("As",), back="red", deck=0)[0]
    world.clock.advance(1.5)
    world.move(card, "seat 1", by="dealer")
    assert seen == [1, 1]
    assert lines(tmp_path / "truth.jsonl") == [
        {"n": 1, "card": "As", "back": "red", "copy": 0, "from": "supply", "to": "seat 1", "by": "dealer",
         "t_ms": 1500, "deck": 0},
    ]  # fmt: skip


@settings(max_examples=30)
@given(st.data())
def test_a_killed_world_is_found_as_it_was(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("world")
    world = world_at(folder)
    cards = world.create(("As", "Ks", "Qs", "Js"), back="red", deck=0)
    moves = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(PLACES), st.none() | st.integers(0, 2)), max_size=12)
    for _ in range(2):
        for number, place, at in data.draw(moves):
            world.move(cards[number], place, by="test", at=at, facts={f"at.{number}": place})
        before = ({place: world.cards(place) for place in (*PLACES, SUPPLY)}, world.facts)
        world.close()
        world = world_at(folder)
        assert ({place: world.cards(place) for place in (*PLACES, SUPPLY)}, world.facts) == before
    assert [line["n"] for line in lines(folder / "truth.jsonl")] == list(
        range(1, len(lines(folder / "truth.jsonl")) + 1)
    )
    world.close()


def test_a_line_cut_off_by_a_kill_never_happened_and_the_truth_is_completed(tmp_path: Path) -> None:
    world = world_at(tmp_path)
    first, second = world.create(("As", "Ks"), back="red", deck=0)
    world.move(first, "a", by="test")
    world.move(second, "a", by="test")
    world.close()
    truth = tmp_path / "truth.jsonl"
    truth.write_bytes(truth.read_bytes()[: truth.read_bytes().index(b"\n") + 1])
    with (tmp_path / "cards.jsonl").open("ab") as file:
        file.write(b'{"k":"move","id":1,"fro')
    world = world_at(tmp_path)
    assert world.cards("a") == (first, second)
    assert [line["n"] for line in lines(truth)] == [1, 2]
    world.close()


def test_whereabouts_are_written_anew_when_they_have_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.whereabouts.COMPACT_AFTER", 20)
    world = world_at(tmp_path)
    card = world.create(("As",), back="red", deck=0)[0]
    for n in range(101):
        world.move(card, PLACES[n % 3], by="test", facts={"n": n})
    assert len(lines(tmp_path / "cards.jsonl")) < 30
    world.close()
    world = world_at(tmp_path)
    assert (world.cards("b"), world.facts) == ((card,), {"n": 100})
    assert len(lines(tmp_path / "truth.jsonl")) == 101
    world.close()


def test_facts_change_with_the_card_and_none_forgets() -> None:
    world = world_at()
    card = world.create(("As",), back="red", deck=0)[0]
    world.move(card, "a", by="test", facts={"door": True})
    assert world.facts == {"door": True}
    world.set(door=None)
    assert world.facts == {}


def test_a_timeline_keeps_the_order_of_asking_and_jumps() -> None:
    timeline, happened = Timeline(), []
    timeline.after(2, lambda: happened.append("late"))
    timeline.after(1, lambda: happened.append("first"))
    timeline.after(1, lambda: timeline.after(0, lambda: happened.append("inner")) and None)
    timeline.after(1, lambda: happened.append("second")).cancel()
    timeline.advance(1)
    assert (happened, timeline.now, timeline.due()) == (["first", "inner"], 1, 2)
    assert timeline.step()
    assert (happened[-1], timeline.now, timeline.step()) == ("late", 2, False)


def test_the_timers_of_a_thing_end_together() -> None:
    timeline, happened = Timeline(), []
    timers = Timers(timeline)
    timers.after(1, lambda: happened.append(1))
    timers.after(2, lambda: happened.append(2))
    timeline.advance(1)
    timers.cancel()
    timeline.advance(3)
    assert happened == [1]
