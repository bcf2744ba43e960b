"""A page per fault for operators, which says what the console says."""

import re
from pathlib import Path

import pytest

from protocols.vocabulary import FIRST_FAULT, EventCode
from shoectl.faults import CONDITIONS, FAULTS, FaultWords, words_of

PAGES = Path(__file__).parents[2] / "docs" / "operators"
ALL = [*FAULTS.values(), *CONDITIONS.values()]


def test_every_fault_that_a_device_can_report_has_words() -> None:
    assert {code for code in EventCode if code >= FIRST_FAULT} == set(FAULTS)


@pytest.mark.parametrize("words", ALL, ids=lambda words: words.page)
def test_a_page_says_what_the_console_says(words: FaultWords) -> None:
    page = (PAGES / f"{words.page}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {words.title}\n\n**{words.do}**\n")
    parts = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert parts == ["What it means", "What the table does", "For the floorperson"]


def test_the_index_lists_every_page_and_no_other() -> None:
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(.*)\]\((.*)\.md\) \| (.*) \|$", index, re.MULTILINE)
    assert listed == [(words.title, words.page, words.do) for words in ALL]
    assert {path.stem for path in PAGES.glob("*.md")} == {"README", *(words.page for words in ALL)}


def test_a_code_that_nobody_has_named_is_said_to_be_unknown() -> None:
    assert words_of(0xF7).title == "Fault F7"
