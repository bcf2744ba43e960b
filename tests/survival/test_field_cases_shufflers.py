"""Field cases of shufflers, shoes and other machines that feed cards, at whole tables in memory."""

from __future__ import annotations

import pytest

from shoectl.games.answers import FloorWord
from shoectl.games.procedure import Irregularity, Round, Trouble
from shoectl.games.steps import Return
from tests.session.scenes import Hands, nothing_is_left, play, table

from .invariants import Known
from .scenes import Played, played


def before_wagers(game: Played) -> list[str]:
    """The steps before the first wager was asked for."""
    return game.asked[: game.asked.index("wagers")]


@pytest.mark.parametrize("cut", ["alder:power_cut@event=16", "alder:power_cut@event=20"])
def test_field_case_101_a_wrong_count_blocks_the_round_and_a_power_cycle_does_not_clear_it(cut: str) -> None:
    game = played("alder:missing@card=20,cycle=1", cut)
    assert {"retire_deck", "remove_deck", "bring_deck"} <= set(before_wagers(game))
    assert game.stopped is None


def test_field_case_102_a_count_is_not_identity() -> None:
    game = played("alder:duplicate@card=20,cycle=1,face=As", rounds=3)
    first = game.answers("Shuffled")[0]
    assert (first["counted"], first["identity"]) == (52, False)
    assert first["reason"].endswith("identity not compared")
    assert game.troubles == ["duplicate card"]  # found as the second one is drawn, and the deck is not dealt again
    assert {"retire_deck", "remove_deck"} <= set(game.asked)


def test_field_case_103_a_duplicate_voids_the_round_and_nothing_is_set_right_by_guess() -> None:
    calm = played(rounds=1)
    late = calm.true[19].card
    game = played(f"birch:misread@draw=4,load=1,face={late}")
    assert game.troubles == ["duplicate card"]
    assert [one.card for one in game.dealt[:4]] == [*(one.card for one in calm.true[:3]), late]
    assert {"retire_deck", "remove_deck"} <= set(game.asked)


def test_field_case_104_an_unread_card_is_named_by_two_persons_and_never_guessed() -> None:
    game = played("birch:unreadable@draw=3,load=1", rounds=1)
    (hold,), (word,) = game.bodies("hold"), game.bodies("held")
    assert hold["reason"].startswith("unreadable 3")
    assert word["how"] == "card"
    assert len(set(word["by"])) == 2
    assert game.dealt == game.true


def test_field_case_105_a_draw_without_a_record_leaves_a_hole_in_its_own_place() -> None:
    game = played("birch:gap@event=11", rounds=1, known=Known(whole=False))
    drawn = game.answers("Drawn")
    assert [one["idx"] for one in drawn if one["card"] is None] == [4]
    assert [one.place for one in game.dealt] == [one.place for one in game.true]


@pytest.mark.parametrize("house", ["next_card", "rack", "void"])
@pytest.mark.parametrize("fault", ["birch:early_draw@load=1", "birch:overdraw@draw=20,load=1"])
def test_field_case_106_a_card_drawn_in_error_follows_the_house_and_is_never_lost(fault: str, house: str) -> None:
    game = played(fault, house={"card_drawn_in_error": house})
    thrown = [one for one in game.troubles if one in ("early draw", "extra card")]
    assert bool(thrown) is (house != "next_card" or "overdraw" in fault)
    assert len(game.dealt) == len(game.true)


@pytest.mark.parametrize("thickness", [190, 120])
def test_field_case_107_two_cards_at_once_prove_nothing(thickness: int) -> None:
    game = played(f"alder:double_feed@card=20,cycle=1,thickness={thickness}")
    assert "take_out" in before_wagers(game) or "remove_deck" in before_wagers(game)


@pytest.mark.parametrize(("tries", "again"), [(2, False), (3, False), (0, True)])
def test_field_case_108_a_jam_that_clears_itself_goes_on_and_one_that_does_not_is_shuffled_again(
    tries: int, again: bool
) -> None:
    game = played(f"alder:jam@card=31,cycle=1,tries={tries}", rounds=1)
    assert ("take_out" in before_wagers(game)) is again
    assert len(game.answers("Shuffled")) == 1 + again


def test_field_case_108_hands_in_the_machine_void_its_count() -> None:
    game = played("alder:door@card=31,cycle=1", rounds=1)
    assert not game.answers("Shuffled")[0]["proven"]
    assert any("No round starts" in text for text in game.said)


def test_field_case_113_an_event_told_twice_counts_once_and_with_other_bytes_it_stops_the_device() -> None:
    calm, twice = played(rounds=1), played("birch:event_twice@event=12,bytes=same", rounds=1)
    assert twice.dealt == calm.dealt
    other = played("birch:event_twice@event=12,bytes=other", rounds=1)
    assert any("other content" in body["text"] or "another content" in body["text"] for body in other.bodies("alarm"))


@pytest.mark.parametrize("fault", ["alder:flutter@card=9,edges=60", "birch:flutter@card=9,edges=60"])
def test_field_case_114_a_switch_that_flutters_says_nothing(fault: str) -> None:
    assert played(fault, rounds=1).dealt == played(rounds=1).dealt


@pytest.mark.parametrize("fault", ["birch:foreign@draw=5,load=1", "birch:wrong_back@draw=5,load=1"])
def test_field_case_116_a_card_of_another_deck_takes_the_deck_off_the_table(fault: str) -> None:
    game = played(fault)
    assert "foreign card" in game.troubles
    assert {"retire_deck", "remove_deck", "bring_deck"} <= set(game.asked)


def test_field_case_119_without_a_counting_device_the_dealer_counts_after_five_rounds() -> None:
    game = played("alder:no_count@times=0", rounds=6)
    opened = [n for n, entry in enumerate(game.entries) if entry.kind == "round"]
    counted = [
        n for n, entry in enumerate(game.entries) if entry.kind == "step" and entry.body["step"]["do"] == "count"
    ]
    assert len(counted) == 1
    assert opened[4] < counted[0] < opened[5]


@pytest.mark.parametrize("house", ["void", "floor"])
@pytest.mark.parametrize("at", [3, 10])
def test_field_case_120_a_device_that_dies_in_the_deal_gives_each_wager_back_once_or_goes_on(
    house: str, at: int
) -> None:
    thrown: list[Irregularity] = []

    def once(game: Round[object]) -> Irregularity | None:
        if thrown or game.step is None or game.step.do != "deal" or game.part != at:
            return None
        thrown.append(Irregularity(Trouble.DEVICE_FAILED, part=at))
        return thrown[0]

    hands = Hands(said={"floor": [FloorWord("go on")]})
    _, game, steps = play(table(house={"jam_in_round": house}), hands, once)
    returned = [(step.seat, step.wager) for step in steps if isinstance(step, Return) and step.outcome == "void"]
    assert len(returned) == len(set(returned)) == (6 if house == "void" else 0)
    nothing_is_left(game)


@pytest.mark.parametrize("draw", [3, 7])
def test_field_case_116_a_card_that_comes_face_up_leaves_the_hand_before_the_deal_goes_on(draw: int) -> None:
    game = played(f"birch:face_up@draw={draw},load=1")
    assert "exposed card" in game.troubles
    assert game.stopped is None
