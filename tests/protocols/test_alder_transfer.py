"""The rules of Alder's transfer: numbers, window, acknowledgements, repeats, RNR."""

from __future__ import annotations

import pytest

from protocols.alder.datasheet import BAUD, BITS_PER_BYTE
from protocols.alder.vector import decode_frame
from protocols.link import Received, Side
from protocols.message import Request
from tests.protocols.alder_line import ACK, PROGRESS, data, frame, only, said, until, up
from tests.protocols.rigs import state_event


def test_at_most_four_are_under_way() -> None:
    link = up(Side.HOST)
    for number in range(6):
        link.send(Request("STATUS", number), 0.0)
    assert said(link, 0.0) == ["DATA 0", "DATA 1", "DATA 2", "DATA 3"]
    link.receive(frame("RR", nr=2), 0.01)
    assert said(link, 0.01) == ["DATA 4", "DATA 5"]


def test_data_is_acknowledged_within_20_ms_at_once_when_four_wait_and_by_data_if_there_is_some() -> None:
    link = up(Side.HOST)
    link.receive(data(0, 0, PROGRESS), 0.1)
    assert said(link, 0.1) == []
    assert link.deadline() == pytest.approx(0.12)
    assert said(link, 0.121) == ["RR 1"]
    for number in range(1, 5):
        link.receive(data(number, 0, PROGRESS), 0.2)
    assert said(link, 0.2) == ["RR 5"]
    link.receive(data(5, 0, PROGRESS), 0.3)
    link.send(ACK, 0.31)
    assert decode_frame(link.output(0.31), Side.HOST)["nr"] == 6
    assert said(link, 0.35) == []


def test_a_gap_is_rejected_once_until_it_is_closed() -> None:
    link = up(Side.HOST)
    assert only(link.receive(data(1, 0, PROGRESS), 0.1), Received) == []
    assert said(link, 0.1) == ["REJ 0"]
    link.receive(data(2, 0, PROGRESS), 0.11)
    assert said(link, 0.11) == []
    assert only(link.receive(data(0, 0, PROGRESS, retx=1), 0.2), Received)
    link.receive(data(2, 0, PROGRESS), 0.21)
    assert said(link, 0.21) == ["REJ 1"]


def test_one_of_the_last_four_taken_is_a_duplicate_and_answered_at_once() -> None:
    link = up(Side.HOST)
    assert said(link, 0.0) == []
    link.receive(data(7, 0, PROGRESS), 0.1)
    assert said(link, 0.1) == ["REJ 0"]  # nothing was taken since the link came up: no duplicate
    for number in range(5):
        link.receive(data(number, 0, PROGRESS), 0.2)
    said(link, 0.3)
    for number in (1, 4):
        assert only(link.receive(data(number, 0, PROGRESS, retx=1), 0.4), Received) == []
        assert said(link, 0.4) == ["RR 5"]
    link.receive(data(0, 0, PROGRESS, retx=1), 0.5)
    assert said(link, 0.5) == ["REJ 5"]


def test_rej_sends_all_from_there_again_marked_as_repeats() -> None:
    link = up(Side.DEVICE)
    for seq in range(1, 4):
        link.send(state_event(seq), 0.0)
    said(link, 0.0)
    link.receive(frame("REJ", nr=1), 0.1)
    assert said(link, 0.1) == ["DATAR 1", "DATAR 2"]
    assert link.counters.resends == 2


def test_t1_starts_at_the_end_of_sending_doubles_up_to_1200_ms_and_is_set_back_by_progress() -> None:
    link = up(Side.DEVICE)
    link.send(state_event(1), 0.0)
    size = len(link.output(0.0)) * BITS_PER_BYTE / BAUD
    times = [at for at, word in until(link, 2.5) if word == "DATAR 0"]
    assert times == pytest.approx([0.4 + size, 1.2 + 2 * size, 2.4 + 3 * size], abs=0.02)
    link.send(state_event(2), 2.5)
    said(link, 2.5)
    link.receive(frame("RR", nr=1), 2.6)
    assert [word for at, word in until(link, 2.95) if at > 2.8] == ["DATAR 1"]


def test_five_time_outs_without_progress_end_the_link() -> None:
    link = up(Side.HOST)
    link.send(ACK, 0.0)
    assert said(link, 0.0) == ["DATA 0"]
    times = until(link, 5.5)
    assert [word for _, word in times if word != "RR 0"] == ["DATAR 0"] * 4 + ["RST"]
    assert link.counters.resends == 4


def test_rnr_stops_new_data_until_rr_or_rej() -> None:
    for release in ("RR", "REJ"):
        link = up(Side.DEVICE)
        link.receive(frame("RNR", nr=0), 0.1)
        link.send(state_event(1), 0.2)
        assert said(link, 0.2) == []
        link.receive(frame(release, nr=0), 0.3)
        assert said(link, 0.3) == ["DATA 0"]


def test_a_stopped_side_says_rnr() -> None:
    link = up(Side.HOST)
    link.stop(True)
    assert said(link, 0.0) == ["RNR 0"]
    link.receive(data(0, 0, PROGRESS), 0.1)
    assert said(link, 0.121) == ["RNR 1"]
    link.stop(False)
    assert said(link, 0.13) == ["RR 1"]


def test_the_host_resets_after_5_s_of_rnr() -> None:
    link = up(Side.HOST)
    link.receive(frame("RNR", nr=0), 0.0)
    link.receive(frame("RNR", nr=0), 3.0)
    assert [word for _, word in until(link, 5.1)][-1] == "RST"
