"""Plugs that go with what is heard, in short form; `python -m tests.survival.plugs` pulls after every single thing."""

from __future__ import annotations

from .plugs import pulls

EVERY = 4


def test_a_plug_that_goes_with_any_answer_is_missed_by_nobody_and_the_round_goes_on() -> None:
    came = list(pulls(first=EVERY, every=EVERY))
    assert len(came) > 50
    assert [f"{which}: {wrong}" for which, wrong in came if wrong] == []
