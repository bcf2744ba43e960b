"""Alder as its document works through it: shuffles, jams, doors, power cuts, each with its events in order."""

from __future__ import annotations

import pytest

from firmware_sim.setup import options_of
from protocols.vocabulary import Result, Verdict
from tests.sim.desk import Desk

IN_ORDER = [
    "SHUFFLE_STARTED",
    "STATE LOADED FEEDING",
    "STATE FEEDING MIXING",
    "STATE MIXING VERIFYING",
    "SHUFFLE_DONE",
]


def test_alder_9_1_connect_shuffle_prove_present_take() -> None:
    desk = Desk("alder", seed=7)
    start = desk.mark("alder")
    first = desk.shuffle()
    assert desk.told("alder", start) == [*IN_ORDER, "STATE VERIFYING READY", f"CMD_DONE {first} OK"]
    assert desk.last("alder", "SHUFFLE_DONE") == {
        "cycle": 1, "in": 52, "out": 52, "expected": 52, "verdict": 1, "flags": 0,
    }  # fmt: skip
    status = desk.ask("alder", "STATUS").body
    assert (status["state"], status["tray"], status["output"], status["flags"] & 2) == (7, 0xFF, 52, 2)
    start = desk.mark("alder")
    second = desk.send("alder", "PRESENT", deck=0, override_by=0)
    desk.settle("alder", "CMD_DONE")
    assert desk.do("take", device="alder") == 52
    assert desk.told("alder", start) == [
        "STATE READY PRESENTED", f"CMD_DONE {second} OK", "DECK_TAKEN", "STATE PRESENTED EMPTY",
    ]  # fmt: skip
    assert desk.last("alder", "DECK_TAKEN") == {"deck": 0, "back": 0, "count": 52}


def test_alder_6_a_cycle_of_52_takes_as_long_as_the_table_says() -> None:
    desk = Desk("alder", speed=1.0)
    start = desk.mark("alder")
    desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.settle("alder", "CMD_DONE")
    desk.send("alder", "PRESENT", deck=0, override_by=0)
    desk.settle("alder", "CMD_DONE")
    events = desk.events("alder")[start:]
    assert (events[-1].t_ms - events[0].t_ms) / 1000 == pytest.approx(21.5, abs=0.6)
    progress = desk.progress("alder")
    assert len(progress) > 50
    assert [each.done for each in progress] == sorted(each.done for each in progress)


def test_alder_6_the_classic_profile_is_slow() -> None:
    desk = Desk("alder")
    assert desk.result("alder", "CONFIG_SET", key=1, value=2, who=4711) is Result.OK
    start = desk.mark("alder")
    desk.shuffle()
    events = desk.events("alder")[start:]
    assert (events[-1].t_ms - events[0].t_ms) / 1000 == pytest.approx(51.5, abs=1.5)


def test_alder_9_2_a_jam_that_nobody_clears_ends_the_cycle_and_a_person_recovers_it() -> None:
    desk = Desk("alder", faults=("alder:jam@card=31",))
    start = desk.mark("alder")
    id = desk.shuffle()
    assert desk.told("alder", start) == [
        "SHUFFLE_STARTED", "STATE LOADED FEEDING",
        "JAM", "SHUFFLE_DONE", "STATE FEEDING FAULT", f"CMD_DONE {id} E_FAULT",
    ]  # fmt: skip
    assert desk.last("alder", "JAM") == {"zone": 1, "cards_in_path": 1, "attempt": 3}
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["in"], done["out"], done["verdict"]) == (31, 0, Verdict.ABORTED)
    jam = next(event.seq for event in desk.events("alder") if event.name == "JAM")
    refused = desk.ask("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    assert (refused.result, refused.fault_code) == (Result.E_FAULT, 0x81)
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=jam, operator=4711) is Result.E_INTERLOCK
    start = desk.mark("alder")
    desk.do("open_door", device="alder")
    for zone in ("alder.path", "alder.rack"):
        desk.do("move", **{"from": zone, "to": "alder.infeed"})
    desk.do("close_door", device="alder")
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=jam, operator=4711) is Result.OK
    desk.run(0.1)
    assert desk.told("alder", start) == [
        "DOOR open", "STATE FAULT DOOR_OPEN", "DOOR shut", "STATE DOOR_OPEN FAULT", "CLEARED", "STATE FAULT LOADED",
    ]  # fmt: skip
    assert desk.last("alder", "CLEARED") == {"fault_seq": jam, "how": 2, "who": 4711}
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_alder_5_a_jam_that_the_device_clears_goes_on(tries: int) -> None:
    desk = Desk("alder", faults=(f"alder:jam@card=31,tries={tries}",))
    start = desk.mark("alder")
    id = desk.shuffle()
    assert desk.told("alder", start) == [
        *IN_ORDER[:2], "JAM", "CLEARED", *IN_ORDER[2:], "STATE VERIFYING READY", f"CMD_DONE {id} OK",
    ]  # fmt: skip
    assert desk.last("alder", "JAM")["attempt"] == tries
    assert desk.last("alder", "CLEARED")["how"] == 0
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK


