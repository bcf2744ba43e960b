"""`shoectl init` writes a configuration that is good, from what answers, and never over another file."""

from __future__ import annotations

import json
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocols.family import families
from protocols.vocabulary import Identity
from shoectl.commands import attaching
from shoectl.config import load, parse
from shoectl.discovery.ask import Answer
from shoectl.discovery.attached import Port
from shoectl.discovery.bus import Speech
from shoectl.discovery.survey import Seen, State
from shoectl.first_config import seat, text_of
from tests.devices.keys import KEY, key_file
from tests.sim.process import shoesim

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is attached to this machine is left alone."""
    monkeypatch.setattr(attaching, "attached", lambda system: [])
    monkeypatch.chdir(tmp_path)


def test_the_devices_of_a_bus_become_a_table_that_is_good(tmp_path: Path, command: Command) -> None:
    words = ["--usbip", "127.0.0.1:0", "--speed", "max", "--person", "none"]
    with shoesim("alder", "dogwood", "cedar", *words) as (_, ready):
        server = ready["devices"][0]["url"].partition("usbip=")[2].partition("&")[0]
        code, out, err = command("init", "--usbip", server, "--game", "cajun-stud", "--patience", "3")
    assert code == 0, err
    assert out.splitlines()[-1] == "written: table.toml; look at it, then: shoectl check --config table.toml"
    assert [line for line in err.splitlines() if line.startswith("left over: cedar CE000117")]
    path = tmp_path / "table.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = load(path)
    assert config.table.game == "cajun-stud"
    assert {place: (one.family, one.serial) for place, one in config.devices.items()} == {
        "shuffler": ("alder", "AL000117"),
        "shoe": ("dogwood", "DO000117"),
    }
    assert command("check", "--config", path)[0] == 0


def test_a_level_that_a_device_asks_for_is_named_and_left_to_people(tmp_path: Path, command: Command) -> None:
    key_file(tmp_path / "key", KEY)
    words = ["--key", "key:7", "--level", "2", "--usbip", "127.0.0.1:0", "--speed", "max", "--person", "none"]
    with shoesim("dogwood", *words) as (_, ready):
        url = ready["devices"][0]["url"]
        code, out, _ = command("init", "-o", "t.toml", "--url", url, "--json", "--patience", "3")
    assert code == 0
    told = json.loads(out)
    assert told["file"] == "t.toml"
    assert told["places"]["shoe"]["serial"] == "DO000117"
    assert told["remarks"] == [
        "no shuffler was found: the deck is shuffled by hand",
        "shoe: DO000117 asks for security level 2: set level and key, or it is refused",
    ]
    text = (tmp_path / "t.toml").read_text()
    for line in ("# level = 2 ", '# key = { file = "/etc/shoectl/shoe.key" }', "# key_id = 7"):
        assert f"\n{line}" in text
        text = text.replace(f"\n{line}", f"\n{line.removeprefix('# ')}")
    assert text.count("\nlevel = 2 ") == 1
    assert command("check", "--config", "t.toml")[0] == 0


def test_a_file_that_is_there_is_kept_unless_it_may_be_replaced(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "table.toml"
    path.write_text("mine")
    code, _, err = command("init")
    assert (code, path.read_text()) == (2, "mine")
    assert err == "shoectl: table.toml: it is there already; another -o FILE, or --force to replace it\n"
    code, _, err = command("init", "--force")
    assert code == 0
    assert err.splitlines() == [
        "no shuffler was found: the deck is shuffled by hand",
        "no shoe was found: cards are dealt from the hand",
    ]
    assert load(path).devices == {}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["table.toml"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--game", "lunar"), "game 'lunar' is not known"),
        (("-o", "no/such/folder.toml"), "no/such/folder.toml: no such file or directory"),
        (("--usbip", "here"), "--usbip 'here': write HOST:PORT"),
        (("--url", "x:y"), "'x:y': unknown scheme 'x'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path, command: Command, words: tuple[str, ...], line: str
) -> None:
    code, out, err = command("init", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"shoectl: {line}")
    assert list(tmp_path.iterdir()) == []


def answer(family: str, url: str, **said: Any) -> Answer:
    body = dict.fromkeys(Identity.__annotations__, 0) | {
        "family": families()[family].code,
        "caps": int(families()[family].caps),
        "maker": "Example",
        "model": family,
        "serial": f"{family[:2].upper()}1",
        "fw_version": "1.0",
    }
    return Answer(url, family, Identity(**(body | said)))


def seen(*answers: Answer, **more: Any) -> Seen:
    return Seen(Port(answers[0].url if answers else "serial:///dev/ttyUSB9", Speech.LINE), **more or {
        "state": State.ANSWERS, "answers": answers
    })  # fmt: skip


ALDER, BIRCH = answer("alder", "serial:///dev/shoectl/a"), answer("birch", "serial:///dev/ttyUSB0?address=3")
CEDAR, DOGWOOD = answer("cedar", "usb://1209:5c01/CE1"), answer("dogwood", "hid:///dev/shoectl/d")


@pytest.mark.parametrize(
    ("there", "places"),
    [
        ([], {}),
        ([ALDER], {"shuffler": ALDER}),
        ([BIRCH, ALDER], {"shuffler": ALDER, "shoe": BIRCH}),
        ([CEDAR], {"shoe": CEDAR}),
        ([CEDAR, ALDER], {"shoe": CEDAR}),
        ([CEDAR, ALDER, DOGWOOD], {"shuffler": ALDER, "shoe": DOGWOOD}),
        ([CEDAR, DOGWOOD], {"shoe": CEDAR}),
    ],
)
def test_who_sits_where_and_the_file_is_good(there: list[Answer], places: dict[str, Answer]) -> None:
    seating = seat([seen(one) for one in there])
    assert seating.places == places
    assert set(seating.spare) == set(there) - set(places.values())
    assert set(parse(tomllib.loads(text_of(seating, "lunar-poker")), "x").devices) == set(places)


def test_what_is_odd_is_said_and_nothing_that_a_device_says_breaks_the_file() -> None:
    odd = answer("birch", "serial:///dev/ttyUSB0", serial='B"\\[x]', maker="M\n[y]", fw_version='"')
    seating = seat([seen(odd), seen(state=State.HELD, why="pid 7 (cat)")])
    config = parse(tomllib.loads(text_of(seating, "lunar-poker")), "x")
    assert config.devices["shoe"].serial == 'B"\\[x]'
    assert seating.remarks[1:] == (
        "shoe: serial:///dev/ttyUSB0 may be another device tomorrow: install the udev rules (udev/install.sh)",
        "not asked: serial:///dev/ttyUSB9: in use by pid 7 (cat)",
    )


def test_a_serial_number_that_cannot_be_printed_is_not_written(tmp_path: Path) -> None:
    seating = seat([seen(answer("birch", "hid:///dev/shoectl/b", serial="B\x1b\n[x]\x7f"))])
    assert parse(tomllib.loads(text_of(seating, "lunar-poker")), "x").devices["shoe"].serial is None
    assert "shoe: serial number B? [x]? has letters that cannot be printed: any unit is taken" in seating.remarks
