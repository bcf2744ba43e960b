"""Rounds with a fault, in short form: the table recovers, or stops and says what to do; no card is lost or invented."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from firmware_sim.catalogue import CATALOGUE
from tests.endtoend import seen
from tests.endtoend.faults import play

SHORT = (
    "alder:jam@card=31,tries=2",
    "alder:jam@card=31",
    "alder:missing@card=20",
    "birch:unreadable@draw=4",
    "alder:sort",
    "birch:face_up",
    "birch:wiped@event=20",
    "cedar:packet_size at cedar",
    "dogwood:wrong_back at alder,dogwood",
)
OF_LOAD = {"nothing", "link again"}  # a machine that is busy with other things may lose a link for a moment


def test_every_fault_of_the_catalogue_has_a_script_on_each_device_that_can_have_it() -> None:
    scripted = {kind for script in seen.ALL for kind in script.kinds}
    assert scripted == {(kind.name, family) for kind in CATALOGUE.values() for family in kind.families}


def test_no_script_is_there_twice() -> None:
    assert not [script for script, times in Counter(map(str, seen.ALL)).items() if times > 1]


@pytest.mark.parametrize("fault", SHORT)
def test_a_fault_loses_no_card_invents_none_and_is_seen_as_it_was_recorded(tmp_path: Path, fault: str) -> None:
    came = play(tmp_path, next(script for script in seen.ALL if str(script) == fault), 3)
    assert set(came.words) - OF_LOAD == set(seen.recorded()[fault]["seen"]) - OF_LOAD
