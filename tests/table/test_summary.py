"""The totals of a journal are those of its rounds."""

from __future__ import annotations

import json

import pytest

from shoectl.games.money_steps import Credit, Pay
from shoectl.games.text import step_json
from shoectl.journal import Entry
from shoectl.table.entries import StepAsked
from shoectl.table.summary import summary


@pytest.mark.parametrize("keeps_stake", [False, True])
def test_what_is_credited_is_gained_as_what_is_paid(keeps_stake: bool) -> None:
    nets = []
    for step in (Pay, Credit):
        made = step(2, "progressive_5", 500, 5, "100 for 1", "straight flush", keeps_stake=keeps_stake, rule="x")
        body = StepAsked(1, "", step_json(made)).to_json()
        entry = Entry(1, "step", json.dumps(body).encode(), 0, 0, "boot", b"")
        nets.append(summary([entry])["net"])
    assert nets[0] == nets[1] == {"2": 495 if keeps_stake else 500}
