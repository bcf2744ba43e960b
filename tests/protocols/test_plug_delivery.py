"""Whatever a plug loses or repeats below the number of tries, each message arrives once and in order."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.cedar import frames
from protocols.cedar import wire as cedar
from protocols.cedar.datasheet import BULK_IN, BULK_OUT
from protocols.dogwood import reports
from protocols.dogwood import wire as dogwood
from protocols.dogwood.datasheet import DATA_SIZE
from protocols.dogwood.reports import Id, Report
from protocols.errors import DecodeError, FrameError
from protocols.link import Down, Side
from protocols.message import Request
from protocols.piece import CONTROL_IN, CONTROL_OUT, packets, pieces
from tests.protocols.cables import Cable, Luck
from tests.protocols.golden import family
from tests.protocols.test_sessions import Rig

BOTH = pytest.mark.parametrize("name", ["cedar", "dogwood"])


@dataclass
class Bus(Cable):
    """Carries pieces: now and then one is lost or comes twice, and transfers are cut at packet boundaries.

    What a bus never loses are requests on endpoint 0. What comes twice in a session is an attack, and ends it.
    """

    luck: Luck
    size: int
    cuts: bool
    twice: bool

    def carry(self, data: bytes) -> list[bytes]:
        out = []
        for piece in pieces(data):
            copies = 1
            if piece.ep not in (CONTROL_IN, CONTROL_OUT) and self.luck.strikes():
                copies = self.luck.rng.choice([0, 0, 2 * self.twice])
            cut = packets(piece, self.size) if self.cuts and piece.ep in (BULK_OUT, BULK_IN) else [piece]
            out += [packet.encode() for packet in cut] * copies
        return out


def rig(name: str, level: int, seed: int, rate: float, size: int) -> Rig:
    bench = Rig(name, level)
    luck = Luck(random.Random(seed), rate, worst=1, clean=60)  # or three losses could hit one command
    bench.to_device, bench.to_host = (Bus(luck, size, name == "cedar", level == 0) for _ in range(2))
    bench.up()
    luck.awake = True
    return bench


def acknowledge(bench: Rig) -> None:
    """What the code above a Dogwood's link does once an event is durable."""
    if bench.firm.name == "dogwood" and bench.events() and bench.host.up:
        bench.host.send(Request("ACK", 1, {"upto": bench.events()[-1]}), bench.now)


@BOTH
@pytest.mark.parametrize("level", [0, 2])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.05, 0.2, 0.4]), size=st.sampled_from([64, 512]))
def test_what_is_lost_or_comes_twice_is_not_noticed_above(
    name: str, level: int, seed: int, rate: float, size: int
) -> None:
    bench, rng = rig(name, level, seed, rate, size), random.Random(seed)
    asked = 0
    for _ in range(12):
        if rng.random() < 0.5:
            asked += 1
            bench.host.send(Request("CONFIG_GET", asked, {"key": asked % 200}), bench.now)
        else:
            bench.firm.record(bench.now)
        bench.run(rng.choice([0.0, 0.01, 0.3]))
        acknowledge(bench)
    for _ in range(200):
        if len(bench.answers()) == asked and bench.events() and bench.events()[-1] == len(bench.firm.ring):
            break
        bench.run(0.3)
        acknowledge(bench)
    answers = bench.answers() if name == "dogwood" else sorted(bench.answers())  # Cedar's come in any order
    assert answers == [number % 200 for number in range(1, asked + 1)]
    assert bench.events() == list(range(1, len(bench.firm.ring) + 1))
    assert [event for event in bench.at_host if isinstance(event, Down)] == []


@settings(max_examples=60, deadline=None)
@given(code=st.sampled_from(sorted(cedar.CATALOGUE.by_code)), reply=st.booleans(), payload=st.binary(max_size=40))
def test_a_cedar_frame_that_decodes_encodes_to_the_same_bytes(code: int, reply: bool, payload: bytes) -> None:
    data = frames.encode(frames.Frame(code, reply, 7, 9, payload))
    both_ways("cedar", data, Side.DEVICE if reply else Side.HOST)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(Id), st.sampled_from([0, *dogwood.CATALOGUE.by_code]), st.binary(max_size=DATA_SIZE - 4))
def test_a_report_that_decodes_encodes_to_the_same_bytes(id: Id, op: int, body: bytes) -> None:
    head = bytes((1, 2, op)) if id in (Id.COMMAND, Id.RESULT) else bytes((1, 0, 5))
    data = Report(id, reports.pad(head + body)).encode()
    both_ways("dogwood", data, Side.HOST if id in reports.FROM_HOST else Side.DEVICE)


def both_ways(name: str, data: bytes, sender: Side) -> None:
    try:
        fields: dict[str, Any] = family(name).decode_frame(data, sender)
    except (FrameError, DecodeError):
        return
    assert family(name).encode_frame(fields, sender) == data
