"""What the simulated dealer's hands do at a shoe that mixes: feed it, take its packets, take out what it gives out."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from shoectl.games.steps import RACK
from shoectl.table.state import TableState

if TYPE_CHECKING:
    from shoectl.table.carrying import Carrier

SHOWN = {"seat 14": "community", "seat 15": "bonus"}  # what numbers of the display stand for that are no seats
At = tuple[int, int]


async def feed(hands: Carrier, at: At, place: str, state: TableState) -> None:
    """All that lies about into the infeed, and then what nobody took from the tray."""
    device = await hands.name_of("shoe")
    for number in itertools.count(1):
        id = f"r{at[0]}.s{at[1]}.{number}"
        if not state.by_packets:
            await hands.move(f"{id}.mouth", {"do": "move", "from": await hands.mouth(), "to": RACK})
        await hands.gather(id, state)
        hands.piles = []
        await hands.move(id, {"do": "feed", "device": device, "from": place})
        if not state.by_packets:
            return
        await hands.move(f"{id}.tray", {"do": "take", "device": device, "to": RACK})
        if at != hands.opened:
            return


async def take_packets(hands: Carrier, at: At) -> None:
    """Packet after packet to where the display says, while the deal is open."""
    order = {"do": "take", "device": await hands.name_of("shoe"), "places": SHOWN}
    for number in itertools.count(1):
        if at != hands.opened:
            return
        await hands.move(f"r{at[0]}.s{at[1]}.packet{number}", order)


async def unload(hands: Carrier, at: At, place: str) -> None:
    """What it has turned away, once its pocket is unlocked, and then all that it gives out."""
    device = await hands.name_of("shuffler")
    await hands.until_done(at, {"do": "take_purged", "device": device, "to": place}, "pocket")
    await hands.until_done(at, {"do": "take_out", "device": device, "to": place, "asked": True})
