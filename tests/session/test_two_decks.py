"""Two decks: one is shuffled while the other is played, by turns; the rack holds one only."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shoectl.games.answers import Brought, Fed, ShoeClosed, Shuffled
from shoectl.games.procedure import Irregularity, Round, Trouble
from shoectl.games.steps import Announce
from shoectl.table.decks_turn import as_the_house_wants, checked, second_deck
from shoectl.table.state import Deck, Equipment, ShoeKind, ShufflerKind, TableState, Where

from .scenes import BY_DEVICES, BY_HAND, Hands, Throw, names, nothing_is_left, play, table, two_decks

FROM_THE_HAND = Equipment(ShufflerKind(), None)
MOVES = ("bring_deck", "feed_shuffler", "confirm_deck", "start_shuffle", "await_shuffle", "take_deck", "wagers")


def rounds(state: TableState, number: int, hands: Hands | None = None) -> tuple[TableState, list[list[Any]]]:
    asked = []
    for _ in range(number):
        state, game, steps = play(state, hands or Hands())
        nothing_is_left(game)
        asked.append(steps)
    return state, asked


def moves(steps: list[Any]) -> list[tuple[str, int | None]]:
    return [(step.do, getattr(step, "deck", None)) for step in steps if step.do in MOVES]


@pytest.mark.parametrize("equipment", [BY_DEVICES, FROM_THE_HAND])
def test_one_deck_is_shuffled_while_the_other_is_played_by_turns(equipment: Equipment) -> None:
    state, asked = rounds(two_decks(equipment), 4)
    first = [("feed_shuffler", 0), ("start_shuffle", 0), ("await_shuffle", 0), ("take_deck", 0)]
    brought = [("bring_deck", 1), ("feed_shuffler", 1), ("confirm_deck", 1), ("start_shuffle", 1)]
    assert moves(asked[0]) == [*first, *brought, ("wagers", None)]
    for number, steps in enumerate(asked[1:], 1):
        deck = number % 2
        here = [("await_shuffle", deck), ("take_deck", deck)]
        there = [("feed_shuffler", 1 - deck), ("start_shuffle", 1 - deck), ("wagers", None)]
        assert moves(steps) == [*here, *there]
    assert {deck.number: deck.where for deck in state.decks} == {0: Where.SHUFFLING, 1: Where.RACK}
    assert (state.turn, state.rounds_played) == (0, 4)


def test_a_second_deck_that_is_there_is_fed_out_of_its_box_and_nobody_is_asked_for_it() -> None:
    _, asked = rounds(two_decks(there=True), 2)
    assert ("bring_deck", 1) not in moves(asked[0])
    feeds = [(step.deck, step.place) for steps in asked for step in steps if step.do == "feed_shuffler"]
    assert feeds == [(0, "rack"), (1, "box"), (0, "rack")]
    assert [step.deck for step in asked[0] if step.do == "confirm_deck"] == [1]


def test_the_steps_of_people_name_the_back_and_where_the_deck_lies() -> None:
    _, asked = rounds(two_decks(), 2)
    bring = next(step for step in asked[0] if step.do == "bring_deck")
    assert (bring.deck, bring.back, bring.place) == (1, "blue", "rack")
    feed = next(step for step in asked[1] if step.do == "feed_shuffler")
    assert (feed.deck, feed.back, feed.place) == (0, "red", "rack")


def test_a_deck_that_failed_its_shuffle_is_gathered_in_the_hands_while_the_other_lies_in_the_rack() -> None:
    state, _ = rounds(two_decks(), 1)
    hands = Hands(said={"await_shuffle": [Shuffled(False, reason="the shuffle was broken off: jam")]})
    state, game, steps = play(state, hands)
    order = names(steps)
    assert order[:5] == ["await_shuffle", "announce", "take_out", "feed_shuffler", "start_shuffle"]
    assert [step.place for step in steps if step.do in ("take_out", "feed_shuffler")] == ["hand", "hand", "rack"]
    assert "deck 1 is not proven" in next(step.text for step in steps if isinstance(step, Announce))
    nothing_is_left(game)
    assert state.turn == 0


def test_a_deck_that_cannot_be_fed_is_taken_out_and_fed_again_before_a_wager_is_asked_for() -> None:
    state, _ = rounds(two_decks(), 2)
    said = {"feed_shuffler": [Fed(False, "a jam")]}
    _, _, steps = play(state, Hands(said=said))  # type: ignore[arg-type]
    order = names(steps)
    assert order.index("fill_shoe") < order.index("take_out") < order.index("wagers")
    take_out = next(step for step in steps if step.do == "take_out")
    assert (take_out.deck, take_out.place) == (1, "rack")


def test_a_deck_that_the_shuffler_counts_wrong_leaves_and_the_other_goes_on() -> None:
    state, _ = rounds(two_decks(), 1)
    said = {"await_shuffle": [Shuffled(False, True, 2, 51, 17, "the shuffler counted 51 cards")]}
    state, game, steps = play(state, Hands(said=said))  # type: ignore[arg-type]
    order = names(steps)
    assert order.index("retire_deck") < order.index("take_out") < order.index("remove_deck")
    removed = next(step for step in steps if step.do == "remove_deck")
    assert (removed.deck, removed.place) == (1, "hand")
    played = [step.deck for step in steps if step.do == "take_deck"]
    assert played == [0], "the other deck goes on, and a new one is shuffled meanwhile"
    assert order.index("take_deck") < order.index("bring_deck") < order.index("wagers")
    nothing_is_left(game)
    assert (state.deck_of(1).generation, state.deck_of(1).where, state.turn) == (2, Where.SHUFFLING, 1)


def test_where_no_deck_can_be_brought_the_table_goes_on_with_one_and_asks_each_round() -> None:
    no: list[Any] = [Brought(False), Brought(False)]
    state, asked = rounds(two_decks(), 3, Hands(said={"bring_deck": no}))
    assert [[step.deck for step in steps if step.do == "bring_deck"] for steps in asked] == [[1], [1], [1]]
    assert [[step.deck for step in steps if step.do == "take_deck"] for steps in asked] == [[0], [0], [0]]
    assert state.deck_of(1).where is Where.SHUFFLING


def test_a_wrong_inventory_takes_away_the_deck_that_was_played_and_leaves_the_other() -> None:
    state, _ = rounds(two_decks(), 1)
    wrong = ShoeClosed(51, 52, False, "the shoe counted 51 of 52 cards", True)
    state, _, _ = play(state, Hands(said={"close_shoe": [wrong]}))
    assert (state.deck_of(1).where, state.deck_of(1).retired) == (Where.OFF, "count")
    assert "rounds since the last good count: 2" in state.deck_of(1).trouble
    assert (state.turn, state.deck_of(0).where, state.deck_of(0).retired) == (0, Where.SHUFFLING, "")


def test_671a_11_h_of_two_decks_the_one_just_played_is_counted_after_every_fifth_round() -> None:
    state = two_decks(Equipment(ShufflerKind(counts=False), ShoeKind()))
    _, asked = rounds(state, 20, Hands(counting=False))
    counts = [(number, step.deck) for number, steps in enumerate(asked, 1) for step in steps if step.do == "count"]
    assert counts == [(5, 0), (10, 1), (15, 0), (20, 1)]


def test_a_shoe_that_restarted_while_the_other_deck_was_brought_voids_the_proof_of_the_deck_in_it() -> None:
    def throw(game: Round[Any]) -> Irregularity | None:
        if game.step is not None and game.step.do == "bring_deck" and not thrown:
            thrown.append(1)
            return Irregularity(Trouble.DEVICE_RESTARTED, text="shoe: it restarted")
        return None

    thrown: list[int] = []
    state, game, steps = play(two_decks(), Hands(), throw)
    assert names(steps).count("close_shoe") == 2
    nothing_is_left(game)
    assert state.rounds_played == 1


def test_a_deck_without_proof_waits_for_the_shuffler_and_the_other_one_is_played() -> None:
    state, _ = rounds(two_decks(), 1)
    state, game, steps = play(state, Hands(), _once("wagers", Trouble.WITHDRAWN))
    assert state.turn == 1
    assert (state.deck_of(1).where, state.deck_of(0).where) == (Where.SHOE, Where.SHUFFLING)
    worn = replace(state, worn=("1.1",))
    state, game, steps = play(worn, Hands())
    played = [step.deck for step in steps if step.do == "take_deck"]
    assert played == [0]
    assert next(step for step in steps if step.do == "retire_deck").reason == "wear"
    assert state.deck_of(1).generation == 2
    nothing_is_left(game)


def test_a_house_that_plays_with_one_deck_from_now_on_sends_the_other_away() -> None:
    state, _ = rounds(two_decks(), 2)
    state, _ = rounds(replace(state, house={"decks": 1}), 2)
    assert [deck.number for deck in state.decks] == [0]
    state, asked = rounds(replace(state, house={"decks": 2}), 2)
    assert sorted(deck.number for deck in state.decks) == [0, 1]
    assert ("bring_deck", 1) in moves(asked[0])


def test_two_decks_need_a_shuffler() -> None:
    state = as_the_house_wants(table(BY_HAND, house={"decks": 2}))
    assert len(state.decks) == 1


def test_the_state_of_two_decks_is_json_both_ways() -> None:
    state, _ = rounds(two_decks(), 3)
    assert TableState.from_json(json.loads(json.dumps(state.to_json()))) == state


def test_two_decks_in_one_place_are_a_fault_of_ours() -> None:
    assert second_deck(Deck(0, "blue")).back == "red"
    with pytest.raises(AssertionError, match="two decks in one place"):
        checked(replace(two_decks(), decks=(Deck(0), Deck(1, "blue"))))


def _once(do: str, kind: Trouble) -> Throw:
    thrown: list[int] = []

    def throw(game: Round[Any]) -> Irregularity | None:
        if game.step is not None and game.step.do == do and not thrown:
            thrown.append(1)
            return Irregularity(kind)
        return None

    return throw


@pytest.mark.parametrize("kind", [Trouble.DEVICE_FAILED, Trouble.DEVICE_RESTARTED, Trouble.DUPLICATE_CARD])
@pytest.mark.parametrize("equipment", [BY_DEVICES, FROM_THE_HAND])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_trouble_anywhere_leaves_each_deck_in_a_place_of_its_own(
    kind: Trouble, equipment: Equipment, times: int
) -> None:
    start, _ = rounds(two_decks(equipment), 1)
    for first in (two_decks(equipment, there=True), start):
        points = [0]
        play(first, Hands(seed=2), lambda game, points=points: points.__setitem__(0, points[0] + 1))  # type: ignore[misc]
        for point in range(0, points[0], 1 if times == 1 else 2):
            seen = [0]

            def throw(game: Round[Any], seen: list[int] = seen, point: int = point) -> Irregularity | None:
                seen[0] += 1
                place = "rack" if kind is Trouble.DUPLICATE_CARD else None
                hit = point < seen[0] <= point + times
                return Irregularity(kind, part=game.part, text="trouble", place=place) if hit else None

            after, game, _ = play(first, Hands(seed=2), throw)
            nothing_is_left(game)
            again, asked = rounds(after, 2, Hands(seed=5))
            assert again.rounds_played == after.rounds_played + 2
            turns = [step.deck for steps in asked for step in steps if step.do == "take_deck"]
            assert len(turns) == len(set(turns)) or len(turns) > 2, "by turns, but for a deck that was sent back"
