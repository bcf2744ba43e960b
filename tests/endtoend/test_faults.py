"""Rounds with a fault, in short form: the table recovers, or stops and says what to do; no card is lost or invented."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endtoend.faults import FAULTS, play

SHORT = (
    "alder:jam@card=31,tries=2",
    "alder:jam@card=31",
    "alder:missing@card=20",
    "alder:hang_up@frame=15",
    "birch:unreadable@draw=4",
    "birch:overdraw",
)


@pytest.mark.parametrize("fault", SHORT)
def test_a_fault_loses_no_card_and_invents_none(tmp_path: Path, fault: str) -> None:
    assert fault in FAULTS
    play(tmp_path, fault, 3)