def test_alder_9_3_power_lost_in_mid_cycle() -> None:
    desk = Desk("alder", faults=("alder:power_cut@card=31",))
    start = desk.mark("alder")
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.settle("alder", "POWER_UP", "STATE")
    assert desk.told("alder", start) == [
        "SHUFFLE_STARTED", "STATE LOADED FEEDING",
        "POWER_UP", "SHUFFLE_DONE", f"CMD_DONE {id} E_ABORTED", "STATE BOOT LOCKED",
    ]  # fmt: skip
    zones = ({"count": 21, "err": 0}, {"count": 1, "err": 1}, {"count": 30, "err": 0}, {"count": 0, "err": 0})
    assert desk.last("alder", "POWER_UP") == {"cause": 1, "prev_state": 4, "zones": zones}
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["in"], done["out"], done["verdict"], done["flags"]) == (31, 0, Verdict.ABORTED, 8)
    answer = desk.ask("alder", "RESULT", of=id)
    assert answer.body == {"of_type": 0x10, "of_result": Result.ACCEPTED}
    again = desk.ask("alder", "SHUFFLE_START", id=id, mode=1, deck=0, expected=52)
    assert (again.result, again.body) == (Result.ACCEPTED, {"cycle": 1})
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.E_STATE
    assert desk.do("take_out", device="alder") == 52
    assert desk.told("alder")[-1] == "STATE LOCKED EMPTY"
    desk.do("feed", device="alder", **{"from": "rack"})
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK


def test_alder_5_a_door_opened_in_the_cycle_ends_it_by_hand() -> None:
    desk = Desk("alder", speed=1.0)
    start = desk.mark("alder")
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(5)
    desk.do("open_door", device="alder")
    assert desk.told("alder", start)[2:] == [
        "DOOR open", "SHUFFLE_DONE", "STATE FEEDING DOOR_OPEN", f"CMD_DONE {id} E_ABORTED",
    ]  # fmt: skip
    assert desk.last("alder", "SHUFFLE_DONE")["flags"] & 2
    desk.do("close_door", device="alder")
    assert desk.state("alder") == "LOCKED"
    desk.do("take_out", device="alder")
    assert desk.state("alder") == "EMPTY"


def test_alder_4_abort_brings_all_cards_to_the_output_and_locks() -> None:
    desk = Desk("alder", speed=1.0)
    start = desk.mark("alder")
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(5)
    abort = desk.send("alder", "ABORT")
    desk.settle("alder", "CMD_DONE", "CMD_DONE")
    assert desk.told("alder", start)[2:] == [
        "SHUFFLE_DONE", "STATE FEEDING LOCKED", f"CMD_DONE {id} E_ABORTED", f"CMD_DONE {abort} OK",
    ]  # fmt: skip
    assert len(desk.cards("alder.output")) == 52
    assert desk.result("alder", "ABORT") is Result.E_STATE


@pytest.mark.parametrize(
    ("fault", "counts", "verdict"),
    [
        ("alder:missing@card=10", (52, 51), Verdict.SHORT),
        ("alder:extra@card=10", (53, 53), Verdict.OVER),
        ("alder:lying_count@out=-1", (52, 51), Verdict.SHORT),
        ("alder:lying_count@out=1", (52, 53), Verdict.OVER),
        ("alder:lying_count@in=-1", (51, 52), Verdict.UNKNOWN),
    ],
)
def test_common_9_a_wrong_count_raises_a_mismatch_and_locks(
    fault: str, counts: tuple[int, int], verdict: Verdict
) -> None:
    desk = Desk("alder", faults=(fault,))
    start = desk.mark("alder")
    id = desk.shuffle()
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["in"], done["out"], done["verdict"]) == (*counts, verdict)
    assert desk.told("alder", start) == [
        *IN_ORDER, "COUNT_MISMATCH", "STATE VERIFYING LOCKED", f"CMD_DONE {id} OK",
    ]  # fmt: skip
    desk.do("take_out", device="alder")
    assert desk.state("alder") == "LOCKED"
    mismatch = next(event.seq for event in desk.events("alder") if event.name == "COUNT_MISMATCH")
    assert desk.result("alder", "CLEAR_FAULT", fault_seq=mismatch, operator=4711) is Result.OK
    desk.run(0.1)
    assert desk.state("alder") == "EMPTY"


