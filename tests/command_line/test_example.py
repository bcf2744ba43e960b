"""The example of a configuration and the page about its keys have every key that there is, and are good."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from shoectl.config import load, parse
from tests.command_line.schema import NEEDED, keys, named
from tests.devices.keys import key_file
from tests.endtoend.runs import shoectl
from tests.mqtt.certificates import Authority

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = (ROOT / "examples" / "table.toml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
FOLDERS = ("/etc/shoectl", "/var/lib/shoectl", "/run/shoectl", "/var/backups/shoectl")


def whole() -> str:
    """The example with every key that it has as a remark."""
    return re.sub(r"^# (\[[a-z]+\]|[a-z_]+ = )", r"\1", EXAMPLE, flags=re.MULTILINE)


def test_the_example_has_every_key_and_all_of_them_together_are_good() -> None:
    data = tomllib.loads(whole())
    assert named(data) == set(keys())
    parse(data, "table.toml")


def test_the_example_says_of_every_key_what_applies_where_it_is_left_out() -> None:
    section = ""
    for line in whole().splitlines():
        section = re.sub(r"^\[(.*)\]$", r"\1", line) if line.startswith("[") else section
        found = re.match(r'([a-z_]+) = .*left out: ("[^"]*"|\d+|true|false)$', line)
        if found and section not in ("limits", "house", "deck"):
            key = f"{'devices.PLACE' if section.startswith('devices') else section}.{found[1]}"
            assert json.loads(found[2]) == keys()[key], line


def test_the_example_is_good_as_it_stands(tmp_path: Path) -> None:
    assert shoectl(tmp_path, "check", "--config", str(ROOT / "examples" / "table.toml")).code == 0


def test_the_example_with_all_its_keys_is_good_where_its_files_are_there(tmp_path: Path) -> None:
    text = whole()
    for folder in FOLDERS:
        text = text.replace(folder, str(tmp_path))
    path = tmp_path / "table.toml"
    path.write_text(text)
    said = shoectl(tmp_path, "check", "--config", str(path))
    assert (said.code, said.said) == (
        2,
        f"shoectl: {path}: devices.shoe.key: {tmp_path}/shoe.key: no such file or directory\n",
    )
    key_file(tmp_path / "shoe.key")
    for name in re.findall(r"[a-z]+\.(?:password|pem|key|json)", text):
        key_file(tmp_path / name)
    (tmp_path / "people.json").write_text("{}")
    authority = Authority(tmp_path)
    authority.ca.replace(tmp_path / "ca.pem")
    for name in ("bus", "console"):
        authority.issue(name)[0].replace(tmp_path / f"{name}.pem")
    good = shoectl(tmp_path, "check", "--config", str(path), "--json")
    assert good.code == 0, good.said
    assert good.summary["devices"]["shoe"]["key"] == {"file": f"{tmp_path}/shoe.key", "credential": None}
    assert load(path).model_dump(mode="json") == good.summary


@pytest.mark.parametrize("key", sorted(keys()))
def test_the_page_has_the_key_with_what_applies_where_it_is_left_out(key: str) -> None:
    rows = re.findall(rf"^\| `{re.escape(key)}` \| (.+) \| (.+) \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) == 1
    told, left_out = rows[0][1], keys()[key]
    if left_out == NEEDED:
        assert told == "needed"
    elif left_out in (None, "", {}):
        assert not told.startswith("`")  # in words
    else:
        assert told == f"`{json.dumps(left_out)}`"


def test_the_page_has_no_key_that_there_is_not() -> None:
    assert set(re.findall(r"^\| `([^`]+)` \| .+ \| .+ \|$", PAGE, flags=re.MULTILINE)) == set(keys())
