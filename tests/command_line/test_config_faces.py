"""Mistakes in the sections of devices' keys, bus, pages, people: one line each, and a secret is never said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoectl.config import load, parse, places_of
from shoectl.config_checks import check_files
from shoectl.errors import BadInput
from tests.devices.keys import KEY, OTHER, key_file

SHUFFLER = {"url": "serial:///dev/shoectl/shuffler0?baud=57600", "family": "alder"}
SHOE = {"url": "serial:///dev/shoectl/shoe0", "family": "birch"}
FILE = {"file": "/etc/shoectl/x"}
NAMED = '{ file = "/path" } or { credential = "name" }'


def shoe(**more: Any) -> dict[str, Any]:
    return {"devices": {"shoe": {**SHOE, **more}}}


def bus(**more: Any) -> dict[str, Any]:
    return {"bus": {"host": "broker.example", **more}}


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (shoe(level=3), "devices.shoe.level: 3 is not allowed; should be less than or equal to 2"),
        (shoe(level=1), f"devices.shoe.key is missing: security level 1 needs the key of the device; {NAMED}"),
        (
            shoe(key=FILE),
            "devices.shoe.key: a key, but devices.shoe.level is 0, which uses none; 1 (auth",
        ),
        (shoe(key_id=3), "devices.shoe.key_id: the number of a key, but there is no devices.shoe.key"),
        (shoe(level=1, key=FILE, key_id=0), "devices.shoe.key_id: 0 is not allowed; should be greater than or equal"),
        (
            {"devices": {"shuffler": {**SHUFFLER, "level": 2, "key": FILE}}},
            "devices.shuffler.level: 2 is not allowed for alder; allowed: 0, 1",
        ),
        (shoe(level=1, key={}), f"devices.shoe.key: a secret is named by one of file and credential; {NAMED}"),
        (
            shoe(level=1, key={"file": "/x", "credential": "x"}),
            f"devices.shoe.key: a secret is named by one of file and credential; {NAMED}",
        ),
        (
            shoe(level=1, key={"credential": "../x"}),
            f"devices.shoe.key: a credential is a name without a folder; {NAMED}",
        ),
        (shoe(level=1, key="5ec2e7"), f"devices.shoe.key: a secret is named here and not written; {NAMED}"),
        (
            shoe(level=1, key={"fil": "5ec2e7"}),
            "unknown key 'devices.shoe.key.fil', did you mean 'file'? allowed: file, credential",
        ),
        (shoe(level=1, key={"file": 5}), f"devices.shoe.key.file: a secret is named here and not written; {NAMED}"),
        ({"bus": {}}, "bus.host is missing"),
        ({"bus": "broker"}, "bus: 'broker' is not allowed; a section [bus] is needed"),
        (bus(prt=1), "unknown key 'bus.prt', did you mean 'port'? allowed: host, port, tls,"),
        (bus(port=0), "bus.port: 0 is not allowed; should be greater than or equal to 1"),
        (bus(tls="no"), "bus.tls: 'no' is not allowed; should be a valid boolean"),
        (
            bus(tls=False),
            "bus.tls: false, but 'broker.example' is another machine; true, or a broker on this one",
        ),
        (bus(host="127.0.0.1", tls=False, ca="/x"), "bus.ca: of no use while bus.tls is false; leave it out, or"),
        (bus(cert="/x"), "bus.key is missing: bus.cert is of no use alone"),
        (bus(key="/x"), "bus.cert is missing: bus.key is of no use alone"),
        (bus(ca=""), "bus.ca: '' is not allowed; string should have at least 1 character"),
        (bus(password=FILE), "bus.username is missing: a password is of somebody"),
        (bus(password="5ec2e7"), f"bus.password: a secret is named here and not written; {NAMED}"),
        (bus(client_id="a b"), "bus.client_id: 'a b' is not allowed; 1 to 64 letters, digits, '_', '.' and '-'"),
        (bus(table="a/b"), "bus.table: 'a/b' is not allowed; 1 to 60 letters, digits, '_', '.' and '-'"),
        (
            {**bus(), "table": {"name": "pit 3, table 12"}},
            "bus.table is missing: table.name 'pit 3, table 12' cannot be part of a topic; 1 to 60 letters",
        ),
        ({"table": {"site": "#"}}, "table.site: '#' is not allowed; 1 to 60 letters, digits, '_', '.' and '-'"),
        ({"console": {"listen": "8080"}}, "console.listen: '8080' is not allowed; HOST:PORT, as 127.0.0.1:8080 or"),
        ({"console": {"listen": "127.0.0.1:70000"}}, "console.listen: port 70000 is not allowed; 1 to 65535"),
        (
            {"console": {"listen": "0.0.0.0:8080"}},
            "console.listen: '0.0.0.0:8080' is open to others, and there is no TLS; console.cert and console.key, or",
        ),
        ({"console": {"cert": "/x"}}, "console.key is missing: console.cert is of no use alone"),
        ({"console": {"idle_minutes": 0}}, "console.idle_minutes: 0 is not allowed; should be greater than or equal"),
        ({"people": {"dealer": 7, "floor": 7}}, "people.floor: 7 is the dealer's number; allowed: another one"),
        ({"people": {"file": 5}}, "people.file: 5 is not allowed; should be a valid string"),
        ({"upkeep": {"keep_days": 0}}, "upkeep.keep_days: 0 is not allowed; should be greater than or equal to 1"),
        ({"simulated": {"control": "/x", "speed": "fast"}}, "simulated.speed: 'fast' is not allowed; a number above 0"),
        ({"limits": {"An te": [1, 2]}}, "limits.An te: 'An te' is not allowed; the name of a wager, as ante"),
        ({"limits": []}, "limits: [] is not allowed; a section [limits] is needed"),
        ({"devices": {"shoe": "alder"}}, "devices.shoe: 'alder' is not allowed; a section [devices.shoe] is needed"),
        (
            {"table": {"name": "x" * 500}},
            "table.name: '" + "x" * 59 + "… is not allowed; string should have at mo",
        ),
    ],
)
def test_a_mistake_is_one_line_that_names_file_key_and_what_is_allowed(data: dict[str, object], line: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(data, "table.toml")
    assert str(refused.value).startswith(f"table.toml: {line}")
    assert "\n" not in str(refused.value)
    assert "5ec2e7" not in str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        {"console": {"listen": "[::1]:8080"}},
        {"console": {"listen": "localhost:8080"}},
        {"console": {"listen": "0.0.0.0:8443", "cert": "/c", "key": "/k"}},
        bus(host="127.0.0.1", tls=False),
        bus(host="::1", tls=False),
        bus(username="x", password={"credential": "bus"}),
        shoe(level=2, key=FILE, key_id=4294967295),
    ],
)
def test_what_is_allowed_is_taken_without_a_look_at_its_files(data: dict[str, object]) -> None:
    parse(data, "table.toml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[table]\nname = "x\n', "not valid TOML: "),
        ("[table]\n[table]\n", "not valid TOML: Cannot declare ('table',) twice (at line 2, column 7)"),
        ("[limits]\nante = [1, 2]\nante = [1, 3]\n", "not valid TOML: Cannot overwrite a value (at line 3, column 14)"),
        ("x = " + "[" * 100_000, "not valid TOML: nested too deep"),
    ],
)
def test_what_is_no_toml_is_one_line_with_the_number_of_the_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}: {line}")
    assert "\n" not in str(refused.value)


# secrets


@pytest.mark.parametrize(
    ("content", "mode", "line"),
    [
        (None, 0o600, "no such file or directory"),
        (b"", 0o600, "it is empty"),
        (b"5ec2e7" * 20_000, 0o600, "longer than 65536 bytes"),
        (KEY.hex().encode(), 0o640, "mode 0640, but a secret is for its owner alone (chmod 600)"),
        (KEY, 0o600, "32 characters, but a key is 64 hexadecimal digits (openssl rand -hex 32)"),
        (KEY.hex()[:-1].encode(), 0o600, "63 characters, but a key is 64 hexadecimal digits"),
        (b"5ec2e7", 0o600, "6 characters, but a key is 64 hexadecimal digits"),
        (b"zz" * 32, 0o600, "64 characters, but a key is 64 hexadecimal digits"),
    ],
)
def test_a_key_that_is_none_is_one_line_that_does_not_say_it(
    tmp_path: Path, content: bytes | None, mode: int, line: str
) -> None:
    file = tmp_path / "shoe.key"
    if content is not None:
        file.write_bytes(content)
        file.chmod(mode)
    config = parse(shoe(level=2, key={"file": str(file)}), "table.toml")
    with pytest.raises(BadInput) as refused:
        places_of(config)
    assert str(refused.value).startswith(f"devices.shoe.key: {file}: {line}")
    assert "5ec2e7" not in str(refused.value)


def test_keys_reach_the_places_and_no_picture_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_file(tmp_path / "shoe.key", KEY)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = parse(shoe(level=2, key={"credential": "shoe.key"}, key_id=9), "table.toml")
    (place,) = places_of(config)
    assert place.pin is not None
    assert (place.pin.level, place.pin.key, place.pin.key_id) == (2, KEY, 9)
    assert KEY.hex() not in repr(place) + json.dumps(config.model_dump(mode="json"))
    assert repr(KEY) not in repr(place)
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    with pytest.raises(BadInput, match=r"devices.shoe.key: credential shoe.key: the service manager passed none"):
        places_of(config)


def test_two_devices_have_two_keys(tmp_path: Path) -> None:
    one, two = key_file(tmp_path / "one", KEY), key_file(tmp_path / "two", KEY)
    devices = {
        "shuffler": {**SHUFFLER, "level": 1, "key": {"file": str(one)}},
        "shoe": {**SHOE, "level": 2, "key": {"file": str(two)}},
    }
    config = parse({"devices": devices}, "table.toml")
    with pytest.raises(BadInput, match=r"devices.shoe.key: the same key as devices.shuffler; each device has one of"):
        places_of(config)
    two.write_text(OTHER.hex())
    assert [place.pin.key for place in places_of(config) if place.pin] == [KEY, OTHER]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({"console": {"cert": "TMP/c", "key": "TMP/k"}}, "console.cert: TMP/c: no such file or directory"),
        (bus(ca="TMP"), "bus.ca: TMP: is a directory"),
        (bus(username="x", password={"file": "TMP/p"}), "bus.password: TMP/p: no such file or directory"),
    ],
)
def test_files_that_cannot_be_read_are_named_by_the_check(tmp_path: Path, data: dict[str, object], line: str) -> None:
    here = json.loads(json.dumps(data).replace("TMP", str(tmp_path)))
    with pytest.raises(BadInput) as refused:
        check_files(parse(here, "table.toml"))
    assert str(refused.value) == line.replace("TMP", str(tmp_path))


def test_the_check_prints_the_table_that_it_would_be(tmp_path: Path, command: Any) -> None:
    key_file(tmp_path / "shoe.key", KEY)
    path = tmp_path / "table.toml"
    path.write_text(
        '[table]\nname = "t12"\nseats = 5\n[people]\nfile = "people.json"\n[console]\n[bus]\nhost = "broker"\n'
        '[devices.shoe]\nurl = "serial:///dev/nowhere"\nfamily = "birch"\nlevel = 2\n'
        f'key = {{ file = "{tmp_path}/shoe.key" }}\n'
    )
    code, out, err = command("check", "--config", path)
    assert (code, out.splitlines()) == (
        0,
        [
            f"{path}: good: t12",
            "  game     Lunar Poker, 5 seats, dealing: manual",
            "  shoe     birch at serial:///dev/nowhere, encrypted",
            "  journal  in the state folder",
            "  console  http://127.0.0.1:8080",
            "  bus      mqtts://broker:8883, shoectl/v1/site/t12",
            "  people   dealer 4711, floor 815, people.json",
        ],
    )
    assert err == f"{path}: people.file: people.json is not there yet: nobody can sign in\n"
