"""Pairs of faults in short form; `python -m tests.survival.pairs` plays 300."""

from __future__ import annotations

import pytest

from firmware_sim.catalogue import had_by

from .pairs import PLAIN, pair, play


@pytest.mark.parametrize("number", range(1, 11))
def test_a_table_with_two_faults_recovers_or_stops_and_says_why(number: int) -> None:
    met = play(pair(number), rounds=2)
    assert met.fired or met.stopped is None


@pytest.mark.parametrize("devices", [("cedar",), ("alder", "dogwood")])
@pytest.mark.parametrize("number", range(1, 4))
def test_a_table_with_a_usb_shoe_and_two_faults_recovers_as_well(number: int, devices: tuple[str, ...]) -> None:
    met = play(pair(number, devices), rounds=2)
    assert met.fired or met.stopped is None


def test_field_case_146_faults_come_on_demand_and_the_same_ones_again() -> None:
    assert [pair(number) for number in range(40)] == [pair(number) for number in range(40)]
    one = pair(1)
    assert play(one, 2) == play(one, 2)


def test_every_fault_of_the_catalogue_is_among_the_pairs() -> None:
    drawn = {fault.partition(":")[2].partition("@")[0] for number in range(1, 301) for fault in pair(number).faults}
    assert drawn == set(had_by(*PLAIN))
