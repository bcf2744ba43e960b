"""Browsers and a flooded bus at a table that plays: the short form of `python -m tests.mqtt.crowd`."""

from __future__ import annotations

from pathlib import Path

from .broker import Broker
from .crowd import play


async def test_a_table_plays_on_between_browsers_and_a_flooded_bus(tmp_path: Path, broker: Broker) -> None:
    """No gate shuts for silence, refusals are counted, and those answer who answer without all of them."""
    runs = []
    for browsers in (0, 3):
        (folder := tmp_path / str(browsers)).mkdir()
        runs.append(await play(folder, broker, browsers, 8, flood=browsers > 0))
    plain, crowded = runs
    assert (plain.faults, crowded.faults) == ([], [])
    assert crowded.by == plain.by
    assert crowded.sent > sum(crowded.refused.values()) > 0
    assert crowded.fetched == crowded.events > 0
