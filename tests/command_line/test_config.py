"""A configuration with a typo is one line: the file, the key, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.config import load, parse
from shoectl.errors import BadInput

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHUFFLER = {"url": "serial:///dev/shoectl/shuffler0?baud=57600", "family": "alder"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_every_example_is_good(path: Path) -> None:
    assert load(path).table.game == "lunar-poker"


def test_an_empty_configuration_is_a_table_with_everything_left_out() -> None:
    assert parse({}, "table.toml").table.seats == 4


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({"table": {"gane": "x"}}, "table.toml: unknown key 'table.gane', did you mean 'game'? allowed: name, game,"),
        ({"tabel": {}}, "table.toml: unknown key 'tabel', did you mean 'table'? allowed: table, limits,"),
        ({"table": {"seats": 0}}, "table.toml: table.seats: 0 is not allowed; should be greater than or equal to 1"),
        ({"table": {"seats": "4"}}, "table.toml: table.seats: '4' is not allowed; should be a valid integer"),
        ({"table": {"game": "lunar"}}, "table.toml: game 'lunar' is not known"),
        ({"table": {"dealing": "sho"}}, "table.toml: table.dealing: 'sho' is not allowed; allowed: 'shoe', 'manual'"),
        ({"limits": {"ante": [5]}}, "table.toml: limits.ante: a pair [least, most] of whole numbers"),
        ({"limits": {"ante": [50, 5]}}, "table.toml: limits: ante from 50 to 5: "),
        ({"limits": {"anti": [5, 50]}}, "table.toml: limits: no wager 'anti', there are ante, super"),
        ({"house": {"instant_payot": "A"}}, "table.toml: "),
        ({"devices": {"shoo": SHUFFLER}}, "table.toml: unknown key 'devices.shoo', did you mean 'shoe'?"),
        ({"devices": {"shuffler": {"url": "x:"}}}, "table.toml: devices.shuffler.family is missing"),
        (
            {"devices": {"shuffler": {**SHUFFLER, "family": "alde"}}},
            "table.toml: devices.shuffler.family: unknown 'alde', did you mean 'alder'?",
        ),
        ({"devices": {"shuffler": {**SHUFFLER, "url": "serail:///x"}}}, "table.toml: devices: "),
        ({"devices": {"shuffler": SHUFFLER, "shoe": {**SHUFFLER, "family": "birch"}}}, "table.toml: devices.shoe.url"),
        ({"simulated": {"seed": 7}}, "table.toml: simulated.control is missing"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_key(data: dict[str, object], line: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(data, "table.toml")
    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"[table\n", "not valid TOML"), (b"\xff\xfe", "not a text file"), (None, "No such file or directory")],
)
def test_a_file_that_is_no_configuration_is_one_line(tmp_path: Path, content: bytes | None, line: str) -> None:
    path = tmp_path / "table.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=line) as refused:
        load(path)
    assert "\n" not in str(refused.value)
