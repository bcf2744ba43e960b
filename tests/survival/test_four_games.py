"""Each irregularity in each game, over devices: where the money and the deck end, what the journal tells (.13 of each
chapter, by the house's options), and that the table goes on.
"""

from __future__ import annotations

import pytest

from .irregular import CASES, GAMES, Case, played

GAMES_OF_CASES = [(name, case) for case in CASES for name in GAMES if name in case.games]


@pytest.mark.parametrize(
    ("name", "case"),
    GAMES_OF_CASES,
    ids=[f"{name}: {case.name} {dict(case.house) or ''}" for name, case in GAMES_OF_CASES],
)
def test_money_and_deck_end_where_the_policy_says(name: str, case: Case) -> None:
    came = played(case, name)
    steps = [body["step"] for body in came.bodies("step")]
    thrown = [body["trouble"] for body in came.bodies("irregularity")]
    assert came.stopped is None, f"the table stands still: {came.stopped}"
    assert thrown[:1] == ([case.trouble] if case.trouble else []), f"thrown was {thrown}"
    gone_back = {step["wager"] for step in steps if step["do"] == "return" and step["outcome"] == "void"}
    assert bool(gone_back) is (case.money in ("void", "bonus")), f"void were {gone_back or 'none'}"
    assert case.money != "bonus" or gone_back <= {"six_card", "all_six"}
    assert ("floor" in [step["do"] for step in steps]) is (case.money == "floor")
    assert ("remove_deck" in [step["do"] for step in steps]) is (case.deck == "leaves")
