"""Plugs that go with what is heard, in short form; `python -m tests.survival.plugs` pulls after every single thing."""

from __future__ import annotations

import pytest

from .plugs import pulls


@pytest.mark.parametrize(("every", "again"), [(4, 0), (13, 3)], ids=["once", "twice"])
def test_a_plug_that_goes_with_any_answer_is_missed_by_nobody_and_the_round_goes_on(every: int, again: int) -> None:
    came = list(pulls(first=every, every=every, again=again))
    assert len(came) > 10
    assert [f"{which}: {wrong}" for which, wrong in came if wrong] == []
