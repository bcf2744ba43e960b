"""HID nodes: a dogwood is known by what its reports tell, and nothing is written to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocols.codec import build
from protocols.dogwood import wire
from protocols.dogwood.datasheet import DATA_SIZE
from protocols.dogwood.reports import Id, pad
from protocols.family import families
from shoectl.devices.places import Place
from shoectl.discovery.attached import given
from shoectl.discovery.survey import State, survey
from shoectl.discovery.system import System
from tests.devices.scripted import identity_of
from tests.discovery.lines import doctor
from tests.transports.ends import HidEnd, standing
from tests.transports.test_hid import KEYBOARD

WHO = identity_of(families()["dogwood"], "DO000042")
WINDOW = {"proto": 1, "boot": 3, "epoch": 1, "cause": 0, "oldest": 1, "newest": 4}


def features() -> dict[int, bytes | int]:
    """Its feature reports, as the document lays them out."""
    who = build(wire.LAYOUTS["IDENT"], WHO.body, "IDENT")
    told = {
        Id.IDENT: who[:DATA_SIZE],
        Id.IDENT2: who[DATA_SIZE:],
        Id.WINDOW: build(wire.LAYOUTS["WINDOW"], WINDOW, "WINDOW"),
    }
    return {int(id): bytes([id]) + pad(data) for id, data in told.items()}


async def test_a_node_is_identified_by_its_feature_reports_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, system = HidEnd(tmp_path / "node", monkeypatch), System()
    end.features = features()
    async with standing(end):
        (seen,) = await survey(system, [given(end.url, system)], patience=3)
        assert seen.state is State.ANSWERS
        assert [(answer.family, answer.identity) for answer in seen.answers] == [("dogwood", WHO)]
        assert end.heard == b""


async def test_the_doctor_tells_a_reader_that_types_when_it_is_opened_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = HidEnd(tmp_path / "node", monkeypatch)
    end.reports = KEYBOARD
    (tmp_path / "node").write_text("")
    async with standing(end):
        (found,) = (await doctor(Place("shoe", end.url, "dogwood"))).findings
    assert (found.reason, found.what) == ("does-not-open", f"{end.path} is in keyboard mode")
