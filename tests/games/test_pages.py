"""docs/games: what a page says of the house's choices is what the code has."""

import re
from pathlib import Path

import pytest

from shoectl.games.house import show_value
from shoectl.games.own_paytables import PaytableOption
from shoectl.games.registry import game, game_names

PAGES = Path(__file__).parents[2] / "docs" / "games"


def rows(name):
    """The table of house options of a page: option, then default, alternatives and source."""
    part = (PAGES / f"{name}.md").read_text(encoding="utf-8").split("\n## House options\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \| (.*?) \|$", part, re.MULTILINE)
    return {option: texts for names, *texts in found for option in re.findall(r"`([a-z0-9_]+)`", names)}


@pytest.mark.parametrize("name", game_names())
def test_a_page_has_every_option_with_its_default_and_its_alternatives(name):
    page, options = rows(name), {option.name: option for option in game(name).own_options}
    assert sorted(page) == sorted(options)
    for option in options.values():
        default, alternatives, _ = page[option.name]
        assert default.strip("`") == show_value(option.default), option.name
        if "see below" not in alternatives:
            assert all(show_value(value) in alternatives for value in option.alternatives), option.name
        assert ("own lines" in alternatives) == isinstance(option, PaytableOption), option.name
