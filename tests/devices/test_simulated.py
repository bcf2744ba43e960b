"""Shuffler and shoe in the pit's words, over the simulator's devices in this process, in virtual time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from protocols.vocabulary import EventCode, Verdict
from shoectl.devices.command import Command, Reply
from shoectl.devices.faces import card_of
from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.devices.station import Station
from tests.devices.notes import Notes
from tests.devices.ports import until
from tests.timeloop import virtual


@contextlib.asynccontextmanager
async def simulated(notes: Notes, family: str) -> AsyncIterator[Station]:
    station = occupy([Place("device", f"sim:{family}?seed=7", family)], notes)["device"]
    async with asyncio.TaskGroup() as group:
        task = group.create_task(station.run())
        try:
            await station.ready()
            yield station
        finally:
            task.cancel()


async def seen(notes: Notes, code: EventCode, count: int = 1, within: float = 300.0) -> None:
    await until(lambda: sum(event.code == code for event in notes.events) >= count, within, every=0.05)


@virtual
async def test_a_simulated_shuffler_shuffles_counts_and_presents() -> None:
    notes = Notes()
    async with simulated(notes, "alder") as station:
        shuffler = Shuffler(station)
        assert shuffler.counts
        assert not shuffler.composition
        await until(lambda: notes.events, 60.0, every=0.05)
        while True:
            state = (await station.status())["state"]
            if station.family.states[state] == "LOADED":
                break
            await asyncio.sleep(0.1)
        totals = await station.totals()
        assert (totals.zones["infeed"], totals.inside, totals.drawn) == (52, 52, None)
        reply = await station.command(1, shuffler.shuffle(0, 52))
        assert reply.ok
        assert await station.command(1, shuffler.shuffle(0, 52)) == reply
        await seen(notes, EventCode.CMD_DONE)
        done = next(event for event in notes.events if event.code == EventCode.SHUFFLE_DONE)
        assert done.body["cycle"] == reply.body["cycle"]
        assert (done.body["in"], done.body["out"], done.body["verdict"]) == (52, 52, Verdict.OK)
        after = await station.totals()
        assert (after.zones["output"], after.inside, after.cycle) == (52, 52, done.body["cycle"])
        assert after.meters.cycles_ok == totals.meters.cycles_ok + 1
        assert (await station.command(2, shuffler.present(0))).ok
        await seen(notes, EventCode.DECK_TAKEN)
        assert await station.faults() == []
    assert notes.seqs == list(range(notes.seqs[0], notes.seqs[-1] + 1))
    assert notes.alarms == []


@virtual
async def test_a_simulated_shoe_is_loaded_armed_and_tells_each_card() -> None:
    notes, ids = Notes(), iter(range(1, 100))
    async with simulated(notes, "birch") as station:
        shoe = Shoe(station)
        assert shoe.reads
        assert shoe.gated

        async def order(command: Command) -> Reply:
            return await station.command(next(ids), command)

        assert (await order(shoe.load(deck="deck 0", cards=52))).ok
        await until(lambda: [event.body.get("open") for event in notes.events][-1:] == [0], 300.0, every=0.05)
        reply = await order(shoe.loaded())
        assert reply.ok, reply.text
        assert (await order(shoe.arm(round=7, lease=5))).ok
        assert station._driver is not None
        assert station._driver.link.eager  # type: ignore[attr-defined]
        await seen(notes, EventCode.CARD_DRAWN, 5)
        await station.catch_up()
        totals = await station.totals()
        await station.catch_up()
        assert (totals.drawn, totals.inside, totals.lease) == (5, 47, 0)
        assert totals.newest == notes.seqs[-1]
        drawn = [card_of(event.body["card"]) for event in notes.events if event.code == EventCode.CARD_DRAWN]
        assert len(set(drawn)) == 5
        assert None not in drawn
        assert not station._driver.link.eager  # type: ignore[attr-defined]
        assert (await order(shoe.shut())).ok
        assert (await order(shoe.close(residual=47))).ok
        await seen(notes, EventCode.SHOE_COUNT)
    count = next(event for event in notes.events if event.code == EventCode.SHOE_COUNT)
    assert (count.body["counted"], count.body["verdict"]) == (52, Verdict.OK)
    assert notes.alarms == []