def test_a_count_that_lies_about_a_missing_card_looks_right() -> None:
    desk = Desk("alder", faults=("alder:missing@card=10", "alder:lying_count@out=1"))
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.OK
    assert len(desk.cards("alder.output")) == 51
    assert len(desk.cards("floor")) == 1


def test_common_9_a_sorting_machine_says_so_and_presents_only_with_an_override() -> None:
    desk = Desk("alder", faults=("alder:sort",))
    desk.shuffle()
    assert desk.last("alder", "SHUFFLE_STARTED")["mode"] == 3
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["verdict"], done["flags"]) == (Verdict.NOT_A_SHUFFLE, 0x20)
    assert desk.state("alder") == "READY"
    assert desk.result("alder", "PRESENT", deck=0, override_by=0) is Result.E_NOT_VERIFIED
    desk.present(override_by=815)


def test_alder_4_retract_voids_the_verdict() -> None:
    desk = Desk("alder")
    desk.shuffle()
    desk.present()
    assert desk.result("alder", "RETRACT", deck=0) is Result.ACCEPTED
    desk.run(0.2)
    assert desk.state("alder") == "READY"
    assert desk.result("alder", "PRESENT", deck=0, override_by=0) is Result.E_NOT_VERIFIED
    assert desk.result("alder", "CONFIG_SET", key=2, value=0, who=815) is Result.OK
    assert desk.result("alder", "PRESENT", deck=0, override_by=815) is Result.E_NOT_VERIFIED


def test_alder_5_two_decks_alternate_and_the_tray_is_taken_in_the_other_decks_cycle() -> None:
    desk = Desk("alder", speed=20.0)
    desk.shuffle(deck=0)
    desk.present(deck=0)
    desk.do("bring", deck=1, to="alder.infeed")
    assert desk.state("alder") == "LOADED"
    assert desk.last("alder", "DECK_LOADED") == {"deck": 1, "back": 0, "count": 52}
    start = desk.mark("alder")
    id = desk.send("alder", "SHUFFLE_START", mode=1, deck=1, expected=52)
    desk.run(0.3)
    assert desk.do("take", device="alder") == 52
    assert "DECK_TAKEN" in desk.told("alder", start)
    assert desk.bench.until(lambda: f"CMD_DONE {id} OK" in desk.told("alder", start))
    assert desk.state("alder") == "READY"
    desk.present(deck=1)
    assert {card.deck for card in desk.bench.table.world.cards("alder.output")} == {1}


@pytest.mark.parametrize("sees", [True, False])
def test_alder_4_the_deck_taken_is_told_with_its_own_back_and_not_that_of_the_deck_confirmed_last(sees: bool) -> None:
    desk = Desk("alder", speed=20.0, backs=sees)
    if not sees:
        assert desk.result("alder", "CONFIRM_DECK", deck=0, back=1, count=52) is Result.OK
    desk.shuffle(deck=0)
    desk.present(deck=0)
    desk.do("bring", deck=1, to="alder.infeed", back="blue")
    assert desk.last("alder", "DECK_LOADED") == {"deck": 1, "back": 2 if sees else 0, "count": 52}
    assert desk.result("alder", "CONFIRM_DECK", deck=1, back=2, count=52) is Result.OK
    desk.send("alder", "SHUFFLE_START", mode=1, deck=1, expected=52)
    desk.run(0.3)
    assert desk.do("take", device="alder") == 52
    assert desk.last("alder", "DECK_TAKEN") == {"deck": 0, "back": 1, "count": 52}
    desk.settle("alder", "CMD_DONE")
    desk.present(deck=1)
    assert desk.do("take", device="alder") == 52
    assert desk.last("alder", "DECK_TAKEN") == {"deck": 1, "back": 2, "count": 52}


