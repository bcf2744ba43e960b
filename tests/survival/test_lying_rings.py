"""Devices that say something wrong about their events, once or again and again: nothing is lost, nobody waits for ever.

The reports are changed on their way to the host: dogwood.md §2 (WINDOW, CARD, EVENT), cedar.md §4 (GET_RESUME).
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from protocols.piece import CONTROL_IN, Piece, pieces
from shoectl.table.openstep import Stop
from tests.session.test_simulated import table
from tests.timeloop import run

from . import invariants
from .limits import within
from .world import World

DEVICES = {"dogwood": ("alder", "dogwood"), "cedar": ("cedar",)}
REPORTS, CARD, EVENT, WINDOW = 0x81, 2, 3, 0x24
RESUME_SIZE = 18
PULSE_WITHIN_S = 20.0  # a service manager waits longer
Change = Callable[[Piece], Piece | None]


@dataclass
class Changed(World):
    """What `line` says is changed on the way; None keeps it back."""

    line: str = ""
    change: Change = lambda piece: piece
    pulseless: bool = field(default=False, init=False)

    def _arrive(self, line: str, received: Callable[[bytes], None], data: bytes) -> None:
        if line == self.line:
            data = b"".join(piece.encode() for piece in map(self.change, pieces(data)) if piece is not None)
        if data:
            super()._arrive(line, received, data)


async def _feel(world: World) -> None:
    assert isinstance(world, Changed)
    while True:
        for station in world.stations.values():
            try:
                async with asyncio.timeout(PULSE_WITHIN_S):
                    await station.pulse.turns()
            except TimeoutError:
                world.pulseless = True
        await asyncio.sleep(1.0)


def played(family: str, change: Change) -> tuple[World, Stop | None]:
    """A round; every invariant holds, and the task of each station goes on all the time."""

    async def play() -> tuple[World, Stop | None]:
        with tempfile.TemporaryDirectory() as folder:
            devices = DEVICES[family]
            world = Changed(
                Path(folder), table(devices), devices=devices, seed=3, line=family, change=change, disturb=_feel
            )
            await world.play(1)
            invariants.hold(world.journal, world.truth, finished=world.stopped is None)
            assert not world.pulseless
            return world, world.stopped

    with within(60.0):
        return run(play())


def put(data: bytes, at: int, number: int) -> bytes:
    """With a u32 in place of another."""
    return data[:at] + (number % (1 << 32)).to_bytes(4, "little") + data[at + 4 :]


def number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


LIES: dict[str, Callable[[bytes, int, int], bytes]] = {  # of oldest and newest, which stand there
    "newest 5 too high": lambda data, oldest, newest: put(data, newest, number(data, newest) + 5),
    "newest 1 too low": lambda data, oldest, newest: put(data, newest, number(data, newest) - 1),
    "newest the last number": lambda data, oldest, newest: put(data, newest, 0xFFFF_FFFF),
    "oldest far behind newest": lambda data, oldest, newest: put(data, oldest, number(data, newest) + 900),
    "oldest 0": lambda data, oldest, newest: put(data, oldest, 0),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize(("family", "at"), [("dogwood", 1), ("dogwood", 2), ("dogwood", 7), ("cedar", 1)])
def test_where_its_events_stand_is_wrong_once_and_the_round_goes_on(family: str, lie: str, at: int) -> None:
    told = 0

    def change(piece: Piece) -> Piece:
        nonlocal told
        window = piece.data[:1] == bytes((WINDOW,)) if family == "dogwood" else len(piece.data) == RESUME_SIZE
        if piece.ep != CONTROL_IN or not window:
            return piece
        told += 1
        first = 7 if family == "dogwood" else 6
        return Piece(piece.ep, LIES[lie](piece.data, first, first + 4), piece.tail) if told == at else piece

    _, stopped = played(family, change)
    assert stopped is None
    assert told >= at


@pytest.mark.parametrize("wrong", [1000, 0x7FFF_FFFF])
def test_one_event_with_a_number_far_ahead_takes_no_other_ones_place(wrong: int) -> None:
    told = 0

    def change(piece: Piece) -> Piece:
        nonlocal told
        if piece.ep != REPORTS or piece.data[0] not in (CARD, EVENT):
            return piece
        told += 1
        return Piece(piece.ep, put(piece.data, 3, wrong), piece.tail) if told == 9 else piece

    world, stopped = played("dogwood", change)
    assert stopped is None
    assert not [entry for entry in world.entries if entry.kind == "alarm"]


@pytest.mark.parametrize(
    "change",
    [
        lambda piece: None if piece.ep == REPORTS and piece.data[0] in (CARD, EVENT) else piece,
        lambda piece: Piece(piece.ep, piece.data[:63]) if piece.ep == REPORTS and piece.data[0] == CARD else piece,
    ],
    ids=["no event comes", "each card is a byte short"],
)
def test_events_that_never_come_are_missed_in_time_and_the_place_says_so(change: Change) -> None:
    world, stopped = played("dogwood", change)
    assert stopped is not None
    assert "it does not tell event" in f"{stopped.reason} {world.stations['shoe'].condition}"
