"""The simulator is killed before any of its writes, and started again with the same directory: one world, one game."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from protocols.message import Event
from protocols.vocabulary import Result, card_byte
from tests.sim.desk import Desk

PLACES = [f"seat {n}" for n in range(1, 6)]
DEAL: dict[str, Any] = {"do": "draw", "id": "deal", "device": "birch", "to": PLACES}


class Killed(BaseException):
    """As SIGKILL: nothing of the process goes on."""


@contextlib.contextmanager
def killed_before_write(number: int) -> Iterator[list[bool]]:
    """Within, the process dies before its n-th write to any file. Tells whether it did."""
    really, writes, died = os.write, count(1), [False]

    def write(file: int, data: bytes) -> int:
        if died[0] or next(writes) == number:
            died[0] = True
            raise Killed
        return really(file, data)

    os.write = write
    try:
        yield died
    except Killed:
        pass
    finally:
        os.write = really


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A directory in which a shoe is loaded, and the order of its cards."""
    folder = tmp_path_factory.mktemp("loaded")
    desk = Desk("birch", seed=7, state=folder)
    desk.load()
    deck = desk.cards("birch.shoe")
    desk.bench.table.close()
    return folder, deck


def resolve(desk: Desk, ids: Iterator[int]) -> None:
    """What a host does that finds a shoe on hold: two persons look at the card in the mouth and name it."""
    status = desk.ask("birch", "STATUS").body
    if status["hold_idx"]:
        (seen,) = desk.bench.table.hands.look("birch.mouth", lift=True)["cards"]
        named = {"idx": status["hold_idx"], "card": card_byte(seen["card"]), "op1": 1, "op2": 2}
        assert desk.result("birch", "REREAD_OK", id=next(ids), **named) is Result.OK


def drawn(desk: Desk) -> dict[int, int]:
    """What the events say was drawn: draw index and face, as read or as named."""
    found = {}
    for event in desk.events("birch"):
        if event.name in ("CARD_DRAWN", "CARD_RESOLVED"):
            found[event.body["idx"]] = event.body["card"]
    return found


@pytest.mark.parametrize("part", range(4))
def test_a_deal_killed_anywhere_is_dealt_once(loaded: tuple[Path, list[str]], tmp_path: Path, part: int) -> None:
    folder, deck = loaded
    for number in count(1 + part, 4):
        state = tmp_path / str(number)
        shutil.copytree(folder, state)
        truth = state / "truth"
        desk = Desk("birch", seed=7, state=state, first_id=100, truth=truth)
        with killed_before_write(number) as died:
            desk.arm(5)
            desk.bench.table.hands.do(DEAL)
            desk.run(1)
        desk.bench.table.world.close()
        desk, ids = Desk("birch", seed=7, state=state, truth=truth), count(200)
        replies: list[dict[str, Any]] = []
        desk.bench.table.hands.do(DEAL, replies.append)
        resolve(desk, ids)
        desk.run(0.3)
        rest = 5 - len(drawn(desk))
        if rest:
            assert desk.result("birch", "ARM", id=next(ids), round=1, lease=rest) is Result.OK
        desk.run(1)
        assert replies == [{"ok": True, "moved": 5}], number
        assert [desk.cards(place) for place in PLACES] == [[face] for face in deck[:5]], number
        assert drawn(desk) == {idx: card_byte(face) for idx, face in enumerate(deck[:5], start=1)}, number
        seqs = [event.seq for event in desk.events("birch")]
        assert seqs == list(range(seqs[0], seqs[-1] + 1))
        moves = [json.loads(line)["n"] for line in truth.read_text().splitlines()]
        assert moves == list(range(moves[0], moves[-1] + 1)), number
        desk.bench.table.close()
        if not died[0]:
            break
    assert number > 15


@pytest.mark.parametrize("part", range(4))
def test_a_deck_taken_is_taken_once_wherever_the_kill(tmp_path: Path, part: int) -> None:
    folder = tmp_path / "presented"
    desk = Desk("alder", seed=7, state=folder)
    desk.shuffle()
    desk.bench.table.close()
    take = {"do": "take", "id": "take", "device": "alder"}
    for number in count(1 + part * 5, 20):
        state = tmp_path / str(number)
        shutil.copytree(folder, state)
        desk = _at_ready(state)
        with killed_before_write(number) as died:
            desk.send("alder", "PRESENT", id=300, deck=0, override_by=0)
            desk.bench.table.hands.do(take)
            desk.run(1)
        desk.bench.table.world.close()
        desk = Desk("alder", seed=7, state=state)
        presented = desk.bench.machine("alder").body.tray > 0 or len(desk.cards("hand")) > 0
        if presented:
            replies: list[dict[str, Any]] = []
            desk.bench.table.hands.do(take, replies.append)
            desk.run(0.5)
            assert replies == [{"ok": True, "moved": 52}], number
            assert desk.told("alder").count("DECK_TAKEN") == 1, (number, desk.told("alder"))
            assert desk.ask("alder", "STATUS").body["tray"] == 0xFF
        desk.bench.table.world.check()
        desk.bench.table.close()
        if not died[0]:
            break


def _at_ready(state: Path) -> Desk:
    """A shuffler with a proven deck in its elevator: a restart voids that, so it shuffles once more."""
    desk = Desk("alder", seed=7, state=state, first_id=100)
    desk.do("take_out", device="alder")
    desk.do("feed", device="alder", **{"from": "rack"})
    desk.shuffle()
    assert desk.state("alder") == "READY"
    return desk


def test_an_event_is_never_seen_twice_with_other_bytes(loaded: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, _ = loaded
    for number in range(1, 40, 3):
        state = tmp_path / str(number)
        shutil.copytree(folder, state)
        desk = Desk("birch", seed=7, state=state, first_id=100)
        with killed_before_write(number):
            desk.arm(5)
            desk.bench.table.hands.do(DEAL)
            desk.run(1)
        before = {event.seq: event for event in desk.hosts["birch"].messages if isinstance(event, Event)}
        desk.bench.table.world.close()
        desk = Desk("birch", seed=7, state=state)
        after = {event.seq: event for event in desk.events("birch")}
        assert {seq: after[seq] for seq in before} == before
        desk.bench.table.close()
