"""The house's options for trouble, each value: what it says it does, wherever the trouble comes, once and twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.games.answers import Settled
from shoectl.games.layout import EXPOSED, Refused
from shoectl.games.procedure import Irregularity, Round, Trouble
from shoectl.games.steps import CallFloor, SettleByHand, Step
from shoectl.games.table_options import TABLE_OPTIONS, playable
from shoectl.table.state import TableState, Where

from .scenes import BY_HAND, Hands, Throw, names, nothing_is_left, play, table, two_decks

Played = tuple[TableState, Round[TableState], list[Step[Any]]]


def when(do: str, kind: Trouble, *, part: int = 0, place: str | None = None, times: int = 1, card: int = -1) -> Throw:
    """Trouble at the first step of that name, so many times; `card`: with the face of that card of the place."""
    thrown: list[int] = []

    def throw(game: Round[Any]) -> Irregularity | None:
        step = game.step
        if step is None or step.do != do or game.part < part or len(thrown) >= times:
            return None
        if place not in (None, "rack") and not game.layout.count(str(place)):
            return None
        thrown.append(game.number)
        face = str(game.layout.places[str(place)][card].face) if card >= 0 else None
        return Irregularity(kind, part=game.part, place=place, card=face)

    return throw


def ways(played: Played) -> set[str]:
    return {booking.how for booking in played[1].layout.booked}


def with_house(throw: Throw, *, floor: str = "", seed: int = 2, **house: Any) -> Played:
    return play(table(house=house), Hands(seed=seed, floor=floor), throw)


@pytest.mark.parametrize("card", [-1, 0])
def test_a_card_of_a_seat_that_was_exposed_goes_to_the_rack_and_the_next_one_takes_its_place(card: int) -> None:
    throw = when("deal", Trouble.EXPOSED_CARD, part=7, place="seat 2", card=card)
    _, game, steps = with_house(throw, one_exposed_card="discard")
    assert [step.place for step in steps if step.do == "set_aside"] == ["seat 2"]  # type: ignore[attr-defined]
    after = names(steps)[names(steps).index("set_aside") :]
    assert after[1:3] == ["deal", "deal"], "first the one in its place, then the rest of the deal"
    assert [len(racked.cards) for racked in game.layout.rack if racked.origin == EXPOSED] == [1]
    nothing_is_left(game)


def test_a_card_of_a_seat_that_was_exposed_in_the_decisions_is_replaced_too() -> None:
    played = with_house(when("ask", Trouble.EXPOSED_CARD, place="seat 3"), one_exposed_card="discard")
    assert names(played[2])[names(played[2]).index("set_aside") :][:3] == ["set_aside", "deal", "ask"]
    assert ways(played) != {"void"}


@pytest.mark.parametrize(("one", "more", "times", "void"), [("void", "floor", 1, True), ("discard", "void", 2, True)])
def test_exposed_cards_void_the_round_where_the_house_says_so(one: str, more: str, times: int, void: bool) -> None:
    throw = when("deal", Trouble.EXPOSED_CARD, part=4, place="seat 1", times=times)
    assert (ways(with_house(throw, one_exposed_card=one, more_exposed_cards=more)) == {"void"}) is void


@pytest.mark.parametrize(("word", "void"), [("go on", False), ("end the round", True)])
def test_the_floor_decides_on_a_second_exposed_card(word: str, void: bool) -> None:
    throw = when("ask", Trouble.EXPOSED_CARD, place="seat 1", times=2)
    played = with_house(throw, floor=word, more_exposed_cards="floor")
    assert names(played[2]).count("floor") == 1
    assert names(played[2]).count("set_aside") == (1 if void else 2)
    assert (ways(played) == {"void"}) is void


@pytest.mark.parametrize(("value", "void"), [("void", True), ("continue", False)])
def test_a_card_of_the_dealer_that_was_seen_before_the_decisions(value: str, void: bool) -> None:
    played = with_house(when("ask", Trouble.EXPOSED_CARD, place="dealer"), dealer_card_exposed=value)
    assert (ways(played) == {"void"}) is void
    assert "set_aside" not in names(played[2])


@pytest.mark.parametrize(("value", "word", "void"), [("void", "", True), ("floor", "go on", False)])
@pytest.mark.parametrize("option", ["jam_in_round", "restart_in_round"])
def test_a_device_that_does_not_finish(option: str, value: str, word: str, void: bool) -> None:
    kind = Trouble.DEVICE_FAILED if option == "jam_in_round" else Trouble.DEVICE_RESTARTED
    played = with_house(when("deal", kind, part=3), floor=word, **{option: value})
    assert (ways(played) == {"void"}) is void
    ended = with_house(when("deal", kind, part=3), floor="end the round", **{option: value})
    assert ways(ended) == {"void"}


def test_a_hand_with_a_wrong_number_of_cards_voids_the_round_and_the_deck_is_counted() -> None:
    state, game, steps = play(table(BY_HAND), Hands(), when("ask", Trouble.WRONG_COUNT, place="seat 1"))
    assert {booking.how for booking in game.layout.booked} == {"void"}
    assert "count" in names(steps)
    assert state.deck.where is Where.RACK


@pytest.mark.parametrize(
    ("until", "do", "void"),
    [
        ("deal", "deal", True),
        ("deal", "ask", False),
        ("first_showdown", "ask", True),
        ("first_showdown", "reveal", True),
        ("end_of_round", "discard", True),
    ],
)
def test_until_when_a_round_may_be_void(until: str, do: str, void: bool) -> None:
    played = with_house(when(do, Trouble.DEVICE_FAILED), void_until=until)
    assert ("floor" not in names(played[2])) is void
    assert ("void" in ways(played)) is void


def in_the_showdown() -> Throw:
    shown: list[int] = []

    def throw(game: Round[Any]) -> Irregularity | None:
        step, booked = game.step, len(game.layout.booked)
        if step is not None and step.do == "reveal" and getattr(step, "place", "") == "dealer":
            shown.append(booked)
        if len(shown) == 1 and booked > shown[0]:
            shown.append(-1)
            return Irregularity(Trouble.DEVICE_FAILED, text="gone")
        return None

    return throw


def test_after_the_first_settlement_the_floor_may_have_the_rest_settled_by_hand_wager_by_wager() -> None:
    words = [Settled("pay", 30), Settled("collect"), Settled("return", 10)]
    hands = Hands(seed=3, floor="settle by hand", said={"settle_by_hand": list(words)})
    _, game, steps = play(table(), hands, in_the_showdown())
    offered = next(step for step in steps if isinstance(step, CallFloor))
    assert offered.choices == ("go on", "end the round", "settle by hand")
    asked = [step for step in steps if isinstance(step, SettleByHand)]
    assert asked
    at = {(step.seat, step.wager): word for step, word in zip(asked, words, strict=False)}
    for booking in game.layout.booked:
        if (word := at.get((booking.seat, booking.wager))) is not None and booking.how != "forfeit":
            expected = {"pay": word.amount, "collect": -booking.stake, "return": 0}[word.outcome]
            assert booking.gain == expected
    assert "void" not in {booking.how for booking in game.layout.booked}
    nothing_is_left(game)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Settled("win"), "no outcome"),
        (Settled("pay"), "cannot be paid"),
        (Settled("pay", 10**9), "cannot be paid"),
        (Settled("collect", 9), "cannot be moved"),
        (Settled("return", 11), "cannot be moved"),
    ],
)
def test_an_amount_that_cannot_be_is_refused(said: Settled, why: str) -> None:
    hands = Hands(seed=3, floor="settle by hand", said={"settle_by_hand": [said]})
    with pytest.raises(Refused, match=why):
        play(table(), hands, in_the_showdown())


def test_the_floor_that_ends_a_round_after_payments_gives_back_what_still_lies_there() -> None:
    _, game, _ = play(table(), Hands(seed=3, floor="end the round"), in_the_showdown())
    assert "void" in {booking.how for booking in game.layout.booked}
    nothing_is_left(game)


def test_cards_are_burnt_before_the_deal() -> None:
    _, game, steps = with_house(lambda game: None, burn_cards=3)
    assert names(steps)[names(steps).index("wagers") :][:3] == ["wagers", "deal", "discard"]
    assert [len(racked.cards) for racked in game.layout.rack if racked.origin == "burn"] == [3]


@pytest.mark.parametrize(
    ("cut", "by_device", "by_hand"), [("hand_shuffled", 0, 10), ("always", 1, 10), ("never", 0, 0)]
)
def test_when_the_deck_is_cut(cut: str, by_device: int, by_hand: int) -> None:
    _, _, steps = play(table(house={"cut": cut}), Hands())
    assert names(steps).count("cut_deck") == by_device
    _, _, steps = play(table(BY_HAND, house={"cut": cut}), Hands())
    assert "cut_deck" not in names(steps)
    assert next(step.least for step in steps if step.do == "shuffle_by_hand") == by_hand  # type: ignore[attr-defined]


@pytest.mark.parametrize("how_often", ["seat", "step", "none"])
def test_the_dealer_acknowledges_as_often_as_the_house_wants(how_often: str) -> None:
    _, _, steps = with_house(lambda game: None, acknowledge=how_often)
    said = names(steps).count("acknowledge")
    moved = sum(names(steps).count(do) for do in ("collect", "pay", "return"))
    assert {"none": said == 0, "step": said == moved, "seat": 0 < said < moved}[how_often]


@pytest.mark.parametrize("every", [1, 3])
def test_how_often_the_dealer_counts(every: int) -> None:
    state, counts = table(BY_HAND, house={"count_every": every}), []
    for _ in range(6):
        state, _, steps = play(state, Hands())
        counts.append(names(steps).count("count"))
    assert counts == [int(number % every == 0) for number in range(1, 7)]


def test_what_no_table_of_this_version_plays_is_refused_in_words() -> None:
    playable({"wrong_count_scope": "round", "burn_cards": 2})
    with pytest.raises(BadInput, match=r"wrong_count_scope: hand is not played by this version: .*; set it to round"):
        playable({"wrong_count_scope": "hand"})


VALUES = [
    (option.name, value)
    for option in TABLE_OPTIONS
    if option.name not in ("seats", "decks", "count_policy", "deck_max_age", "jam_in_shuffle")
    for value in (option.allowed or (option.default, option.most))
]
TROUBLES: list[tuple[Trouble, str | None]] = [
    (Trouble.EXPOSED_CARD, "seat 2"),
    (Trouble.EXPOSED_CARD, "dealer"),
    (Trouble.EXPOSED_CARD, "rack"),
    (Trouble.DEVICE_FAILED, None),
    (Trouble.DEVICE_RESTARTED, None),
    (Trouble.EXTRA_CARD, "rack"),
    (Trouble.WRONG_COUNT, "seat 1"),
]


@pytest.mark.parametrize(("option", "value"), VALUES, ids=[f"{name}-{value}" for name, value in VALUES])
def test_trouble_anywhere_leaves_no_wager_no_card_and_no_doubt(option: str, value: Any) -> None:
    """Once and twice, the floor deciding in turn: money goes one way, every card lies in the rack, play goes on."""
    start, _, _ = play(two_decks(there=True, house={option: value}), Hands())
    total = _points(start)
    for number, (kind, place) in enumerate(TROUBLES):
        for times in (1, 2):
            word = ("go on", "end the round", "settle by hand")[(number + times) % 3]
            for point in range(number % 5, total, 5 * times):
                state, game, _ = play(start, Hands(seed=2, floor=word), _from(point, times, kind, place))
                nothing_is_left(game)
                _settled_once(game)
                assert len({deck.where for deck in state.decks}) == 2
        again, game, _ = play(state, Hands(seed=5))
        nothing_is_left(game)
        assert again.rounds_played == state.rounds_played + 1


def _from(point: int, times: int, kind: Trouble, place: str | None) -> Callable[[Round[Any]], Irregularity | None]:
    seen = [0]

    def throw(game: Round[Any]) -> Irregularity | None:
        seen[0] += 1
        if not point < seen[0] <= point + times or (place not in (None, "rack") and not game.layout.count(str(place))):
            return None
        return Irregularity(kind, part=game.part, text="trouble", place=place)

    return throw


def _points(state: TableState) -> int:
    points = [0]
    play(state, Hands(seed=2), lambda game: points.__setitem__(0, points[0] + 1))  # type: ignore[func-returns-value]
    return points[0]


def _settled_once(game: Round[Any]) -> None:
    moved = Counter((booking.seat, booking.wager) for booking in game.layout.booked if booking.how != "win")
    assert all(times == 1 for times in moved.values())
    for seat, wagers in game.layout.placed.items():
        for wager in wagers:
            assert any((one.seat, one.wager) == (seat, wager) for one in game.layout.booked), (seat, wager)
    faces = [card for racked in game.layout.rack for card in racked.cards if card is not None]
    assert len(faces) == len(set(faces)), "no card lies in the rack twice"
