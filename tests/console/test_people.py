"""The register and its command: rules for PINs, a file that is whole and its owner's alone, no output with a secret."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from shoectl.commands import people as command
from shoectl.errors import BadInput
from shoectl.people.numbers import HOW
from shoectl.people.pins import check_pin, new_pin
from shoectl.people.register import Record, Register, read, write

from .sitting import QUICK


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """PINs of tests are hashed quickly."""
    monkeypatch.setattr(command, "hash_pin", lambda pin: QUICK.hash(pin))


def call(*words: object, input: str = "") -> Any:
    return CliRunner().invoke(command.people, [str(word) for word in words], input=input, standalone_mode=False)


def added(file: Path, number: int = 4711, role: str = "dealer", pin: str = "2580") -> None:
    done = call("add", number, "Ana", "--role", role, "--pin-file", "-", "--file", file, input=pin + "\n")
    assert done.exception is None, done.exception


@pytest.mark.parametrize(
    "pin", ["", "123", "1111", "4711", "004711", "12a4", "1234567890123", "٣٤٥٦", " 2580", "25 80"]
)
def test_a_pin_has_four_digits_or_more_not_all_alike_and_is_not_the_number(pin: str) -> None:
    with pytest.raises(BadInput, match="4 to 12 digits") as refused:
        check_pin(pin, 4711)
    assert len(pin) < 5 or pin not in str(refused.value)


def test_pins_that_are_made_keep_the_rules() -> None:
    for _ in range(200):
        check_pin(new_pin(4711), 4711)


def test_people_are_added_listed_changed_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    added(file)
    added(file, 815, "floor", "7391")
    listed = json.loads(call("list", "--json", "--file", file).stdout)["people"]
    assert [(one["number"], one["role"], one["pin"], one["token"]) for one in listed] == [
        (815, "floor", True, False),
        (4711, "dealer", True, False),
    ]
    before = read(file)[1].pin
    call("passwd", 4711, "--pin-file", "-", "--file", file, input="8642\n")
    assert read(file)[1].pin != before
    call("passwd", 4711, "--role", "observer", "--file", file)
    assert read(file)[1].role == "observer"
    call("remove", 815, "--file", file)
    assert [one.number for one in read(file)] == [4711]


def test_the_register_and_its_outputs_hold_no_pin_and_no_token(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    added(file, pin="907351")
    token = call("token", 4711, "--file", file).stdout.strip()
    assert token.startswith("4711.")
    for text in (file.read_text(), call("list", "--json", "--file", file).stdout, call("list", "--file", file).stdout):
        assert "907351" not in text
        assert token not in text
        assert token.partition(".")[2] not in text
    assert "argon2id" in file.read_text()
    assert "argon2" not in call("list", "--json", "--file", file).stdout
    call("token", 4711, "--revoke", "--file", file)
    assert read(file)[0].token is None


@pytest.mark.parametrize(
    ("words", "input", "said"),
    [
        (
            ("add", 4711, "Ana", "--role", "dealer", "--pin-file", "-"),
            "2580\n",
            "4711: this operator is in the register",
        ),
        (("add", 5, "\n", "--role", "dealer", "--pin-file", "-"), "2580\n", "a name has 1 to 60 characters"),
        (("add", 5, "Bo", "--role", "dealer", "--pin-file", "-"), "12\n", "PIN: a PIN has 4 to 12 digits"),
        (("add", 5, "Bo", "--role", "dealer", "--pin-file", "/nowhere"), "", "/nowhere: no such file"),
        (("add", 5, "Bo", "--role", "dealer"), "", "a PIN is asked for at a terminal"),
        (("remove", 5), "", "5: no such operator"),
        (("passwd", 5, "--role", "floor"), "", "5: no such operator"),
        (("token", 5), "", "5: no such operator"),
    ],
)
def test_what_cannot_be_is_one_line_and_changes_nothing(
    tmp_path: Path, words: tuple[object, ...], input: str, said: str
) -> None:
    file = tmp_path / "people.json"
    added(file)
    before = file.read_bytes()
    done = call(*words, "--file", file, input=input)
    assert isinstance(done.exception, BadInput)
    assert str(done.exception).startswith(said)
    assert "\n" not in str(done.exception)
    assert file.read_bytes() == before


@pytest.mark.parametrize("number", ["0815", "0", "65536", "815.0", "٨١٥", "Ana"])
def test_a_number_that_is_none_is_refused_at_the_command_line(tmp_path: Path, number: str) -> None:
    file = tmp_path / "people.json"
    added(file, 815)
    before = file.read_bytes()
    for words in (("add", number, "Bo", "--role", "floor", "--pin-file", "-"), ("remove", number), ("token", number)):
        done = call(*words, "--file", file, input="2580\n")
        assert isinstance(done.exception, click.BadParameter)
        assert done.exception.message == f"{number!r} is no operator number; allowed are {HOW}"
    assert file.read_bytes() == before


ANA = '"number": 815, "name": "Ana", "role": "floor"'


@pytest.mark.parametrize(
    ("people", "said"),
    [
        (
            f'{{{ANA}}}, {{"number": 4, "name": "Bo", "role": "dealer"}}, {{{ANA}}}',
            f"people.2.number: 815 is that of people.0 already; allowed: one of its own for each, {HOW}",
        ),
        (f'{{{ANA}, "number": 816}}', "the key number stands there twice; allowed is each once in a person"),
        (f'{{{ANA}, "role": "dealer"}}', "the key role stands there twice; allowed is each once in a person"),
        ('{"number": 0815, "name": "Ana", "role": "floor"}', "the file: invalid JSON"),
        ('{"number": "815", "name": "Ana", "role": "floor"}', "people.0.number: input should be a valid integer"),
    ],
)
def test_of_what_stands_twice_in_a_register_nothing_is_taken(tmp_path: Path, people: str, said: str) -> None:
    file = tmp_path / "people.json"
    file.write_text(f'{{"people": [{people}]}}')
    file.chmod(0o600)
    with pytest.raises(BadInput) as refused:
        Register(file).people()
    assert str(refused.value).startswith(f"{file}: {said}")


def test_the_register_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    before = os.umask(0)
    try:
        added(file)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    with pytest.raises(BadInput, match="mode 0640"):
        Register(file).people()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"people": [{}]}',
        '{"people": [{"number": 0, "name": "a", "role": "dealer"}]}',
        '{"people": [{"number": 1, "name": "a", "role": "king"}]}',
        '{"people": [{"number": 1, "name": "a", "role": "dealer", "more": 1}]}',
        '{"people": [{"number": 1, "name": "a", "role": "dealer"}, {"number": 1, "name": "b", "role": "floor"}]}',
        "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_register_that_says_something_else_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "people.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(BadInput, match=r"people\.json") as refused:
        Register(file).people()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_field_case_91_a_full_disk_leaves_the_register_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "people.json"
    added(file)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(BadInput, match="cannot be written: no space left"):
        _add_ten(file, 1)
    monkeypatch.undo()
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [".people.json.lock", "people.json"]
    _add_ten(file, 1)
    assert len(read(file)) == 11


def test_two_commands_at_once_lose_nobody(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    threads = [threading.Thread(target=_add_ten, args=(file, first)) for first in range(1, 41, 10)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [one.number for one in read(file)] == list(range(1, 41))


def _add_ten(file: Path, first: int) -> None:
    for number in range(first, first + 10):
        with Register(file).changing() as everybody:
            everybody[number] = Record(number=number, name="x", role="observer")


def test_the_daemon_sees_a_change_at_its_next_look(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    register = Register(file)
    assert register.people() == []
    for role in ("dealer", "floor", "dealer"):
        write(file, [Record(number=1, name="x", role=role)])
        assert register.people()[0].role == role
    file.unlink()
    assert register.find(1) is None
