"""Each fault that a Cedar or Dogwood can have: what it says, that a host gets over it, and that no card is lost."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from firmware_sim.catalogue import Kind, had_by
from tests.sim.patience_usb import Patient
from tests.sim.test_catalogue import explained

EARLY = {"card": 5, "frame": 14, "event": 9, "draw": 4, "write": 20, "packet": 1}
MORE = {"overtemp": ",lasts=2", "sensor_weak": ",lasts=2", "clock": ",lasts=2"}
SPELLED = {
    ("cedar", "lying_count"): "lying_count@in=-1",
    ("cedar", "packet_size"): "packet_size@card=2,cycle=3",
    ("cedar", "residual"): "residual@cycle=4",
    ("cedar", "overdraw"): "overdraw@draw=8",
    ("dogwood", "duplicate"): "duplicate@draw=4,face=As",
    ("dogwood", "overdraw"): "overdraw@draw=7",
}
WHERE_THE_COUNT_TELLS = {"missing", "extra"}


def spelled(family: str, kind: Kind) -> str:
    """A kind as it is written, so that it strikes early."""
    at = next((key for key in EARLY if key in kind.keys_of(family)), None)
    early = f"@{at}={EARLY[at]}" if at else ""
    return SPELLED.get((family, kind.name), kind.name + early + MORE.get(kind.name, ""))


def passage(tmp: Path, family: str, *faults: str) -> Patient:
    """Cards out of a proven Cedar and back, or seven out of a Dogwood."""
    desk = Patient(family, *faults, truth=tmp / "truth", seed=3)
    desk.present()
    if family == "cedar":
        desk.proven()
        desk.round()
        desk.set_right()
        desk.goes("UNLOAD_ALL")
        desk.proven()
    else:
        desk.dealt(7)
        if any("residual" in fault for fault in faults):
            desk.insist("RETIRE", reason=1)
            desk.hands("unload", to="rack")
        desk.goes("COUNT_NOW")
    desk.present()
    desk.run(3)
    desk.bench.table.world.check()
    return desk


CASES = [(family, kind) for family in ("cedar", "dogwood") for kind in had_by(family).values()]


@pytest.mark.parametrize(("family", "kind"), CASES, ids=[f"{family}-{kind.name}" for family, kind in CASES])
def test_a_fault_says_what_the_catalogue_promises_and_the_host_gets_over_it(
    tmp_path: Path, family: str, kind: Kind
) -> None:
    desk = passage(tmp_path, family, spelled(family, kind))
    told = {event.name or f"{event.code:02X}" for event in desk.events()}
    wanted = set(kind.tells.get(family, ()))
    assert wanted <= told, (wanted - told, desk.told())
    if kind.name != "ring_small":
        assert any(kind.name in spec for spec in desk.bench.table.plan.fired), "it never struck"
    desk.bench.table.close()
    explained(tmp_path / "truth")


def cut_at(folder: Path, family: str, number: int) -> bool:
    """A passage with a power cut at the n-th NVRAM write; whether there were so many."""
    how = ("before", "torn", "after")[number % 3]
    desk = Patient(family, f"write_cut@write={number},how={how}", truth=folder / "truth", seed=5)
    desk.present()
    if family == "cedar":
        desk.proven()
        desk.round()
        desk.set_right()
        assert desk.goes("INVENTORY"), (number, desk.told()[-12:])
        count = desk.last("SHOE_COUNT")
        assert count["counted"] == count["expected"], (number, desk.told()[-20:])
    else:
        desk.dealt(5)
        desk.present()
        desk.run(2)
        drawn = {event.body["idx"] for event in desk.events() if event.name in ("CARD_DRAWN", "CARD_RESOLVED")}
        assert drawn >= set(range(1, 6)), (number, desk.told())
    struck = bool(desk.bench.table.plan.fired)
    desk.bench.table.close()
    lines = [json.loads(line)["n"] for line in (folder / "truth").read_text().splitlines()]
    assert lines == list(range(1, len(lines) + 1))
    return struck


STEPS = {"cedar": 31, "dogwood": 5}


@pytest.mark.parametrize("family", STEPS)
def test_power_cut_at_any_write_loses_no_card_and_gives_none_twice(tmp_path: Path, family: str) -> None:
    numbers = iter(range(4, 9999, STEPS[family]))
    last = next(number for number in numbers if not cut_at(_folder(tmp_path, number), family, number))
    assert last > 25


def _folder(parent: Path, number: int) -> Path:
    folder = parent / str(number)
    folder.mkdir()
    return folder


def main() -> None:
    """`python -m tests.sim.test_plugged_faults`: at each write of all."""
    for family in STEPS:
        with tempfile.TemporaryDirectory() as parent:
            number = 1
            while cut_at(_folder(Path(parent), number), family, number):
                number += 1
            print(f"{family}: power cut at each of {number - 1} writes")


if __name__ == "__main__":
    main()
