"""A round of another version is voided by a floorperson, wherever it stood; the table plays on, and trusts nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure
from shoectl.games.steps import Announce
from shoectl.journal import Entry
from shoectl.table.course import Course
from shoectl.table.record import Past
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from shoectl.table.voided import Voided
from tests.timeloop import virtual

from .voids import At, Came, going_home, of, voided

BOTH, LIGHT, MIXES = ("alder", "birch"), ("alder", "dogwood"), ("cedar",)


async def came_of(folder: Path, devices: tuple[str, ...], decks: int, at: At, **more: Any) -> Came:
    came = await voided(folder, of(devices, decks), devices, at, **more)
    assert came is not None
    return came


@pytest.mark.parametrize(
    ("devices", "decks", "at"),
    [
        (BOTH, 1, At("feed_shuffler")),
        (BOTH, 1, At("take_deck")),
        (BOTH, 1, At("wagers")),
        (BOTH, 1, At("ask", nth=2)),
        (BOTH, 1, At("close_shoe")),
        (BOTH, 2, At("deal", part=5)),  # the second deck is in the shuffler meanwhile
        (BOTH, 2, At("acknowledge", nth=3)),
        (LIGHT, 1, At("deal", part=5)),
        (LIGHT, 2, At("reveal", nth=2)),
        (LIGHT, 1, At("empty_shoe")),
        (MIXES, 1, At("await_shuffle")),
        (MIXES, 1, At("ask", nth=2)),
        (("birch",), 1, At("deal", part=5)),
        (("alder",), 2, At("ask")),
    ],
)
@virtual
async def test_wherever_it_stood_the_table_plays_on(
    tmp_path: Path, devices: tuple[str, ...], decks: int, at: At
) -> None:
    came = await came_of(tmp_path, devices, decks, at)
    going_home(came)
    told = Voided.from_json(came.void.body)
    state = TableState.from_json(told.state)
    assert not [deck for deck in state.decks if deck.proof or deck.motion]
    rounds = [entry.body["number"] for entry in came.after if entry.kind == "round"]
    assert rounds == [told.round + 1, told.round + 2]
    asked = came.asked()
    shuffled = "shuffle_by_hand" if "alder" not in devices and devices != MIXES else "start_shuffle"
    assert shuffled in asked[: asked.index("wagers")], "no wager is asked for before a deck is shuffled anew"


@virtual
async def test_what_lay_on_the_table_is_cleared_by_the_newer_version_in_the_same_round(tmp_path: Path) -> None:
    came = await came_of(tmp_path, BOTH, 1, At("deal", part=8))
    told = Voided.from_json(came.void.body)
    assert told.wagers
    opened = [entry.n for entry in came.entries if entry.kind == "round"]
    this = [entry for entry in came.entries if opened[told.round - 1] < entry.n < opened[told.round]]
    drawn = [entry for entry in this if entry.kind == "answer" and entry.body["takes"] == "Drawn"]
    assert sum(told.cards.values()) == len(drawn) >= 8
    steps = [entry for entry in this if entry.kind == "step"]
    assert [entry.body["number"] for entry in steps] == list(range(1, len(steps) + 1)), "numbered through"
    cleared = [entry.body["step"] for entry in steps if entry.n > came.void.n]
    assert cleared[0]["text"] == "The round is void (voided by floor: other rules): all wagers go back"
    assert [step["place"] for step in cleared if step["do"] == "discard"] == list(told.cards)


@pytest.mark.parametrize("policy", ["device_waives", "no_waiver"])
@virtual
async def test_a_packet_that_lies_there_is_cleared_away_though_no_answer_told_of_it(
    tmp_path: Path, policy: str
) -> None:
    came = await voided(tmp_path, of(MIXES, house={"count_policy": policy}), MIXES, At("deal", part=5))
    assert came is not None
    told = Voided.from_json(came.void.body)
    since = max(entry.n for entry in came.entries if entry.kind == "round" and entry.n < came.void.n)
    this = [entry for entry in came.entries if since < entry.n < came.void.n]
    taken: Counter[str] = Counter()
    for packet in [entry.body["body"] for entry in this if entry.body.get("name") == "PACKET_TAKEN"]:
        taken[f"seat {packet['seat']}" if packet["seat"] else "dealer"] += packet["n"]
    assert sum(entry.body.get("takes") == "Drawn" for entry in this) < sum(taken.values()), "the deal was cut short"
    assert told.cards == taken
    cleared = [entry.body["step"]["place"] for entry in came.after if _is_step(entry, "discard")]
    assert cleared[: len(taken)] == list(told.cards)


def _is_step(entry: Entry, do: str) -> bool:
    return entry.kind == "step" and entry.body["step"]["do"] == do


@virtual
async def test_without_a_device_that_counts_the_dealer_counts_before_the_next_round(tmp_path: Path) -> None:
    came = await came_of(tmp_path, ("birch",), 1, At("ask"))
    asked = came.asked()
    assert "count" in asked[: asked.index("wagers")]


@virtual
async def test_a_round_that_was_over_under_the_older_version_is_told_to_be_so_and_stays_as_it_was_settled(
    tmp_path: Path,
) -> None:
    came = await came_of(tmp_path, BOTH, 2, At(rounds=1), played=0)
    told = Voided.from_json(came.void.body)
    assert (told.round, told.wagers, told.cards) == (1, (), {})
    assert TableState.from_json(told.state).rounds_played == 1
    gained = {seat: sum(one.gain for one in told.booked if one.seat == seat) for seat in {1, 2, 3, 4}}
    assert any(gained.values())
    assert _past(came).net == gained
    assert "The round is void" not in str([entry.body for entry in came.after if entry.kind == "step"])
    going_home(came)


def _past(came: Came) -> Past:
    """The voided round as faces show it in the next one."""
    course: Course[TableState] = Course(cycle, of(BOTH))
    course.voided_at = came.void.n
    for entry in came.entries:
        course.take(entry)
        if course.past is not None:
            return course.past
    raise AssertionError("no round came after it")


@virtual
async def test_a_daemon_that_dies_while_it_clears_a_voided_round_goes_on_there(tmp_path: Path) -> None:
    came = await came_of(tmp_path, BOTH, 2, At("deal", part=5), again=6)
    assert came.lives == 2
    going_home(came)


@virtual
async def test_a_voided_round_is_voided_again_where_a_third_version_takes_over(tmp_path: Path) -> None:
    came = await came_of(tmp_path, BOTH, 1, At("ask"), between=asks_more)
    first, second = (Voided.from_json(entry.body) for entry in came.voids)
    assert first.round == second.round
    assert first.wagers
    assert not second.wagers, "they have gone back before"
    assert TableState.from_json(second.state).rounds_played == TableState.from_json(first.state).rounds_played


def asks_more(layout: Layout, state: TableState) -> Procedure[TableState]:
    """A version that says another thing first when it clears a voided round."""
    if layout.void:
        yield from Announce("As approved", rule="671a.13")
    return (yield from cycle(layout, state))
