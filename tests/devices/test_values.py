"""Small values of the devices: commands, replies, faces, patience, and the way of events into the journal."""

import logging
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.family import Verb, families
from protocols.message import Event, Request, Response
from protocols.vocabulary import Result
from shoectl.cards import STANDARD, Card
from shoectl.devices.awaiting import NO_LIMIT, Awaiting
from shoectl.devices.command import Command, Reply, command_of, fault_text, result_text
from shoectl.devices.faces import byte_of, card_of, said_of
from shoectl.devices.intake import Conflict, Intake
from shoectl.devices.patience import FLAPPING_WINDOW_S, Backoff, Losses, Repeated
from shoectl.devices.places import Place, occupy
from shoectl.devices.shoe import Shoe
from shoectl.devices.shuffler import Shuffler
from shoectl.errors import BadInput
from shoectl.transports.holders import lock_holder, opened_by, process_text
from tests.devices.notes import Notes
from tests.devices.ports import adapter, locked


def test_each_of_the_52_cards_has_one_byte_and_other_bytes_have_none() -> None:
    assert {card_of(byte_of(card)) for card in STANDARD} == set(STANDARD)
    assert sum(card_of(byte) is not None for byte in range(256)) == 52
    assert byte_of(Card.parse("Qh")) == 0x1C


def test_what_a_reader_says_in_words_is_never_a_face() -> None:
    assert said_of(0x7E) == "unreadable"
    assert said_of(0x41) == "joker 1"
    assert said_of(0x0E) == "undefined card byte 0E"
    assert {said_of(byte_of(card)) for card in STANDARD} == {"a card"}


def test_a_reply_says_in_words_why_not() -> None:
    assert Reply(0).ok
    assert Reply(1).ok
    assert not Reply(3).ok
    refused = Reply.of(Response("ARM", 7, Result.E_FAULT, fault_code=0x81))
    assert refused.text == "refused: an open fault forbids it (jam)"
    assert fault_text(0xEE) == "fault EE"
    assert result_text(0x77) == "refused: unknown result 77"
    assert len({result_text(result) for result in Result}) == len(Result)


def test_a_shoes_and_a_shufflers_words_become_commands_of_the_family() -> None:
    stations = occupy(
        [Place("shuffler", "serial:///dev/a", "alder"), Place("shoe", "serial:///dev/b", "birch")], Notes()
    )
    shoe, shuffler = Shoe(stations["shoe"]), Shuffler(stations["shuffler"])
    assert not any((shoe.reads, shoe.gated, shuffler.counts, shuffler.composition))
    commands = [
        shoe.load(deck="deck 0 red", cards=52, cut=40), shoe.loaded(), shoe.arm(1207, 9), shoe.shut(),
        shoe.resolve(9, Card.parse("Kc"), 4711, 815), shoe.close(17), shoe.clear_fault(3, 4711),
    ]  # fmt: skip
    assert commands[0] == Command("LOAD_BEGIN", {"decks": 1, "expected": 52, "set_id": b"deck 0 r".hex(), "cut": 40})
    assert commands[4].body["card"] == 0x2D
    others = [
        shuffler.shuffle(0, 52), shuffler.count(0, 0), shuffler.present(0), shuffler.retract(0), shuffler.abort(),
        shuffler.confirm(0, 1, 52), shuffler.retire(0, 1), shuffler.clear_fault(3, 4711),
    ]  # fmt: skip
    for family, made in ((stations["shoe"].family, commands), (stations["shuffler"].family, others)):
        for command in made:
            assert family.carries_id(command.type)
            assert family.request_bytes(Request(command.type, 1, command.body))
    with pytest.raises(BadInput, match="the family alder cannot arm"):
        command_of(families()["alder"], Verb.ARM)


def test_delays_double_from_a_tenth_to_five_seconds_with_jitter_and_begin_again() -> None:
    backoff = Backoff(random.Random(1))
    delays = [backoff.delay() for _ in range(12)]
    for at, delay in enumerate(delays):
        plain = min(0.1 * 2**at, 5.0)
        assert 0.8 * plain <= delay <= 1.2 * plain
    assert len(set(delays)) == 12
    assert 0.8 <= backoff.delay(1.0) <= 1.2  # a port that is not there is looked for more often
    backoff.reset()
    assert backoff.delay() < 0.13


