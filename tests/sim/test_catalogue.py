"""Each fault of the catalogue: what the device says of it, and that a host which goes on comes to the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firmware_sim.catalogue import CATALOGUE, GROUPS, Kind, had_by
from protocols.vocabulary import EventCode
from tests.sim.patience import Patient

EARLY: dict[str, int] = {"card": 5, "frame": 14, "event": 9, "draw": 4, "write": 20}
"""When each strikes here."""

MORE: dict[str, str] = {
    "overtemp": ",lasts=2", "sensor_weak": ",lasts=2", "clock": ",lasts=2", "lying_count": "@in=-1", "jam": ",tries=0",
}  # fmt: skip
READS = {"duplicate", "foreign", "wrong_back", "face_up", "unreadable", "misread"}
LINE = [kind.name for kind in GROUPS["The line"] if "alder" in kind.families]


def spelled(family: str, kind: Kind) -> str:
    """A kind as it is written, so that it strikes early."""
    at = next((key for key in EARLY if key in kind.keys_of(family)), None)
    if kind.name == "lying_count":
        return f"{family}:lying_count@{'out' if family == 'alder' else 'rest'}=-1"
    if (family, kind.name) == ("birch", "duplicate"):
        return "birch:duplicate@draw=4,face=As"
    number = 7 if kind.name == "overdraw" else EARLY.get(at or "", 0)
    return f"{family}:{kind.name}" + (f"@{at}={number}" if at else "") + MORE.get(kind.name, "")


def passage(tmp: Path, family: str, *faults: str, **setup: Any) -> Patient:
    """A deck shuffled and handed over, or nine cards dealt, whatever happens. No card comes or goes on the way."""
    desk = Patient(family, faults=faults, truth=tmp / "truth", seed=3, **setup)
    if family == "alder":
        desk.handed_over()
    else:
        desk.dealt(7)
        if "residual" in " ".join(faults):
            desk.do("unload", device="birch", to="rack")
    desk.run(3)
    desk.bench.table.world.check()
    return desk


def explained(truth: Path) -> None:
    """Every card went from where it was, and no movement is missing."""
    where: dict[tuple[Any, ...], str] = {}
    for number, text in enumerate(truth.read_text().splitlines(), start=1):
        line = json.loads(text)
        card = (line["card"], line["back"], line["copy"], line["deck"])
        assert (line["n"], where.get(card, line["from"])) == (number, line["from"])
        where[card] = line["to"]


def names(desk: Patient, family: str) -> list[str]:
    return [event.name or f"{event.code:02X}" for event in desk.events(family)]


CASES = [(family, kind) for family in ("alder", "birch") for kind in had_by(family).values()]


@pytest.mark.parametrize(("family", "kind"), CASES, ids=[f"{family}-{kind.name}" for family, kind in CASES])
def test_a_fault_says_what_the_catalogue_promises_and_the_host_gets_over_it(
    tmp_path: Path, family: str, kind: Kind
) -> None:
    setup = {"composition": True} if family == "alder" and kind.name in READS else {}
    desk = passage(tmp_path, family, spelled(family, kind), **setup)
    told = names(desk, family)
    assert set(kind.tells.get(family, ())) <= set(told), (kind.tells, told)
    if kind.name not in ("no_count", "ring_small"):
        assert any(kind.name in spec for spec in desk.bench.table.plan.fired), "it never struck"
    if family == "birch":
        assert len(desk.cards("table")) >= 7
    desk.bench.table.close()
    explained(tmp_path / "truth")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What comes to the hand, or to the table, where nothing goes wrong."""
    alder, birch = (passage(tmp_path_factory.mktemp(family), family) for family in ("alder", "birch"))
    return {"alder": alder.cards("hand"), "birch": birch.cards("table")}


@pytest.mark.parametrize("name", LINE)
@pytest.mark.parametrize("family", ["alder", "birch"])
@pytest.mark.parametrize("frame", [6, 11])
def test_what_happens_on_the_line_changes_no_card(
    tmp_path: Path, plain: dict[str, list[str]], family: str, name: str, frame: int
) -> None:
    fault = f"{family}:{name}@frame={frame}"
    spoiled = passage(tmp_path, family, fault)
    assert spoiled.cards("hand" if family == "alder" else "table") == plain[family]
    assert fault + "#0" in spoiled.bench.table.plan.fired
    seqs = [event.seq for event in spoiled.events(family)]
    assert seqs == list(range(1, len(seqs) + 1))


COMMON = {0x01, 0x02, 0x04, *range(0x30, 0x35), 0x36, 0x7F, *range(0x84, 0x89), 0x8B, *range(0x8C, 0x94), 0x95}
OF_FAMILY = {
    "alder": COMMON | {0x20, 0x21, 0x22, 0x23, 0x24, 0x81, 0x82, 0x83, 0x94},
    "birch": COMMON | {0x10, 0x11, 0x12, 0x13, 0x16, 0x25, 0x89, 0x8A},
}
NOT_THERE = {"alder": {0x31}, "birch": {0x30}}
"""A shuffler has no lid and a shoe no door."""


@pytest.mark.parametrize("family", ["alder", "birch"])
def test_every_event_of_a_family_can_be_had(tmp_path: Path, family: str) -> None:
    seen: set[int] = set()
    for kind in CATALOGUE.values():
        if family in kind.families and kind.tells.get(family):
            setup = {"composition": True} if family == "alder" and kind.name in READS else {}
            desk = Patient(family, faults=(spelled(family, kind),), seed=3, **setup)
            _all_sorts(desk, family, kind.name)
            seen |= {event.code for event in desk.events(family)}
    assert OF_FAMILY[family] - NOT_THERE[family] <= seen, {
        EventCode(code).name for code in OF_FAMILY[family] - NOT_THERE[family] - seen
    }


def _all_sorts(desk: Patient, family: str, kind: str) -> None:
    """What a host and people can do so that a device tells of it."""
    if family == "alder":
        desk.handed_over()
    else:
        desk.dealt(52 if kind == "pushed_back" else 7)
    desk.insist(family, "CONFIG_SET", key=4, value=0, who=1)
    desk.insist(family, "AUTH2", proof_h="00" * 16)
    if kind == "tamper":
        desk.run(0.5)
        desk.bench.detach(desk.hosts[family])
        desk.run(8)
        desk.hosts[family] = desk.bench.attach(family)
        desk.run(3)
    if family == "birch" and kind == "extra":
        desk.do("unload", device="birch", to="rack")
        desk.load(cards=53, decks=8)
        desk.result("birch", "SHOE_CLOSE", residual=0)
        desk.run(3)
