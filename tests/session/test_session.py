"""The session: one cycle of a table as a procedure, and what trouble does to it wherever it comes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.games.answers import Fed, ShoeClosed, Shuffled, Started, Taken
from shoectl.games.procedure import Irregularity, Round, Trouble
from shoectl.games.steps import Announce, Reveal
from shoectl.table.state import Deck, Equipment, ShufflerKind, TableState, Where

from .scenes import BY_DEVICES, BY_HAND, Hands, names, nothing_is_left, play, table


def test_a_cycle_proves_the_deck_before_it_asks_for_a_wager_and_racks_it_at_the_end() -> None:
    state, game, steps = play(table(), Hands())
    order = names(steps)
    prove = ["feed_shuffler", "start_shuffle", "await_shuffle", "present_deck", "take_deck", "open_shoe", "fill_shoe"]
    assert order[: len(prove) + 1] == [*prove, "wagers"]
    assert order.index("close_shoe") < order.index("empty_shoe")
    nothing_is_left(game)
    assert (state.deck.where, state.deck.proof, state.rounds_played) == (Where.RACK, None, 1)
    assert "count" not in order


def test_the_state_is_json_both_ways() -> None:
    state, _, _ = play(table(), Hands())
    for one in (table(), state, table(BY_HAND), state.with_deck(retired="count", trouble="51")):
        assert TableState.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_a_state_that_is_not_understood_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="unknown field 'colour'"):
        TableState.from_json({**table().to_json(), "colour": 1})
    broken = table().to_json()
    broken["decks"][0]["where"] = "floor"
    with pytest.raises(BadInput, match="where cannot be 'floor'"):
        TableState.from_json(broken)


def test_a_round_in_which_nobody_plays_leaves_the_proven_deck_where_it_is() -> None:
    state, _, _ = play(table(), Hands(plays=False))
    assert (state.deck.where, state.deck.dealable, state.rounds_played) == (Where.SHOE, True, 0)
    _, _, steps = play(state, Hands())
    assert names(steps)[0] == "wagers"


def test_a_round_withdrawn_while_wagers_are_awaited_is_returned_unplayed() -> None:
    def withdraw(game: Round[Any]) -> Irregularity | None:
        return Irregularity(Trouble.WITHDRAWN) if game.step is not None and game.step.do == "wagers" else None

    state, game, _ = play(table(), Hands(), withdraw)
    assert (state.deck.where, state.rounds_played, game.layout.rack) == (Where.SHOE, 0, [])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"feed_shuffler": [Fed(False, "jam")]}, "jam"),
        ({"start_shuffle": [Started(0, reason="refused: an open fault")]}, "refused: an open fault"),
        ({"await_shuffle": [Shuffled(False, reason="the cards were sorted, not shuffled")]}, "sorted"),
    ],
)
def test_no_round_starts_on_a_deck_that_is_not_proven_and_after_a_good_shuffle_it_goes_on(
    said: dict[str, list[Any]], reason: str
) -> None:
    state, _, steps = play(table(), Hands(said=said))
    order = names(steps)
    said_aloud = [step.text for step in steps if isinstance(step, Announce)]
    assert any("No round starts" in text and reason in text for text in said_aloud)
    assert order.index("take_out") < order.index("wagers")
    assert order.count("await_shuffle") >= 1
    assert order[order.index("take_out") + 1 :].index("feed_shuffler") == 0
    assert (order.count("wagers"), state.rounds_played) == (1, 1)


@pytest.mark.parametrize("counted", [51, 53])
def test_671a_11_h_2_a_deck_that_the_shuffler_counts_wrong_leaves_the_table(counted: int) -> None:
    said = {"await_shuffle": [Shuffled(False, True, 2, counted, 17, f"the shuffler counted {counted} cards")]}
    state, _, steps = play(table(), Hands(said=said))  # type: ignore[arg-type]
    order = names(steps)
    between = order[order.index("retire_deck") : order.index("wagers")]
    away = ["retire_deck", "take_out", "announce", "remove_deck", "bring_deck", "feed_shuffler", "confirm_deck"]
    assert between[: len(away)] == away
    assert (state.deck.generation, state.deck.retired) == (2, "")


def test_a_deck_of_other_cards_leaves_the_table_though_the_count_is_right() -> None:
    said = {"await_shuffle": [Shuffled(False, True, 4, 52, 17, "not the cards of one deck")]}
    _, _, steps = play(table(), Hands(said=said))  # type: ignore[arg-type]
    retire = next(step for step in steps if step.do == "retire_deck")
    assert retire.reason == "composition"  # type: ignore[attr-defined]


def test_a_tray_that_gave_51_cards_retires_the_deck() -> None:
    _, _, steps = play(table(), Hands(said={"take_deck": [Taken(51)]}))
    order = names(steps)
    assert order.index("remove_deck") < order.index("wagers")


def test_a_wrong_inventory_lets_the_finished_round_stand_and_takes_the_deck_away() -> None:
    wrong = ShoeClosed(51, 52, False, "the shoe counted 51 of 52 cards", True)
    state, game, steps = play(table(), Hands(said={"close_shoe": [wrong]}))
    assert any(booking.how in ("win", "lose", "forfeit") for booking in game.layout.booked)
    assert not any(booking.how == "void" for booking in game.layout.booked)
    assert (state.deck.where, state.deck.retired) == (Where.OFF, "count")
    assert "rounds since the last good count: 1" in state.deck.trouble
    after, _, steps = play(state, Hands())
    assert names(steps)[:3] == ["bring_deck", "feed_shuffler", "confirm_deck"]
    assert after.deck.generation == 2


def test_an_inventory_that_cannot_tell_costs_nothing_where_the_next_shuffle_counts() -> None:
    state, _, _ = play(table(), Hands(said={"close_shoe": [ShoeClosed(52, 52, False, "the lid was open")]}))
    assert (state.deck.retired, state.deck.where) == ("", Where.RACK)


@pytest.mark.parametrize("kind", [Trouble.DUPLICATE_CARD, Trouble.FOREIGN_CARD])
def test_a_card_twice_or_a_foreign_one_voids_the_round_and_takes_the_deck_away(kind: Trouble) -> None:
    def throw(game: Round[Any]) -> Irregularity | None:
        if game.step is not None and game.step.do == "deal" and game.part == 4:
            return Irregularity(kind, part=4, place="rack")
        return None

    state, game, _ = play(table(), Hands(), throw)
    nothing_is_left(game)
    assert {booking.how for booking in game.layout.booked} == {"void"}
    assert (state.deck.where, state.deck.retired) == (Where.OFF, "composition")
    assert game.layout.dealt() == 5


@pytest.mark.parametrize(("house", "ends"), [("next_card", "plays"), ("rack", "plays"), ("void", "void")])
def test_a_card_drawn_in_error_follows_the_house(house: str, ends: str) -> None:
    thrown: list[int] = []

    def throw(game: Round[Any]) -> Irregularity | None:
        if game.step is not None and game.step.do == "ask" and not thrown:
            thrown.append(game.number)
            return Irregularity(Trouble.EXTRA_CARD, place="rack")
        return None

    _, game, _ = play(table(house={"card_drawn_in_error": house}), Hands(), throw)
    nothing_is_left(game)
    how = {booking.how for booking in game.layout.booked}
    assert (how == {"void"}) is (ends == "void")


def test_the_second_exposed_card_voids_the_round() -> None:
    def throw(game: Round[Any]) -> Irregularity | None:
        if game.step is not None and game.step.do == "deal" and game.part == 1 and len(game.layout.rack) < 2:
            return Irregularity(Trouble.EXPOSED_CARD, part=1, place="rack")
        return None

    _, game, _ = play(table(), Hands(), throw)
    assert {booking.how for booking in game.layout.booked} == {"void"}


@pytest.mark.parametrize("settled", [False, True])
def test_nothing_is_void_any_more_after_the_first_settlement_of_the_showdown(settled: bool) -> None:
    shown: list[int] = []  # bookings when the dealer's hand was shown
    thrown: list[int] = []

    def throw(game: Round[Any]) -> Irregularity | None:
        step, booked = game.step, len(game.layout.booked)
        if isinstance(step, Reveal) and step.place == "dealer":
            shown.append(booked)
        if shown and not thrown and (booked > shown[0]) is settled:
            thrown.append(game.number)
            return Irregularity(Trouble.DEVICE_FAILED, text="shoe: gone")
        return None

    _, game, steps = play(table(), Hands(seed=3), throw)
    assert thrown
    assert ("floor" in names(steps)) is settled
    assert any(booking.how == "void" for booking in game.layout.booked) is not settled


EVERYWHERE = [
    Irregularity(Trouble.DEVICE_FAILED, text="given up"),
    Irregularity(Trouble.EXTRA_CARD, place="rack"),
    Irregularity(Trouble.DUPLICATE_CARD, place="rack"),
    Irregularity(Trouble.EXPOSED_CARD, place="rack"),
]


@pytest.mark.parametrize("trouble", EVERYWHERE, ids=lambda one: str(one.kind))
@pytest.mark.parametrize("equipment", [BY_DEVICES, BY_HAND, Equipment(ShufflerKind(), None)])
@pytest.mark.parametrize("times", [1, 2])
def test_trouble_at_every_part_of_every_step_settles_no_wager_twice_and_loses_no_card(
    trouble: Irregularity, equipment: Equipment, times: int
) -> None:
    state = table(equipment, rounds_since_count=4)
    points = _points(state)
    for point in range(points) if times == 1 else range(0, points, 3):
        seen = [0]

        def throw(game: Round[Any], seen: list[int] = seen, point: int = point) -> Irregularity | None:
            seen[0] += 1
            return at(trouble, game) if point < seen[0] <= point + times else None

        after, game, _ = play(state, Hands(seed=2), throw)
        nothing_is_left(game)
        _settled_once(game)
        assert after.deck.where in Where
        again, game, _ = play(after, Hands(seed=5))
        nothing_is_left(game)
        assert again.rounds_played == after.rounds_played + 1


def at(trouble: Irregularity, game: Round[Any]) -> Irregularity:
    return Irregularity(trouble.kind, part=game.part, text=trouble.text, place=trouble.place)


def _points(state: TableState) -> int:
    points = [0]

    def count(game: Round[Any]) -> None:
        points[0] += 1

    play(state, Hands(seed=2), count)
    return points[0]


def _settled_once(game: Round[Any]) -> None:
    """Each wager went one way, home or to the house; a winner may be paid twice (two combinations)."""
    ways = Counter((booking.seat, booking.wager) for booking in game.layout.booked if booking.how != "win")
    assert all(times == 1 for times in ways.values())
    for seat, wagers in game.layout.placed.items():
        for wager in wagers:
            assert any((one.seat, one.wager) == (seat, wager) for one in game.layout.booked), (seat, wager)


def test_a_deck_that_left_the_table_never_comes_back_by_itself() -> None:
    state = table().with_deck(retired="count", where=Where.RACK, trouble="51 of 52")
    _, _, steps = play(state, Hands())
    assert names(steps)[:5] == ["retire_deck", "announce", "remove_deck", "bring_deck", "feed_shuffler"]
    assert Deck(0).retired == ""
