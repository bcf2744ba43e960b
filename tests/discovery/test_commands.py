"""`devices` and `doctor` as commands: output, exit codes, bad input in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from shoectl import cli
from shoectl.commands import attaching
from shoectl.devices.places import Place
from shoectl.discovery.finding import REASONS
from shoectl.discovery.history import known, verdict_of, verdicts
from shoectl.journal import Journal
from shoectl.table.runner import Runner
from tests.devices.plugs import occupied
from tests.devices.ports import until
from tests.devices.scripted import alder
from tests.discovery.lines import doctor, plugged
from tests.sim.process import shoesim
from tests.table.game import Purse, cycle
from tests.timeloop import virtual

ROOT = Path(__file__).parents[2]


def table(path: Path, url: str, family: str = "alder", serial: str = "AL000117") -> Path:
    path.write_text(
        f'[table]\njournal = "{path.parent}/journal"\n'
        f'[devices.shuffler]\nurl = "{url}"\nfamily = "{family}"\nserial = "{serial}"\n'
    )
    return path


@pytest.fixture
def shoectl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """A command in this process: exit code, output, messages. What is attached to this machine is left alone."""
    monkeypatch.setattr(attaching, "attached", lambda system: [])

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


Command = Callable[..., tuple[int, str, str]]


def test_list_show_and_doctor_at_a_simulated_table(tmp_path: Path, shoectl: Command) -> None:
    with shoesim("alder", "--dir", str(tmp_path), "--speed", "max", "--person", "none") as (process, _):
        url = f"serial://{tmp_path}/alder"
        code, out, err = shoectl("devices", "list", "--url", url, "--json", "--patience", "3")
        assert (code, err) == (0, "")
        mine = json.loads(out)
        assert (mine["state"], mine["url"]) == ("answers", f"{url}?baud=57600")
        assert (mine["device"]["family"], mine["device"]["serial"]) == ("alder", "AL000117")
        assert shoectl("devices", "list", "--url", url, "--no-ask")[1].startswith(f"{url} (/dev/pts/")

        code, out, err = shoectl("devices", "show", url, "--json")  # whoever it is
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert (told["family"], told["identity"]["serial"], told["verdicts"]) == ("alder", "AL000117", [])

        code, out, err = shoectl("doctor", "--config", str(table(tmp_path / "good.toml", url)), "--patience", "3")
        assert (code, err) == (0, "")
        assert re.fullmatch(r"shuffler: .+ Alder-sim, serial AL000117, firmware \S+ \(alder\)\n", out)

        wrong = table(tmp_path / "wrong.toml", url, serial="AL000001")
        code, out, err = shoectl("doctor", "--config", str(wrong), "--json", "--patience", "3")
        assert (code, err) == (1, "shoectl: 1 thing found\n")
        assert [one["reason"] for one in json.loads(out)["findings"]] == ["wrong-serial"]
        process.terminate()
        process.wait(10)
        code, out, err = shoectl("doctor", "--config", str(wrong))
        assert (code, len(out.splitlines())) == (1, 1)
        assert out.startswith(f"shuffler ({url}): no-node: {tmp_path}/alder is not there")
        assert shoectl("devices", "show", url)[0] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("devices", "list", "--url", "com3"), "'com3' is no device URL"),
        (("devices", "list", "--usbip", "here"), "--usbip 'here': write HOST:PORT"),
        (("devices", "list", "--patience", "0"), "0 is not in the range"),
        (("devices", "show", "serial:///dev/null", "--family", "elm"), "unknown family 'elm'"),
        (("doctor", "--config", "/nowhere/table.toml"), "/nowhere/table.toml: No such file"),
        (("doctor", "--config", "x", "--url", "tcp://h:1"), "--config names the devices"),
        (("doctor", "--user", "nobody-of-that-name"), "there is no such user here"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: tuple[str, ...], words: str, shoectl: Command) -> None:
    code, out, err = shoectl(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err


def test_a_server_that_is_not_there_is_exit_3(shoectl: Command) -> None:
    code, _, err = shoectl("devices", "list", "--usbip", "127.0.0.1:9")
    assert code == 3
    assert err == "shoectl: --usbip 127.0.0.1:9: no USB/IP server answers (Connection refused)\n"


def test_a_machine_without_devices_has_nothing_to_list_and_the_doctor_says_so(shoectl: Command) -> None:
    assert shoectl("devices", "list") == (0, "", "nothing that may be a shuffler or a shoe is attached\n")
    code, out, _ = shoectl("doctor")
    assert (code, out.split(": ")[:2]) == (1, ["this machine", "nothing-attached"])


@virtual
async def test_the_past_of_a_device_comes_from_the_journal_and_from_itself(tmp_path: Path) -> None:
    device, path = alder(), tmp_path / "port"
    body = {"cycle": 7, "in": 52, "out": 51, "expected": 52, "verdict": 2, "flags": 0}
    kept = device.event(0x21, **body)
    with Journal.open(tmp_path / "journal", threaded=False) as journal, plugged(path, device):
        record = Runner(journal, cycle, Purse(), current={"rules": "1"})
        async with occupied(record, alder=path) as stations:
            await stations["alder"].ready()
            await until(lambda: device.acknowledged == 1)
    seen = known(tmp_path / "journal")["alder"]
    assert (seen.serial, seen.epoch, seen.firmware) == ("AL000117", 1, "1.0")
    (told,) = verdicts(tmp_path / "journal", device.identity)
    assert (told.cycle, told.verdict, told.counted, told.expected) == (7, "short", 51, 52)
    assert told.at.endswith("+00:00")
    own = verdict_of(kept, 1)
    assert own
    assert own.json == {**told.json, "at": ""}
    with plugged(path, alder("AL000118")):
        place = Place("alder", f"serial://{path}", "alder")
        (found,) = (await doctor(place, known=known(tmp_path / "journal"))).findings
    assert (found.reason, found.what) == ("other-unit", "Alder AL000118 took the place of AL000117")


def test_each_reason_is_in_the_document_with_what_it_means_and_is_tried() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", page, re.MULTILINE))
    assert rows == dict(REASONS)
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_doctor_*.py"))
    assert [reason for reason in REASONS if f'"{reason}"' not in tests] == []
