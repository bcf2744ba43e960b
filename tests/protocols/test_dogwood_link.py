"""The rules of a Dogwood's reports at both ends: retained flow, commands, features, STATUS, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from protocols.dogwood.datasheet import REPORT_OUT
from protocols.dogwood.link import DogwoodDevice, DogwoodHost
from protocols.dogwood.reports import Id
from protocols.dogwood.wire import get_feature
from protocols.errors import LocalError
from protocols.link import Down, Dropped, Heard, Received, Side, Silent, Up
from protocols.message import Event, Hint, Request, Response
from protocols.piece import CONTROL_OUT, Piece
from tests.protocols.dogwood_plug import (
    IDENTITY,
    METERS,
    RESUME,
    STATUS,
    Plug,
    ack,
    device,
    host,
    report,
    retained,
    state_event,
    status,
)
from tests.protocols.golden import Vector, vectors

BAD = [v for v in vectors("malformed") if v.family == "dogwood" and v.session is None]
ARM = Request("ARM", 9, {"round": 7, "lease": 2})


def seqs(plug: Plug) -> list[int]:
    return [message.seq for message in plug.messages() if isinstance(message, Event)]


def durable(plug: Plug, upto: int) -> None:
    plug.link.send(Request("ACK", 1, {"upto": upto}), plug.now)
    plug.put()


def result(cmd_id: int, op: str, **body: Any) -> Piece:
    return report(report="RESULT", cmd_id=cmd_id, op=op, result=0, **body)


# the host: retained flow


def test_an_event_comes_up_once_and_is_acknowledged_when_it_is_durable() -> None:
    plug = host()
    plug.hear(retained(6, 1))
    plug.hear(retained(6, 1, again=1), retained(6, 1, again=1))
    assert seqs(plug) == [6]
    assert plug.take() == []
    durable(plug, 5)
    assert plug.take() == []
    durable(plug, 6)
    assert plug.take() == [ack(1, 6)]
    plug.hear(retained(6, 1, again=1))  # the ACK was lost
    assert plug.take() == [ack(1, 6)]
    plug.hear(retained(7, 2))
    assert seqs(plug) == [7]
    assert plug.link.counters.repeats == 3


def test_duplicates_are_told_by_seq_and_never_by_tid() -> None:
    plug = host()
    plug.hear(retained(6, 200))
    durable(plug, 6)
    plug.take()
    plug.hear(retained(6, 1, again=1), retained(7, 1))
    assert plug.take() == [ack(1, 6)]
    assert seqs(plug) == [6, 7]


def test_events_before_anybody_listens_are_left_to_come_again() -> None:
    plug = host(listening=False)
    plug.hear(retained(6, 1))
    assert seqs(plug) == []
    plug.link.read_events_after(5)
    plug.put()
    assert plug.take() == [ack()]
    plug.hear(retained(6, 1, again=1))
    assert seqs(plug) == [6]


def test_an_event_that_nobody_can_read_is_never_acknowledged() -> None:
    plug = host()
    piece = retained(6, 1)
    plug.hear(Piece(piece.ep, piece.data[:13] + b"\x31" + piece.data[14:]))  # code LID with two bytes
    assert [(str(event.kind), event.seq) for event in plug.events if isinstance(event, Dropped)] == [("body", 6)]
    durable(plug, 9)
    assert plug.take() == []


# the host: commands


def test_a_command_goes_out_again_each_250_ms_and_the_fourth_time_loses_the_link() -> None:
    plug = host()
    plug.link.send(ARM, plug.now)
    plug.link.send(Request("DISARM", 10), plug.now)
    plug.put()
    plug.wait(0.8)
    assert [said["cmd_id"] for said in plug.take()] == [9] * 4
    plug.wait(0.3)
    assert [event.reason for event in plug.events if isinstance(event, Down)] == ["no answer"]
    plug.wait(1.1)
    assert plug.link.up
    assert plug.take() == [ack()]


def test_a_stale_result_is_nothing() -> None:
    plug = host()
    plug.link.send(ARM, plug.now)
    plug.put()
    plug.hear(
        report(report="RESULT", cmd_id=8, op="ARM", result=0), report(report="RESULT", cmd_id=9, op="LAMP", result=0)
    )
    assert plug.messages() == []
    plug.hear(
        report(report="RESULT", cmd_id=9, op="ARM", result=0), report(report="RESULT", cmd_id=9, op="ARM", result=0)
    )
    assert plug.messages() == [Response("ARM", 9, 0)]


@pytest.mark.parametrize(("cmd_id", "result"), [(9, 10), (0, 6)])
def test_a_result_that_names_no_operation_answers_the_command_that_is_out(cmd_id: int, result: int) -> None:
    plug = host()
    plug.link.send(ARM, plug.now)
    plug.put()
    plug.hear(report(report="RESULT", cmd_id=cmd_id, op=None, result=result))
    assert plug.messages() == [Response("ARM", 9, result)]


def test_faults_are_asked_for_until_all_have_come() -> None:
    plug = host()
    faults = [{"seq": seq, "code": 0x89} for seq in range(10, 20)]
    plug.link.send(Request("FAULTS", 5), plug.now)
    plug.put()
    for first, page in ((0, faults[:7]), (17, faults[7:]), (20, [])):
        (said,) = plug.take()
        assert said["from"] == first
        plug.hear(
            report(report="RESULT", cmd_id=5, op="FAULTS", result=0, faults=faults[:7]) if first == 17 else status()
        )
        plug.hear(report(report="RESULT", cmd_id=5, op="FAULTS", result=0, faults=page))
    (answer,) = [message for message in plug.messages() if isinstance(message, Response)]
    assert answer.body["faults"] == tuple(faults)
    plug.link.send(Request("FAULTS", 6, {"from": 3}), plug.now)
    plug.put()
    plug.hear(result(6, "FAULTS", faults=faults[:1]))
    assert plug.messages() == [Response("FAULTS", 6, 0, {"faults": (faults[0],)})]


def test_what_does_not_fit_is_our_own_error() -> None:
    plug = host()
    with pytest.raises(LocalError, match="'lease' is missing"):
        plug.link.send(Request("ARM", 1, {"round": 1}), plug.now)
    with pytest.raises(LocalError, match="does not send Response"):
        plug.link.send(Response("ARM", 1, 0), plug.now)


# the host: what no operation asks


def test_identity_meters_and_window_come_from_feature_reports() -> None:
    plug = host()
    for number, name in enumerate(("IDENT", "METERS", "WINDOW")):
        plug.link.send(Request(name, number), plug.now)
    plug.wait(0.1)
    bodies = {message.type: message.body for message in plug.messages() if isinstance(message, Response)}
    assert bodies == {"IDENT": IDENTITY.body, "METERS": METERS, "WINDOW": RESUME.body}


def test_status_is_the_next_report_or_the_last_one_if_none_comes_at_once() -> None:
    plug = host()
    plug.link.send(Request("STATUS", 1), plug.now)
    plug.wait(0.5)
    assert plug.messages() == []
    plug.hear(status(drawn=1))
    plug.link.send(Request("STATUS", 2), plug.now)
    plug.wait(0.02)
    plug.hear(status(drawn=2))
    plug.link.send(Request("STATUS", 3), plug.now)
    plug.wait(0.1)
    answers = [message for message in plug.messages() if isinstance(message, Response)]
    assert [(answer.id, answer.body["drawn"]) for answer in answers] == [(1, 1), (2, 2), (3, 2)]


def test_status_is_never_older_than_an_event_that_was_told_since() -> None:
    plug = host()
    plug.hear(status(drawn=1), retained(1, 1))
    plug.link.send(Request("STATUS", 1), plug.now)
    plug.wait(0.9)
    plug.hear(status(drawn=2))
    plug.hear(retained(1, 1, again=1))
    plug.link.send(Request("STATUS", 2), plug.now)
    plug.wait(0.1)
    answers = [message for message in plug.messages() if isinstance(message, Response)]
    assert [(answer.id, answer.body["drawn"]) for answer in answers] == [(1, 2), (2, 2)]


def test_status_is_never_older_than_an_event_of_which_only_the_window_tells() -> None:
    plug = host()
    for newest, drawn in ((RESUME.newest, 1), (RESUME.newest + 1, 2)):
        plug.hear(status(drawn=1))
        plug.resume = replace(RESUME, newest=newest)
        plug.link.send(Request("WINDOW", newest), plug.now)
        plug.put()
        plug.link.send(Request("STATUS", 1), plug.now)
        plug.wait(0.1)
        plug.hear(status(drawn=2))
        (answer,) = [one for one in plug.messages() if isinstance(one, Response) and one.type == "STATUS"]
        assert answer.body["drawn"] == drawn


def test_a_device_that_says_nothing_is_looked_for_and_one_that_restarted_is_found_out() -> None:
    plug = host()
    plug.wait(3.1)
    assert plug.features == 4
    plug.refuses = True
    plug.wait(5.1)
    assert [event.reason for event in plug.events if isinstance(event, Down)] == ["a feature report is refused"]
    other = host()
    other.hear(status(boot=4))
    assert [event.reason for event in other.events if isinstance(event, Down)] == ["the device restarted"]


# the device


def test_one_report_is_outstanding_and_comes_again_each_250_ms_until_its_own_ack() -> None:
    plug = device(state_event(1), state_event(2))
    plug.wait(1)
    assert plug.take() == []  # nobody was heard
    assert plug.hear(report(**ack()))[0] == Heard()
    plug.wait(0.6)
    plug.hear(report(**ack(2, 1)), report(**ack(1, 2)))
    assert [(said["seq"], said["tid"], said["flags"]) for said in plug.take()] == [(1, 1, 1), (1, 1, 1), (1, 1, 1)]
    assert plug.messages() == []
    plug.hear(report(**ack(1, 1)))
    assert plug.messages() == [Request("ACK", 0, {"upto": 1})]
    assert [(said["seq"], said["tid"], said["flags"]) for said in plug.take()] == [(2, 2, 0)]
    plug.hear(report(**ack(1, 1)))
    assert plug.take() == []


def test_tids_run_from_1_to_255_and_around_and_begin_anew_with_a_resync() -> None:
    plug = device()
    plug.hear(report(**ack()))
    tids = []
    for seq in range(1, 258):
        plug.link.send(state_event(seq), plug.now)
        plug.put()
        (said,) = plug.take()
        tids.append(said["tid"])
        if seq < 257:
            plug.hear(report(**ack(said["tid"], seq)))
    assert tids == [*range(1, 256), 1, 2]
    plug.hear(report(**ack()))
    assert [(said["seq"], said["tid"], said["flags"]) for said in plug.take()] == [(257, 1, 1)]


def test_the_window_has_cause_0_until_the_first_ack() -> None:
    plug = device()
    for before in (0, 1):
        assert Received(Request("WINDOW")) in plug.hear(Piece(CONTROL_OUT, get_feature(0x24)))
        plug.link.send(Response("WINDOW", 0, 0, RESUME.body), plug.now)
        plug.put()
        assert [said["cause"] for said in plug.take()] == [before]
        plug.hear(report(**ack()))


def test_identity_comes_in_two_reports_and_other_features_stall() -> None:
    plug = device()
    chunks = []
    for id in (Id.IDENT, Id.IDENT2):
        plug.hear(Piece(CONTROL_OUT, get_feature(id)))
        plug.link.send(Response("IDENT", 0, 0, IDENTITY.body), plug.now)
        plug.put()
        chunks.append(plug.raw[-1])
    assert [plug.feature(id).data for id in (Id.IDENT, Id.IDENT2)] == chunks
    plug.take()
    for wrong in (get_feature(0x21), get_feature(0x01), bytes.fromhex("2109200300004000"), b"\xa1"):
        plug.hear(Piece(CONTROL_OUT, wrong))
    assert plug.take() == [{"stall": 0x80}] * 4


def test_commands_come_up_and_what_cannot_be_read_is_refused_by_the_link() -> None:
    plug = device()
    plug.hear(report(report="COMMAND", cmd_id=9, op="ARM", round=7, lease=2))
    assert plug.messages() == [ARM]
    plug.link.send(Response("ARM", 9, 0), plug.now)
    plug.link.send(Response("ARM", 9, 0), plug.now)
    plug.put()
    assert plug.take() == [{"report": "RESULT", "cmd_id": 9, "op": "ARM", "result": 0}]
    arm = report(report="COMMAND", cmd_id=9, op="ARM", round=7, lease=2).data
    reread = report(report="COMMAND", cmd_id=8, op="REREAD", idx=1, card=1, op1=2, op2=3).data
    plug.hear(
        Piece(REPORT_OUT, arm[:-1] + b"\1"),
        Piece(REPORT_OUT, reread[:6] + b"\x0f" + reread[7:]),
        Piece(REPORT_OUT, arm[:3] + b"\x7f" + arm[4:]),
    )
    assert plug.take() == [
        {"report": "RESULT", "cmd_id": 9, "op": "ARM", "result": 4},
        {"report": "RESULT", "cmd_id": 8, "op": "REREAD", "result": 4},
        {"report": "RESULT", "cmd_id": 9, "op": None, "result": 10},
    ]
    assert plug.messages() == []


def test_status_is_sent_on_change_and_each_second_and_tells_of_the_outstanding_report() -> None:
    plug = device()
    plug.hear(report(**ack()))
    plug.link.send(Hint({**STATUS, "flags": 0xFF}), plug.now)
    plug.wait(1.5)
    assert [(said["flags"], said["pending_seq"]) for said in plug.take()] == [(0xDF, 0)] * 2
    plug.link.send(state_event(4), plug.now)
    plug.link.send(Hint(STATUS), plug.now)
    plug.put()
    assert [said.get("pending_seq") for said in plug.take()] == [None, 4]


def test_nothing_is_said_after_the_plug_was_pulled() -> None:
    plug = device(state_event(1))
    plug.hear(report(**ack()))
    plug.take()
    assert plug.link.unplugged(plug.now) == [Silent(0)]
    plug.wait(3)
    assert plug.take() == []
    assert plug.hear(report(**ack()))[0] == Heard()
    assert [said["seq"] for said in plug.take()] == [1]


def test_up_comes_with_the_start_and_not_with_a_host() -> None:
    plug = Plug(DogwoodDevice(resume=lambda: RESUME))
    plug.wait(0.0)
    plug.hear(report(**ack()))
    assert sum(isinstance(event, Up) for event in plug.events) == 1


@pytest.mark.parametrize("vector", BAD, ids=str)
def test_what_is_malformed_is_dropped_and_the_next_report_is_heard(vector: Vector) -> None:
    if vector.sender is Side.HOST:
        plug = device()
        plug.hear(Piece(REPORT_OUT, vector.data))
        after = plug.hear(report(report="COMMAND", cmd_id=9, op="ARM", round=7, lease=2))
        assert after == [Received(ARM)]
    else:
        plug = host()
        plug.hear(Piece(0x81, vector.data))
        assert Received(Hint({**STATUS, "pending_seq": 0})) in plug.hear(status())
    assert vector.entry["error"] in [str(event.kind) for event in plug.events if isinstance(event, Dropped)]


def test_a_host_that_was_never_answered_asks_again_each_second() -> None:
    plug = Plug(DogwoodHost())
    plug.refuses = True
    plug.put()
    plug.wait(6.1)
    assert plug.features == 4
    plug.refuses = False
    plug.wait(3)
    assert plug.link.up
