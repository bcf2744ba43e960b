"""The page of faults: a row for each fault of the catalogue, and in it what runs with that fault saw.

Runs are recorded by `python -m tests.endtoend.faults --record`; `test_faults.py` plays some of them again.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_sim.catalogue import CATALOGUE
from tests.endtoend import seen
from tests.endtoend.scripts import VARIANTS

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
ROUNDS, ROUNDS_OF_VARIANTS = 20, 5  # what is tried with an alder and a birch in many ways, in some of them shorter
HEAD = ["fault", "what it means", "what the table does", "who is asked", "how it goes on", "what a run sees"]


def rows() -> dict[str, list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0].strip("`"): cells for cells in found}


def test_every_fault_of_the_catalogue_has_its_row_and_every_row_its_fault() -> None:
    assert list(rows()) == list(CATALOGUE)


def test_every_row_says_what_it_means_what_is_done_who_is_asked_how_it_goes_on_and_what_is_seen() -> None:
    for name, cells in rows().items():
        assert len(cells) == len(HEAD), name
        assert all(cells), name


def test_every_script_was_run_for_long_enough_and_what_was_recorded_are_scripts() -> None:
    assert set(seen.recorded()) == set(map(str, seen.ALL))
    variants = set(map(str, VARIANTS))
    for name, came in seen.recorded().items():
        assert came["rounds"] >= (ROUNDS_OF_VARIANTS if name in variants else ROUNDS), name


@pytest.mark.parametrize("fault", CATALOGUE)
def test_a_row_says_what_the_runs_with_that_fault_saw(fault: str) -> None:
    assert rows()[fault][HEAD.index("what a run sees")] == seen.cell(fault)


def test_the_page_explains_every_word_that_a_run_is_told_in() -> None:
    explained = dict(re.findall(r"^\| \*(.+?)\* \| (.+?) \|$", PAGE.read_text(), re.MULTILINE))
    assert explained == seen.WORDS


def test_a_run_that_stopped_said_in_which_state() -> None:
    for script, came in seen.recorded().items():
        assert bool(came["stopped"]) == ("stopped" in came["seen"]), script
        assert set(came["seen"]) <= set(seen.WORDS), script