@pytest.mark.parametrize(
    ("options", "caps"),
    [
        ({}, 0x1743),
        ({"backs": "false"}, 0x1743),
        ({"backs": "true"}, 0x17C3),
        ({"composition": "true"}, 0x1747),
        ({"composition": "true", "backs": "true"}, 0x17C7),
        ({"counts": "false"}, 0x1740),
    ],
)
def test_common_2_options_give_and_take_capabilities(options: dict[str, str], caps: int) -> None:
    desk = Desk("alder", **options_of(options))
    assert desk.ask("alder", "IDENT").body["caps"] == caps


def test_alder_4_a_retired_deck_is_locked_out_until_it_is_confirmed() -> None:
    desk = Desk("alder")
    assert desk.result("alder", "RETIRE_DECK", deck=0, reason=1) is Result.OK
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.E_INTERLOCK
    assert desk.result("alder", "CONFIRM_DECK", deck=0, back=1, count=52) is Result.OK
    desk.shuffle()


def test_alder_4_counting_nothing_shows_that_nothing_is_left() -> None:
    desk = Desk("alder")
    desk.do("move", **{"from": "alder.infeed", "to": "rack"})
    assert desk.told("alder")[-1] == "STATE LOADED EMPTY"
    start = desk.mark("alder")
    desk.shuffle(mode=2, expected=0)
    assert "STATE VERIFYING EMPTY" in desk.told("alder", start)
    assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.E_STATE


def test_a_cycle_started_at_the_panel_has_origin_1_and_no_end_of_a_command() -> None:
    desk = Desk("alder", faults=("alder:panel",))
    desk.run(1)
    assert desk.last("alder", "SHUFFLE_STARTED")["origin"] == 1
    assert desk.state("alder") == "READY"
    assert not any(each.startswith("CMD_DONE") for each in desk.told("alder"))


def test_a_machine_without_counting_lacks_the_capabilities_and_notices_nothing() -> None:
    desk = Desk("alder", faults=("alder:no_count", "alder:missing@card=5"))
    caps = desk.ask("alder", "IDENT").body["caps"]
    assert caps & 3 == 0
    desk.shuffle()
    done = desk.last("alder", "SHUFFLE_DONE")
    assert (done["in"], done["out"], done["verdict"]) == (52, 52, Verdict.OK)


def test_alder_r_reports_the_differences_of_the_deck_in_ascending_order() -> None:
    desk = Desk("alder", composition=True, deck="standard-Qs+As")
    start = desk.mark("alder")
    desk.shuffle()
    assert desk.told("alder", start)[4:] == [
        "DUPLICATE", "COMPOSITION", "SHUFFLE_DONE", "STATE VERIFYING FAULT", "CMD_DONE 1 OK",
    ]  # fmt: skip
    assert desk.last("alder", "COMPOSITION")["entries"] == ({"card": 0x01, "delta": 1}, {"card": 0x0C, "delta": -1})
    assert desk.last("alder", "SHUFFLE_DONE")["verdict"] == Verdict.COMPOSITION
    assert desk.last("alder", "SHUFFLE_DONE")["flags"] == 1


def test_alder_5_service_port_ends_a_cycle_and_unplugging_restarts() -> None:
    desk = Desk("alder", speed=5.0)
    desk.send("alder", "SHUFFLE_START", mode=1, deck=0, expected=52)
    desk.run(1)
    desk.do("plug_service", device="alder")
    assert desk.state("alder") == "SERVICE"
    assert desk.last("alder", "SHUFFLE_DONE")["flags"] & 2
    desk.do("unplug_service", device="alder")
    desk.settle("alder", "POWER_UP", "STATE")
    assert desk.last("alder", "POWER_UP")["cause"] == 3


def test_alder_residual_cards_in_the_elevator_end_a_new_cycle_before_it_feeds() -> None:
    desk = Desk("alder")
    desk.shuffle()
    desk.bench.machine("alder").power_cut()
    desk.settle("alder", "POWER_UP", "STATE")
    assert desk.bench.until(lambda: desk.state("alder") == "EMPTY")
    desk.do("bring", deck=1, to="alder.infeed")
    desk.shuffle(deck=1)
    assert desk.last("alder", "RESIDUAL") == {"zone": 3, "n": 52}
    assert desk.state("alder") == "FAULT"
