"""A device's own account, held against the journal: what the journal does not explain is said, and never passed over.

It is asked for when a device took its place again (link lost, restart), when a fault was cleared (a jam: hands were in
it), before a deck is handed on, and when the shoe is closed at the end of a round. What is found becomes an alarm of
that device: an unproven shuffle, or a dealer's count that is due at once. Three things are compared:

    events   the newest event that the device has recorded is in the journal, with all before it
    draws    as many cards were drawn as there are records of draws since the shoe was loaded
    cards    52 went in: drawn (they lie on the table and in the rack) and left inside; a shuffler holds what it counted
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from protocols.vocabulary import Capability, EventCode
from shoectl.devices.totals import Totals
from shoectl.table.came_out import loaded_at
from shoectl.table.entries import Evidence
from shoectl.table.grip import Grip

DEALT_FROM = ("LOADED", "ARMED", "HOLD", "ENDING", "EMPTY")  # a shoe in one of these has a deck under way
NONE_BUT_OUTPUT = ("READY", "PRESENTED")
HINTS_MORE, HINT_EVERY_S = 4, 1.0  # how often, and how long apart, totals that rest on hints are asked for again


class Account:
    """When a device is asked for its account: once each time that it took its place in a round, or that a fault was
    cleared which somebody may have had cards in the hand for; and when it is due.
    """

    def __init__(self) -> None:
        self._asked = (0, 0, 0)

    async def settle(self, grip: Grip, *, due: bool = False) -> None:
        """Hold the totals against the journal if it is time to. Raises DeviceLost."""
        attached, cleared = len(grip.step.facts.attachments(grip.place)), len(grip.events(EventCode.CLEARED))
        now = (grip.step.ref.round, attached, cleared)
        news = bool(attached or cleared) and now != self._asked
        if news or (due and not grip.accounted):
            await reconciled(grip)
            grip.accounted, self._asked = True, now


async def reconciled(grip: Grip) -> bool:
    """Hold the totals of the device against the journal; what it does not explain becomes an alarm.

    Totals that rest on a hint may be of before: it is an alarm only if they stay so for a while. True when everything
    is explained. Raises DeviceLost.
    """
    texts = await _unexplained(grip)
    for _ in range(HINTS_MORE if grip.station.family.standing is not None else 0):
        if texts:
            await asyncio.sleep(HINT_EVERY_S)
            texts = await _unexplained(grip)
    for text in texts:
        await grip.alarm(text)
    return not texts


async def _unexplained(grip: Grip) -> list[str]:
    """What the journal does not explain of the totals that the device tells now."""
    totals = await grip.station.totals()
    await grip.station.catch_up()
    last, unit = _durable(grip)
    texts = lost_events(totals, last, unit)
    if grip.state.equipment.mixes:
        pass  # its cards are counted before every round, and the count is judged
    elif totals.drawn is None:
        texts += shuffler_account(totals, grip.last(EventCode.SHUFFLE_DONE), counts=_counts(grip))
    elif totals.state in DEALT_FROM:
        texts += shoe_account(totals, of_this_loading(grip), grip.state.deck.cards)
    return texts


def lost_events(totals: Totals, last: int, unit: str) -> list[str]:
    """Events that the device has numbered and nobody can read any more: they were lost before a newer one told so."""
    if totals.newest <= last:
        return []
    which = f"event {totals.newest} was" if totals.newest == last + 1 else f"events {last + 1} to {totals.newest} were"
    return [f"{which} lost in {unit}: its deck has to be counted"]


def shoe_account(totals: Totals, told: Sequence[Evidence], cards: int) -> list[str]:
    """What a shoe's totals say that its events do not. `told`: its draws and returns since it was loaded."""
    texts, drawn, left = [], totals.drawn or 0, totals.zones.get("shoe")
    told = [one for one in told if one.event.seq <= totals.newest]
    returned = sum(one.event.code == EventCode.CARD_RETURNED for one in told)
    recorded = len(indices(told)) - returned
    if drawn > recorded:
        texts.append(f"{_cards(drawn - recorded)} drawn without a record: it says {drawn}, {recorded} are told of")
    elif drawn < recorded:
        texts.append(f"the shoe says that {drawn} cards were drawn, {recorded} are told of")
    if twice := told_twice(told):
        texts.append(f"draw {twice[0]} was told twice, with two event numbers")
    if left is not None and drawn + left != cards:
        texts.append(f"{cards} cards went in, {drawn} were drawn and {left} are left: that makes {drawn + left}")
    return texts


def shuffler_account(totals: Totals, done: Evidence | None, *, counts: bool) -> list[str]:
    """What lies in a shuffler where nothing should, or another number than it has counted out."""
    zones = totals.zones
    if totals.state == "EMPTY" and totals.inside:
        return [f"the shuffler says that it is empty, and that {totals.inside} cards lie in it"]
    if totals.state not in NONE_BUT_OUTPUT:
        return []
    if zones["path"] or zones["rack"] or (totals.state == "PRESENTED" and zones["infeed"]):
        return ["cards lie in the shuffler beside the deck that it has counted"]
    counted = done.event.body["out"] if done is not None and counts else None
    if counted is not None and zones["output"] != counted:
        return [f"the shuffler has counted {counted} cards out, {zones['output']} lie there"]
    return []


def of_this_loading(grip: Grip) -> list[Evidence]:
    """Draws and returns since the shoe was loaded last, as far as this round knows."""
    told = grip.events(EventCode.CARD_DRAWN, EventCode.UNREADABLE, EventCode.CARD_RETURNED)
    return [one for one in told if one.entry > loaded_at(grip)]


def indices(told: Iterable[Evidence]) -> set[int]:
    """The draws that were told of; a card half out at a power cut has an UNREADABLE alone."""
    draws = [int(one.event.body["idx"]) for one in told if one.event.code != EventCode.CARD_RETURNED]
    return set(draws) - {0}


def told_twice(told: Iterable[Evidence]) -> list[int]:
    """Draws of which two different events tell."""
    drawn = [int(one.event.body["idx"]) for one in told if one.event.code == EventCode.CARD_DRAWN]
    return sorted({idx for idx in drawn if drawn.count(idx) > 1})


def _durable(grip: Grip) -> tuple[int, str]:
    identity = grip.station.identity
    unit = grip.unit
    if identity is None or unit is None:
        return 0xFFFFFFFF, ""
    return grip.step.facts.last_seq(unit, identity.epoch), identity.serial


def _counts(grip: Grip) -> bool:
    identity = grip.station.identity
    return identity is not None and identity.can(Capability.COUNT_OUT_AFTER_SHUFFLE)


def _cards(number: int) -> str:
    return "1 card was" if number == 1 else f"{number} cards were"
