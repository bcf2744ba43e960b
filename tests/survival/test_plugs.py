"""Plugs that go with what is heard, in short form; `python -m tests.survival.plugs` pulls after every single thing."""

from __future__ import annotations

import pytest

from .plugs import pulls


@pytest.mark.parametrize(("every", "again"), [(4, 0), (13, 3)], ids=["once", "twice"])
def test_a_plug_that_goes_with_any_answer_is_missed_by_nobody_and_the_round_goes_on(every: int, again: int) -> None:
    played = 0
    for which, wrong in pulls(first=every, every=every, again=again):
        assert not wrong, which
        played += 1
    assert played > 10
