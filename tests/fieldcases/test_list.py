"""docs/field-cases.md against the tests: each case is tried where the page says so, and no tried case is missing."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "field-cases.md"
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \|$")
FILE = re.compile(r"`(tests/\S+\.py)`")
NAME = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
NUMBER = re.compile(r"(?<=field_case_)\d+(?=_)")


def rows() -> list[tuple[int, str, str]]:
    """Number, what happens, where it is tried or why not."""
    found = [ROW.match(line) for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return [(int(row[1]), row[2], row[3]) for row in found if row]


def tried() -> dict[int, set[str]]:
    """The files in which a test carries the number of a case."""
    files: dict[int, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in NAME.findall(path.read_text(encoding="utf-8")):
            for number in NUMBER.findall(name):
                files.setdefault(int(number), set()).add(str(path.relative_to(ROOT)))
    return files


def test_each_case_has_one_row_in_order() -> None:
    numbers = [number for number, _, _ in rows()]
    assert numbers == sorted(set(numbers))


def test_each_case_is_tried_where_the_page_says_or_it_says_why_not() -> None:
    where = tried()
    for number, _, place in rows():
        named = set(FILE.findall(place))
        assert named == where.get(number, set()) & named, f"{number}: {place}"
        assert named or len(place) > 12, f"{number}: neither a test nor a reason"
        assert named or number not in where, f"{number} is tried in {where.get(number)}"


def test_each_test_that_carries_a_number_is_on_the_page() -> None:
    named = {number: set(FILE.findall(place)) for number, _, place in rows()}
    missing = {number: files - named.get(number, set()) for number, files in tried().items()}
    assert {number: files for number, files in missing.items() if files} == {}
