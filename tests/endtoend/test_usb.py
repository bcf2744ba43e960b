"""Rounds with devices on a USB (over USB/IP), whole and broken, in short form: the journal equals the truth."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from firmware_sim.catalogue import CATALOGUE
from tests.endtoend import rounds, seen, truth, usb_bytes, usb_kills
from tests.endtoend.faults import play
from tests.endtoend.runs import shoectl, table
from tests.endtoend.usb_scripts import USB
from tests.survival import invariants

OF_LOAD = {"nothing", "link again", "held"}  # a machine that is busy with other things may lose a link for a moment
SHORT = (
    "cedar:overflow@frame=60 at cedar",
    "dogwood:short_read@frame=60 at alder,dogwood",
    "dogwood:unplug@frame=90,bytes=12 at alder,dogwood",
    "alder:swap@frame=9 at alder,dogwood",
    "birch:unplug@frame=60,bytes=3 at alder?plug=own,birch?plug=ftdi",
)


def test_every_fault_of_a_plug_has_a_script_on_each_device_that_can_have_it() -> None:
    can = {(kind.name, family) for kind in CATALOGUE.values() if kind.plugged for family in kind.families}
    assert {kind for script in USB for kind in script.kinds} == can


def test_a_fault_of_a_plug_is_refused_where_there_is_none(tmp_path: Path) -> None:
    ended = shoectl(tmp_path, "run", "--sim", "--no-console", "--fault", "alder:stall", "--rounds", "1")
    assert ended.code == 2
    assert re.search("alder:stall: it is a USB plug that breaks; serve it with --usbip", ended.said)


@pytest.mark.parametrize("fault", SHORT)
def test_a_broken_plug_loses_no_card_and_invents_none(tmp_path: Path, fault: str) -> None:
    came = play(tmp_path, next(script for script in USB if str(script) == fault), 3)
    assert set(came.words) - OF_LOAD == set(seen.recorded()[fault]["seen"]) - OF_LOAD


@pytest.mark.parametrize("devices", ["cedar", "alder,dogwood", "dogwood"])
def test_rounds_over_usb_are_what_happened(tmp_path: Path, devices: str) -> None:
    assert len(rounds.play(tmp_path, 5, 11, devices)["dealt"]) > 5 * 10


@pytest.mark.parametrize(("family", "every"), [("alder", 8), ("birch", 10), ("cedar", 7), ("dogwood", 5)])
def test_the_plug_is_pulled_within_a_frame_and_the_rounds_go_on(family: str, every: int) -> None:
    assert usb_bytes.play(family, every=every) > 6


@pytest.mark.parametrize("devices", [("cedar",), ("alder", "dogwood")])
def test_a_daemon_killed_over_usb_finds_the_events_that_it_had_not_acknowledged(
    tmp_path: Path, devices: tuple[str, ...]
) -> None:
    assert all(usb_kills.play(tmp_path, devices, kills=1))


def test_two_adapters_that_nothing_but_their_place_tells_apart_are_waited_for_while_they_are_swapped(
    tmp_path: Path,
) -> None:
    fault = "birch:swap@frame=60,ms=100,back=3000"
    with table(tmp_path, families=("alder?plug=ftdi", "birch?plug=ftdi"), faults=(fault,), state=True) as standing:
        config = tmp_path / "table.toml"
        for place, one in enumerate(standing.devices, start=1):  # as adapters without a number of their own
            plain = re.sub("/[A-Z0-9]+[?]", "?", one["url"])
            config.write_text(config.read_text().replace(f'"{one["url"]}"', f'"{plain}&plug=1-{place}"'))
        daemon = standing.daemon(3)
        out, said = daemon.communicate(timeout=90)
        assert daemon.returncode == 0, (out, said)
    facts = (tmp_path / "state" / "cards.jsonl").read_text()
    assert f"fault.{fault}" in facts
    invariants.hold(standing.journal, standing.truth)
    again = Counter(body["place"] for _, kind, body in truth.entries(standing.journal) if kind == "device")
    assert again["shoe"] >= 2
    assert again["shuffler"] >= 2
