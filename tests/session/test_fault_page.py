"""Each fault of the catalogue has its row in the page of faults, and each row its fault."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
COLUMNS = 5


def rows() -> dict[str, list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0].strip("`"): cells for cells in found}


def catalogue() -> set[str]:
    said = subprocess.run(
        [sys.executable, "-m", "firmware_sim", "--fault", "list"], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"^(\w+)  \(", said.stdout, re.MULTILINE))


def test_every_fault_of_the_catalogue_has_its_row_and_every_row_its_fault() -> None:
    assert set(rows()) == catalogue()


def test_every_row_says_what_it_means_what_is_done_who_is_asked_and_how_it_goes_on() -> None:
    for name, cells in rows().items():
        assert len(cells) == COLUMNS, name
        assert all(cells), name
