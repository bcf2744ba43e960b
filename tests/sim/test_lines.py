"""The line: adapters that echo and hold back, several shoes on one wire, and what a host finds of spoiled frames."""

from __future__ import annotations

import pytest

from firmware_sim.adapter import Adapter
from firmware_sim.faults import FaultPlan
from firmware_sim.setup import BadSetup, options_of
from firmware_sim.spoiling import NOISE, Spoiler
from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk
from tests.sim.patience import Patient

FRAME = bytes(range(20))


def arrived(spec: str, frames: int = 4) -> list[tuple[bytes, float]]:
    """What comes of some frames, with their delays."""
    plan = FaultPlan()
    plan.add(spec)
    spoiler = Spoiler("alder", plan, 7)
    return [(piece.data, piece.delay) for n in range(frames) for piece in spoiler.spoil(FRAME, n / 10)]


def test_what_becomes_of_a_frame() -> None:
    whole = (FRAME, 0.0)
    assert arrived("reply_lost@frame=2") == [whole] * 3
    assert arrived("late@frame=2,ms=70") == [whole, (FRAME, 0.07), whole, whole]
    assert arrived("split@frame=2,ms=30") == [whole, (FRAME[:10], 0.0), (FRAME[10:], 0.03), whole, whole]
    assert arrived("merged@frame=2") == [whole, (FRAME + FRAME, 0.0), whole]
    assert arrived("frame_twice@frame=2") == [whole, (FRAME + FRAME, 0.0), whole, whole]
    assert arrived("noise@frame=2") == [whole, (NOISE + FRAME, 0.0), whole, whole]
    assert arrived("mute@frame=2,frames=2") == [whole, whole]
    assert arrived("mute@frame=2,ms=150") == [whole, whole]
    (changed, _) = arrived("corrupt@frame=2")[1]
    assert sum(a != b for a, b in zip(changed, FRAME, strict=True)) == 1
    drowned = arrived("babble@frame=2,frames=2,bytes=40")
    assert [len(data) for data, _ in drowned] == [20, 40, 40, 20]


def test_an_adapter_that_echoes_gives_the_host_its_own_bytes_first() -> None:
    plain = Desk("birch")
    echoing = Desk("birch", adapters={"birch": Adapter(echo=True)})
    for desk in (plain, echoing):
        assert desk.result("birch", "CONFIG_SET", key=4, value=0, who=1) is Result.OK
    assert echoing.hosts["birch"].link.counters.bytes_in > plain.hosts["birch"].link.counters.bytes_in
    assert echoing.hosts["birch"].link.counters.resends == 0


@pytest.mark.parametrize("latency", [0.016, 0.050])
def test_a_slow_adapter_makes_nothing_slower_than_itself(latency: float) -> None:
    for device in ("alder", "birch"):
        desk = Desk(device, adapters={device: Adapter(latency=latency, echo=device == "birch")})
        start = desk.bench.now
        assert desk.result(device, "CONFIG_SET", key=4, value=0, who=1) is Result.OK
        assert latency - 1e-6 <= desk.bench.now - start < latency + 0.2
        assert desk.hosts[device].link.counters.resends == 0


def test_bytes_take_their_time_on_the_wire() -> None:
    slow = Desk("birch", adapters={"birch": Adapter(baud=38_400)})
    start = slow.bench.now
    slow.ask("birch", "IDENT")
    assert slow.bench.now - start > 0.025
    assert slow.hosts["birch"].link.counters.resends == 0


def test_frames_keep_their_order_behind_a_late_one() -> None:
    desk = Desk("alder", faults=("alder:late@frame=5,ms=300",))
    desk.shuffle()
    seqs = [event.seq for event in desk.events("alder")]
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.parametrize("echo", [False, True])
def test_each_shoe_of_a_bus_hears_what_is_for_it(echo: bool) -> None:
    desk = Desk("birch", "birch@4", "birch@7", adapters={"birch": Adapter(echo=echo)})
    for device, address in (("birch", 3), ("birch@4", 4), ("birch@7", 7)):
        assert desk.ask(device, "IDENT").body["serial"] == f"BI{address:06d}"
    desk.result("birch@4", "LOAD_BEGIN", decks=1, expected=52, set_id=SET_ID, cut=0)
    assert [desk.state(device) for device in desk.hosts] == ["UNLOADED", "LOADING", "UNLOADED"]


def test_a_fault_of_one_shoe_leaves_the_others_alone() -> None:
    desk = Desk("birch", "birch@4", faults=("birch@4:mute@frame=5,frames=30",))
    for n in range(4):
        assert desk.result("birch", "CONFIG_SET", key=4, value=n % 2, who=1) is Result.OK
    assert desk.hosts["birch"].link.counters.resends == 0
    assert list(desk.bench.table.plan.fired) == ["birch@4:mute@frame=5,frames=30#0"]


def test_a_host_that_is_not_heard_is_missed() -> None:
    desk = Patient("birch", faults=("birch:stuck_flow@frame=12,ms=2500",))
    desk.run(6)
    assert {"COMMS_LOST", "CLEARED"} <= set(desk.told("birch"))


