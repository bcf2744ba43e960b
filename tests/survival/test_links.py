"""Link states and frames: every frame that the documents print, in every state of both ends of the families on lines;
those on USB are thrown at each other before they are open, and when it is up in tests of their own (tests/protocols).
"""

from __future__ import annotations

import pytest

from protocols.link import Link, Side
from protocols.message import Request
from protocols.vocabulary import Resume
from tests.protocols.golden import FAMILIES, family, plain
from tests.protocols.rigs import bench

FRAMES = [vector.data for vector in plain("vectors", "decode_only", "malformed")]
ON_LINES = ("alder", "birch")
CASES = [(name, state) for name in FAMILIES for state in ("closed", "opened")]
CASES += [(name, state) for name in ON_LINES for state in ("up", "waiting")]
RESUME = Resume(1, 1, 1, 0, 1, 0)


def link_in(name: str, side: Side, state: str) -> tuple[Link, float]:
    """A link that was never opened, was opened and heard nothing, is up, or waits for an answer; and its time."""
    if state in ("closed", "opened"):
        link = family(name).make_link(side)
        link.resume = lambda: RESUME
        if state == "opened":
            link.open(0.0)
        return link, 0.1
    rig = bench(name)
    rig.up()
    link = rig.host if side is Side.HOST else rig.device
    if state == "waiting" and side is Side.HOST:
        link.send(Request("STATUS", 7), rig.now)
        link.output(rig.now)
    return link, rig.now


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize(("name", "state"), CASES)
def test_any_frame_in_any_state_is_taken_or_dropped_and_the_link_goes_on(name: str, side: Side, state: str) -> None:
    for data in FRAMES:
        link, now = link_in(name, side, state)
        for piece in (data, data, data[: len(data) // 2], data[::-1]):
            link.receive(piece, now)
            link.tick(now)
            link.output(now)
            now += 0.2
        assert state == "closed" or side is Side.DEVICE or link.deadline() is not None
