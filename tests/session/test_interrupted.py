"""Hands interrupted at every request, while a person draws at every moment at which the gate is open.

Whatever is cut short (the link, before a request arrives or after it was done; the hands themselves), the table must
know each card once and in order, move no motor twice, and come to the same money.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from shoectl.table.openstep import Executor, OpenStep
from tests.timeloop import virtual

from .devices import Station
from .scenes import table
from .table import Scene

EVERY = 3  # of the points, in one run of the suite; 1 for all


class Interruptions:
    """Counts points (two for each request), draws a card at each while the gate is open, and cuts in at one."""

    def __init__(self, at: int = 0, cut: Callable[[Station], None] = lambda station: None) -> None:
        self.at = at
        self.cut = cut
        self.points = 0
        self.hands: asyncio.Task[None] | None = None

    def prepare(self, scene: Scene) -> None:
        """Put a hook on every request of both stations."""

        def point(station: Station) -> None:
            scene.birch.pull()
            self.points += 1
            if self.points == self.at:
                self.cut(station)
            scene.birch.pull()

        for station in (scene.shoe, scene.shuffler):
            station.before = station.after = point

    def wrap(self, executor: Executor) -> Executor:
        """Hands that may be cancelled at any await and are then started again."""

        async def hands(step: OpenStep) -> None:
            while not step.closed:
                self.hands = asyncio.ensure_future(executor(step))
                try:
                    await asyncio.shield(self.hands)
                except asyncio.CancelledError:
                    if not self.hands.cancelled():
                        self.hands.cancel()
                        await asyncio.wait([self.hands])
                        raise

        return hands

    def cancel(self, station: Station) -> None:
        """Cancel the hands at work."""
        assert self.hands is not None
        self.hands.cancel()


async def run(folder: Path, cuts: Interruptions) -> Scene:
    folder.mkdir()  # noqa: ASYNC240
    scene = Scene(folder, table(seats=(1, 2)), draws=True)
    scene.people.seed = 4
    await scene.play(wrap=cuts.wrap, prepare=cuts.prepare)
    return scene


@pytest.mark.parametrize("kind", ["link", "hands"])
@virtual
async def test_an_interruption_at_any_request_costs_no_card_and_no_money(tmp_path: Path, kind: str) -> None:
    whole = await run(tmp_path / "whole", counting := Interruptions())
    assert counting.points > 40
    for at in range(1, counting.points + 1, EVERY):
        cuts = Interruptions(at)
        cuts.cut = Station.lose if kind == "link" else cuts.cancel
        scene = await run(tmp_path / f"{at}", cuts)
        scene.check()
        assert scene.dealt() == scene.birch.drawn == whole.birch.drawn, at
        assert scene.money() == whole.money(), at
        moved = [one for one in scene.alder.moved if one in ("SHUFFLE_START", "PRESENT")]
        assert moved == ["SHUFFLE_START", "PRESENT"], at


@virtual
async def test_the_link_may_go_again_and_again(tmp_path: Path) -> None:
    for start in range(23):
        cuts = Interruptions()
        cuts.cut = lambda station, cuts=cuts: setattr(cuts, "at", cuts.points + 23) or station.lose()  # type: ignore[misc]
        cuts.at = start + 1
        scene = await run(tmp_path / f"{start}", cuts)
        scene.check()
        assert scene.dealt() == scene.birch.drawn
        assert scene.irregularities() == []