def test_what_waited_in_the_line_is_taken_later() -> None:
    desk = Desk("alder")
    line = desk.bench.table.lines["alder"]
    desk.bench.table.plan.add("alder:stuck_flow@ms=300")
    start = desk.bench.now
    assert desk.result("alder", "CONFIG_SET", key=4, value=0, who=1) is Result.OK
    assert desk.bench.now - start >= 0.29
    assert line.taking


def test_another_unit_is_another_serial_and_blank_memory_another_epoch() -> None:
    desk = Patient("alder", "birch", faults=("alder:other_unit@event=4", "birch:wiped@event=4"))
    desk.insist("alder", "CONFIG_SET", key=4, value=0, who=1)
    desk.insist("birch", "CONFIG_SET", key=4, value=0, who=1)
    desk.insist("birch", "CONFIG_SET", key=4, value=1, who=1)
    desk.run(3)
    alder, birch = desk.insist("alder", "IDENT").body, desk.insist("birch", "IDENT").body
    assert (alder["serial"], alder["epoch"], alder["boot"]) == ("AL000617", 1, 1)
    assert (birch["serial"], birch["epoch"], birch["boot"]) == ("BI000003", 2, 1)
    assert desk.insist("alder", "CONFIG_GET", key=4).body == {"value": 1}


def test_an_event_told_twice_has_the_same_bytes_or_others() -> None:
    for how, kinds in (("same", 1), ("other", 2)):
        for device in ("alder", "birch"):
            desk = Desk(device, faults=(f"{device}:event_twice@event=4,bytes={how}",))
            desk.result(device, "CONFIG_SET", key=4, value=0, who=1)
            desk.result(device, "CONFIG_SET", key=4, value=1, who=1)
            desk.run(0.5)
            twins = [each for each in desk.hosts[device].messages if getattr(each, "seq", 0) == 4]
            assert (len(twins), len(set(map(repr, twins)))) == (2, kinds), (device, how)


@pytest.mark.parametrize("device", ["alder", "birch"])
def test_an_unknown_event_is_told_and_one_that_is_a_fault_is_open(device: str) -> None:
    for code, is_fault in (("17", False), ("9F", True)):
        desk = Desk(device, faults=(f"{device}:unknown_event@event=2,code={code}",))
        desk.run(0.5)
        strange = [event for event in desk.events(device) if event.name is None]
        assert [(event.code, dict(event.body)) for event in strange] == [(int(code, 16), {"raw": "2a"})]
        faults = desk.ask(device, "FAULTS").body["faults"]
        assert [fault["code"] for fault in faults] == ([int(code, 16)] if is_fault else [])
        for fault in faults:
            assert desk.result(device, "CLEAR_FAULT", fault_seq=fault["seq"], operator=1) is Result.OK


def test_a_small_ring_makes_motion_wait_for_the_host() -> None:
    desk = Desk("alder", faults=("alder:ring_small@slots=33",))
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.E_RING
    desk.acknowledge("alder")
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.ACCEPTED
    desk.run(30)
    assert desk.state("alder") == "FEEDING"
    desk.acknowledge("alder")
    desk.settle("alder", "SHUFFLE_DONE", "CMD_DONE")
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == 1


def test_a_ring_that_runs_over_loses_events_and_shows_the_hole() -> None:
    desk = Desk("birch", faults=("birch:ring_full@event=3,records=600",))
    assert desk.result("birch", "CONFIG_SET", key=4, value=0, who=1) is Result.OK
    desk.run(8)
    assert desk.ask("birch", "STATUS").body["newest"] >= 600
    assert desk.ask("birch", "STATUS").body["flags"] & 1 << 3
    desk.acknowledge("birch")
    assert desk.result("birch", "CONFIG_SET", key=4, value=1, who=1) is Result.OK
    desk.run(0.5)
    seqs = [event.seq for event in desk.events("birch")]
    assert seqs[-1] > 600 > len(seqs)


@pytest.mark.parametrize("text", ["echo=maybe", "latency=-1", "latency=1.5", "latency=5000", "byte_time=1"])
def test_an_adapter_that_cannot_be_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadSetup, match="latency is 0 to 1000"):
        options_of(dict([text.split("=")]), "birch")
    assert options_of({"echo": "true", "latency": "16"}, "birch@4") == {"adapters": {"birch": Adapter(True, 0.016)}}


@pytest.mark.parametrize("text", ["plug=ftdi", "echo=true", "byte_time=true"])
@pytest.mark.parametrize("device", ["cedar", "dogwood"])
def test_what_is_for_a_serial_line_is_refused_where_there_is_none(device: str, text: str) -> None:
    said = (
        f"{device}\\?{text}: a {device} has no serial line, as alder and birch have; latency, and plug=own, are allowed"
    )
    with pytest.raises(BadSetup, match=f"^{said}$"):
        options_of(dict([text.split("=")]), device)
    assert options_of({"plug": "own", "latency": "16"}, device) == {"adapters": {device: Adapter(latency=0.016)}}
