"""§ 671a.11(h): who counts the deck, how often, and what a wrong count does."""

from __future__ import annotations

import pytest

from shoectl.table.deck_count import POLICIES, count_owed, rounds_left
from shoectl.table.state import Equipment, ShoeKind, ShufflerKind, TableState, Where

from .scenes import BY_DEVICES, BY_HAND, Hands, names, play, table

NO_COUNT = Equipment(ShufflerKind(counts=False), ShoeKind())


def rounds(state: TableState, number: int, hands: Hands) -> tuple[TableState, list[list[str]]]:
    asked = []
    for _ in range(number):
        state, _, steps = play(state, hands)
        asked.append(names(steps))
    return state, asked


@pytest.mark.parametrize(
    "equipment",
    [BY_HAND, NO_COUNT, BY_DEVICES],
    ids=["by hand", "a shuffler that cannot count", "one that was to count"],
)
def test_671a_11_h_without_a_counting_device_the_dealer_counts_after_every_fifth_round(equipment: Equipment) -> None:
    _, asked = rounds(table(equipment), 11, Hands(counting=False))
    assert ["count" in steps for steps in asked] == [False] * 4 + [True] + [False] * 4 + [True, False]


def test_671a_11_h_a_counting_shuffler_waives_the_dealers_count() -> None:
    state, asked = rounds(table(BY_DEVICES), 7, Hands())
    assert not any("count" in steps for steps in asked)
    assert rounds_left(state) is None


def test_a_house_without_waiver_counts_all_the_same() -> None:
    _, asked = rounds(table(BY_DEVICES, house={"count_policy": "no_waiver"}), 5, Hands())
    assert [steps.count("count") for steps in asked] == [0, 0, 0, 0, 1]


def test_a_house_may_count_more_often() -> None:
    _, asked = rounds(table(BY_HAND, house={"count_every": 2}), 4, Hands())
    assert ["count" in steps for steps in asked] == [False, True, False, True]


def test_the_sixth_round_is_refused_until_the_count_is_entered() -> None:
    state = table(BY_HAND, rounds_played=5, rounds_since_count=5)
    assert count_owed(state)
    _, _, steps = play(state, Hands())
    assert names(steps)[:2] == ["count", "shuffle_by_hand"]


def test_671a_11_h_2_51_cards_take_the_whole_deck_off_the_table_and_name_the_rounds_to_review() -> None:
    state = table(BY_HAND, rounds_played=9, rounds_since_count=4)
    after, _, steps = play(state, Hands(count=51))
    assert names(steps)[-3:] == ["count", "announce", "remove_deck"]
    assert (after.deck.where, after.deck.retired) == (Where.OFF, "count")
    assert "51 of 52" in after.deck.trouble
    assert "rounds since the last good count: 6 to 10" in after.deck.trouble
    later, _, steps = play(after, Hands())
    assert names(steps)[:2] == ["bring_deck", "shuffle_by_hand"]
    assert (later.deck.generation, later.rounds_since_count) == (2, 1)


def test_671a_11_h_1_52_cards_go_back_to_the_rack() -> None:
    state, _, steps = play(table(BY_HAND, rounds_since_count=4), Hands())
    assert "remove_deck" not in names(steps)
    assert (state.deck.where, state.rounds_since_count) == (Where.RACK, 0)


def test_every_policy_names_its_source() -> None:
    assert all(policy.source and 1 <= policy.every <= 5 for policy in POLICIES.values())