def test_four_losses_in_a_minute_are_flapping() -> None:
    losses = Losses()
    for at in (0.0, 10.0, 20.0):
        losses.add(at)
    assert not losses.flapping(20.0)
    losses.add(30.0)
    assert losses.flapping(30.0)
    assert not losses.flapping(1.0 + FLAPPING_WINDOW_S)


def test_field_case_11_the_same_line_is_said_first_and_then_at_doubling_intervals(
    caplog: pytest.LogCaptureFixture,
) -> None:
    repeated, at = Repeated(logging.getLogger("shoectl.test")), 0.0
    while at < 3600:
        repeated.say("waiting", at)
        at += 0.05
    assert len(caplog.messages) <= 13
    assert caplog.messages[0] == "waiting"
    assert "times since last said" in caplog.messages[1]
    repeated.over()
    repeated.say("waiting", at)
    assert caplog.messages[-1] == "waiting"


def test_cards_are_awaited_while_a_lease_is_open() -> None:
    awaiting = Awaiting(families()["birch"])
    drawn = Event(1, 1, 0, 0x10, {"idx": 1, "card": 1, "quality": 9, "dwell_ms": 9})
    awaiting.replied("ARM", {"round": 1, "lease": 2}, False)
    assert not awaiting
    awaiting.replied("ARM", {"round": 1, "lease": 2}, True)
    awaiting.happened([drawn])
    assert awaiting
    awaiting.happened([drawn])
    assert not awaiting
    awaiting.replied("ARM", {"round": 1, "lease": NO_LIMIT}, True)
    awaiting.happened([drawn] * 300)
    assert awaiting
    awaiting.happened([Event(2, 1, 0, 0x02, {"old": 3, "new": 4})])
    assert not awaiting
    awaiting.replied("ARM", {"round": 1, "lease": 5}, True)
    awaiting.replied("DISARM", {}, True)
    assert not awaiting


def event(seq: int, content: int = 0) -> Event:
    return Event(seq, 1, 0, 0x30, {"open": content})


@given(last=st.integers(0, 5), order=st.lists(st.integers(1, 20)), rest=st.permutations(range(1, 21)))
def test_events_in_any_order_and_number_come_out_once_and_ascending(
    last: int, order: list[int], rest: list[int]
) -> None:
    intake, out = Intake(last, 512), []
    for seq in [*order, *rest]:
        intake.put(event(seq))
        due = intake.due()
        intake.delivered(due)
        out += [one.seq for one in due]
    assert [seq for seq in out if seq > last] == list(range(last + 1, 21))
    assert sorted(seq for seq in out if seq <= last) == list(range(1, last + 1))  # durable ones, once: to be compared
    assert intake.gap() is None


def test_the_same_number_with_other_content_is_a_conflict_before_and_after_delivery() -> None:
    intake = Intake(0, 512)
    intake.put(event(1))
    with pytest.raises(Conflict):
        intake.put(event(1, 1))
    intake.delivered(intake.due())
    with pytest.raises(Conflict):
        intake.again(1).put(event(1, 1))


def test_a_gap_is_named_and_nothing_after_a_bad_event_is_due() -> None:
    intake = Intake(3, 512)
    for seq in (4, 5, 8, 9):
        intake.put(event(seq))
    assert (intake.heard, intake.gap(), intake.highest) == (5, 8, 9)
    assert [one.seq for one in intake.due(below=5)] == [4]
    intake.delivered(intake.due())
    intake.skip_to(7)
    assert [one.seq for one in intake.due()] == [8, 9]


def test_the_holder_of_a_lock_and_who_has_a_port_open_are_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("ports")
    with adapter(folder / "port") as made:
        assert lock_holder(made.node) is None
        assert opened_by(made.node) is None
        with locked(made.node) as child:
            assert lock_holder(made.node) == opened_by(made.node) == child.pid
            assert process_text(child.pid).startswith(f"pid {child.pid} (python")
        table = folder / "locks"
        table.write_text("1: POSIX ADVISORY WRITE 9 00:1a:3 0 EOF\nrubbish\n")
        assert lock_holder(made.node, table) is None
        assert lock_holder(made.node, folder / "none") is None
    assert process_text(None) == "another program"
