"""What a device still knows after a power cut: all of a transaction or nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.nvram import FileMedium, MemoryMedium, Nvram, PowerCut
from protocols.vocabulary import Result
from tests.sim.desk import Desk


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers() | st.none(), min_size=1), max_size=8), st.data())
def test_a_log_cut_anywhere_gives_the_state_after_some_transaction(
    changes: list[dict[str, int | None]], data: st.DataObject
) -> None:
    medium, nvram = MemoryMedium(), None
    states: list[dict[str, int]] = [{}]
    nvram = Nvram(medium)
    for change in changes:
        with nvram.transaction():
            for key, value in change.items():
                nvram.put(key, value)
        states.append({key: nvram.get(key) for key in "abcd" if nvram.get(key) is not None})
    whole = medium.read()
    cut = data.draw(st.integers(0, len(whole)))
    medium.replace(whole[:cut])
    found = Nvram(medium)
    assert {key: found.get(key) for key in "abcd" if found.get(key) is not None} in states
    assert Nvram(medium).torn is False


def test_a_torn_write_is_no_write() -> None:
    medium = MemoryMedium()
    nvram = Nvram(medium)
    nvram.put("a", 1)
    nvram.tear()

    def change_both() -> None:
        with nvram.transaction():
            nvram.put("a", 2)
            nvram.put("b", 3)

    with pytest.raises(PowerCut):
        change_both()
    found = Nvram(medium)
    assert (found.get("a"), found.get("b"), found.torn) == (1, None, True)
    found.put("b", 4)
    assert Nvram(medium).get("b") == 4


def test_the_log_is_rewritten_when_it_has_grown(tmp_path: Path) -> None:
    medium = FileMedium(tmp_path / "nvram")
    nvram = Nvram(medium)
    for n in range(4500):
        nvram.put("a", n)
    assert len(medium.read().splitlines()) < 2100
    assert Nvram(medium).get("a") == 4499
    medium.close()


@pytest.mark.parametrize("event", range(1, 14))
def test_a_write_torn_at_any_event_leaves_a_device_that_goes_on(event: int) -> None:
    desk = Desk("alder", faults=(f"alder:torn_write@event={event + 3}",))
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(8)
    assert desk.state("alder") in ("LOCKED", "READY", "LOADED", "EMPTY")
    seqs = [seq.seq for seq in desk.events("alder")]
    assert seqs == list(range(1, len(seqs) + 1))
    if desk.state("alder") == "LOCKED":
        desk.do("take_out", device="alder")
        desk.do("feed", device="alder", **{"from": "rack"})
    if desk.state("alder") == "LOADED":
        assert desk.result("alder", "SHUFFLE_START", id=id, mode=1, deck=0, expected=52) is Result.ACCEPTED
        desk.run(2)
