"""Nobody sees a face before its time. The oracle is what the journal's answers say, not the layout."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.journal import Entry, Reader
from shoectl.table.runner import Runner
from shoectl.table.visibility import may_leave
from tests.timeloop import virtual

from .bench import entries_of, table
from .fakes import World
from .game import Purse

FACE = re.compile(r'"([2-9TJQKA][shdc])"')
VIEWERS = ("public", "dealer", "seat 1", "seat 2")


def shown(path: Path, upto: int) -> tuple[set[str], dict[str, set[str]]]:
    """What lies face up by the entries up to a number, and what each seat holds, of the round they end in."""
    up: set[str] = set()
    held: dict[str, list[str]] = {}
    steps: dict[int, Any] = {}
    with Reader(path) as reader:
        for entry in reader.entries(1, upto):
            body = entry.body
            match entry.kind:
                case "round":
                    up, held, steps = set(), {}, {}
                case "step":
                    steps[body["number"]] = body["step"]
                case "answer":
                    step = steps[body["step"]]
                    if step["do"] == "deal":
                        held.setdefault(step["to"][body["part"]], []).append(body["answer"]["card"])
                        if body["part"] in step["up"]:
                            up.add(body["answer"]["card"])
                    if step["do"] == "reveal":
                        up.update(held[step["place"]])
    return up, {place: set(cards) for place, cards in held.items()}


@pytest.mark.parametrize("seed", range(6))
@virtual
async def test_at_every_stop_each_viewer_sees_what_lies_face_up_and_a_seat_its_own(tmp_path: Path, seed: int) -> None:
    path, stops = tmp_path / "j", 0

    def listen(runner: Runner[Purse]) -> None:
        nonlocal stops
        stops += 1
        up, held = shown(path, runner.journal.head[0])
        for viewer in VIEWERS:
            view = runner.view(viewer)
            assert view["entry"] == runner.journal.last
            seen = set(FACE.findall(json.dumps(view)))
            # the cards of the dealer lie face down, to him as to everybody
            own = held.get(viewer, set()) if viewer.startswith("seat") else set()
            assert seen <= up | own, viewer
        for place, cards in runner.view("seat 1")["places"].items():
            if place == "seat 1":
                assert all("card" in card for card in cards)
            assert len(cards) <= len(held[place])

    async with table(path, World(seed=seed, extra_draw=1), rounds=3, listener=listen) as (_, running):
        await running
    assert stops > 30


@virtual
async def test_no_step_no_log_and_no_open_text_holds_a_face(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "j"
    async with table(path, World(unreadable=(1, 2), extra_draw=2), rounds=2) as (_, running):
        await running
    texts = [
        entry.raw.decode() for entry in entries_of(path) if entry.kind in ("step", "hold", "alarm", "device", "note")
    ]
    assert texts
    assert not [text for text in texts if FACE.search(text)]
    assert not FACE.search(caplog.text)


@virtual
async def test_an_entry_that_may_leave_holds_no_face_but_one_that_it_turns_up(tmp_path: Path) -> None:
    path = tmp_path / "j"
    async with table(path, World(unreadable=(1, 2), extra_draw=2), rounds=3) as (_, running):
        await running
    left, kept = _split(entries_of(path))
    assert {entry.kind for entry in kept} == {"event", "answer", "irregularity", "held", "intent"}
    for entry in left:
        if entry.kind != "answer" or entry.body["takes"] != "Faces":
            assert not FACE.search(entry.raw.decode()), entry.n
            assert entry.body.get("name") != "CARD_DRAWN"


def _split(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    left = [entry for entry in entries if may_leave(entry.kind, entry.body)]
    return left, [entry for entry in entries if entry not in left]


@virtual
async def test_a_view_is_for_a_viewer_that_there_is(tmp_path: Path) -> None:
    async with table(tmp_path / "j", rounds=1) as (runner, running):
        await running
        for nobody in ("", "seat", "seat 0", "rack", "Seat 1", "seat 1; drop"):
            with pytest.raises(BadInput, match="no viewer"):
                runner.view(nobody)
        view = runner.view("public")
        assert view["step"] is None
        assert {one["outcome"] for one in view["record"]} == {"passed", "answered"}
        assert view["rack"] == 6


@pytest.mark.parametrize("answer", [{"low": "As 2s"}, {"card": "As"}, {"cards": "As Kd"}])
def test_an_answer_that_names_cards_in_any_of_its_fields_stays(answer: dict[str, str]) -> None:
    assert not may_leave("answer", {"takes": "HandsSet", "answer": answer})
    assert may_leave("answer", {"takes": "HandsSet", "answer": dict.fromkeys(answer, "")})
