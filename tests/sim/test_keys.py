"""Keys and least levels of simulated devices: what `shoesim` takes, and what it refuses in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_sim.setup import Setup
from firmware_sim.table import SimulatedTable, options_of
from firmware_sim.treatment import identity
from protocols.vocabulary import Identity
from tests.devices.keys import KEY, key_file
from tests.sim.process import run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--key", "none"], "key none: no such file or directory"),
        (["--key", "short"], "key short: a key is 64 hexadecimal digits"),
        (["--key", "good:0"], "key 'good:0': its number is 1 to 4294967295"),
        (["--key", "birch=good"], "birch=: there is no 'birch' among the devices; there are alder"),
        (["--level", "3"], "level '3': there are 0, 1, 2"),
        (["--level", "alder=x"], "level 'x': there are 0, 1, 2"),
    ],
)
def test_a_key_or_a_level_that_cannot_be_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    key_file(tmp_path / "good", KEY)
    (tmp_path / "short").write_text("00ff")
    done = run("alder", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"shoesim: {line}\n")


def test_a_device_has_its_own_key_else_that_of_its_family_else_that_of_all(tmp_path: Path) -> None:
    file = key_file(tmp_path / "a=b.key", KEY)
    named = options_of({"key": f"{file}:7", "level": "2"}, "birch@4")
    table = SimulatedTable(Setup(("birch", "birch@4"), **named))
    told = {name: Identity.of(identity(machine.device)) for name, machine in table.machines.items() if machine.device}
    table.close()
    assert {name: (who.key_id, who.flags >> 1 & 1, who.min_level) for name, who in told.items()} == {
        "birch": (0, 0, 0),
        "birch@4": (7, 1, 2),
    }
