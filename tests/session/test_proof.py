"""Whether a shuffle proves a deck (common.md §9): each thing that must have been seen, taken away one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from protocols.message import Event
from protocols.vocabulary import Capability, EventCode
from shoectl.games.answers import Shuffled
from shoectl.table.entries import Alarm, Attached, Evidence
from shoectl.table.proof import Asked, judge

ASKED = Asked(motion=7, deck=0, cards=52)
CAPS = int(Capability.COUNT_IN | Capability.COUNT_OUT_AFTER_SHUFFLE)
DEVICE = Attached("shuffler", "41-AL1", "AL1", "alder", 1, 3, CAPS, "1.0", 1, 0)

CMD_DONE = {"cmd_id": 7, "result": 0}

Events = list[Evidence]


def good() -> Events:
    """A whole cycle on our command: started, fed, mixed, verified, counted, done."""
    bodies = [
        (EventCode.SHUFFLE_STARTED, {"cycle": 17, "mode": 1, "deck": 0, "origin": 0}),
        (EventCode.STATE, {"old": 3, "new": 4}),
        (EventCode.STATE, {"old": 4, "new": 5}),
        (EventCode.STATE, {"old": 5, "new": 6}),
        (EventCode.SHUFFLE_DONE, done()),
        (EventCode.STATE, {"old": 6, "new": 7}),
        (EventCode.CMD_DONE, CMD_DONE),
    ]
    return [evidence(seq, code, body) for seq, (code, body) in enumerate(bodies, 121)]


def done(**changes: int) -> dict[str, int]:
    return {"cycle": 17, "in": 52, "out": 52, "expected": 52, "verdict": 1, "flags": 0, **changes}


def evidence(seq: int, code: EventCode, body: dict[str, int], boot: int = 3) -> Evidence:
    return Evidence("shuffler", "41-AL1", 1, Event(seq, boot, seq, code, body), entry=seq)


def verdict(events: Events, *, device: Attached | None = DEVICE, alarms: tuple[Alarm, ...] = ()) -> Shuffled:
    judgement = judge(ASKED, events, device, alarms)
    assert judgement is not None
    assert set(judgement.evidence) <= {one.ref for one in events}
    return judgement.shuffled


def ends(**changes: int) -> Callable[[Events], Events]:
    """The same cycle, with another SHUFFLE_DONE."""
    return lambda events: [*events[:4], evidence(125, EventCode.SHUFFLE_DONE, done(**changes)), *events[5:]]


def starts(boot: int = 3, **changes: int) -> Callable[[Events], Events]:
    """The same cycle, with another SHUFFLE_STARTED."""
    body = {"cycle": 17, "mode": 1, "deck": 0, "origin": 0, **changes}
    return lambda events: [evidence(121, EventCode.SHUFFLE_STARTED, body, boot), *events[1:]]


def test_a_whole_cycle_proves_the_count_and_says_that_identity_was_not_compared() -> None:
    proven = verdict(good())
    assert (proven.proven, proven.wrong, proven.counted, proven.identity) == (True, False, 52, False)
    assert proven.reason == "52 of 52 counted, identity not compared"


def test_where_the_device_compares_faces_identity_is_a_verdict_of_its_own() -> None:
    proven = verdict(ends(flags=1)(good()))
    assert (proven.proven, proven.identity) == (True, True)


def test_nothing_is_judged_before_the_motion_has_ended() -> None:
    for upto in range(7):
        assert judge(ASKED, good()[:upto], DEVICE) is None


BAD: list[tuple[str, Callable[[Events], Events], bool, str]] = [
    ("51 cards", ends(out=51, verdict=2), True, "counted 51 cards, 52 are right"),
    ("53 cards", ends(**{"in": 53}, out=53, verdict=3), True, "counted 53 cards, 52 are right"),
    ("other cards", ends(verdict=4, flags=1), True, "not the cards of one deck"),
    ("right verdict, wrong numbers", ends(expected=51, out=51, **{"in": 51}), True, "do not fit a deck of 52"),
    ("a sort", ends(verdict=6, flags=0x20), False, "sorted, not shuffled"),
    ("a sort that calls itself ok", ends(flags=0x20), False, "sorted, not shuffled"),
    ("a count", ends(verdict=6, flags=0x10), False, "counted, not shuffled"),
    ("verdict 0", ends(verdict=0), False, "cannot tell"),
    ("broken off", ends(verdict=5), False, "broken off"),
    ("a verdict of another world", ends(verdict=9), False, "cannot tell"),
    ("a door was open", ends(verdict=5, flags=2), False, "a door or lid was open"),
    ("power was lost", ends(verdict=5, flags=8), False, "power was lost"),
    ("begun before we were there", lambda events: events[1:], False, "began before the table was connected"),
    ("another cycle's start", starts(cycle=16), False, "began before the table was connected"),
    ("another boot", starts(boot=2), False, "restarted in the cycle"),
    ("from the panel", starts(origin=1), False, "at the device's panel"),
    ("started as a sort", starts(mode=3), False, "counted or sorted"),
    ("another deck", starts(deck=1), False, "deck 1, not deck 0"),
    ("an event lost", lambda events: events[:2] + events[3:], False, "events of the cycle are missing"),
    ("no count at all", lambda events: events[:4] + events[6:], False, "ended without a count"),
    (
        "ended with a fault",
        lambda events: [*events[:6], evidence(127, EventCode.CMD_DONE, {"cmd_id": 7, "result": 0x0B})],
        False,
        "an open fault",
    ),
]


@pytest.mark.parametrize(("change", "wrong", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_shuffle_of_which_anything_is_amiss_proves_nothing_and_says_what(
    change: Callable[[Events], Events], wrong: bool, words: str
) -> None:
    said = verdict(change(good()))
    assert (said.proven, said.wrong) == (False, wrong)
    assert words in said.reason


def test_a_jam_is_named_where_it_broke_the_cycle_off() -> None:
    jam = evidence(124, EventCode.JAM, {"zone": 1, "cards_in_path": 1, "attempt": 3})
    events = good()
    said = verdict([*events[:3], jam, *ends(out=31, verdict=5)(events)[4:]])
    assert "jam" in said.reason


def test_a_device_that_cannot_count_proves_a_shuffle_and_waives_nothing() -> None:
    judgement = judge(ASKED, good(), replace(DEVICE, caps=0))
    assert judgement is not None
    assert judgement.shuffled.proven
    assert not judgement.shuffled.counts
    assert "the dealer does" in judgement.shuffled.reason


@pytest.mark.parametrize("device", [None, replace(DEVICE, unit="41-AL2"), replace(DEVICE, epoch=2)])
def test_another_device_or_a_wiped_memory_proves_nothing(device: Attached | None) -> None:
    assert not verdict(good(), device=device).proven


def test_an_alarm_in_the_cycle_makes_its_word_worthless_one_before_does_not() -> None:
    assert "twice" in verdict(good(), alarms=(Alarm("shuffler", "an event was told twice", 123),)).reason
    assert verdict(good(), alarms=(Alarm("shuffler", "an event was told twice", 100),)).proven


@pytest.mark.parametrize("code", [EventCode.DUPLICATE, EventCode.FOREIGN, EventCode.WRONG_BACK])
def test_a_card_that_does_not_belong_to_the_deck_sends_it_away_for_no_second_shuffle_makes_it_right(
    code: EventCode,
) -> None:
    events = [*good()[:4], evidence(125, code, {"card": 0x5F, "idx": 0})]
    events += [evidence(126, EventCode.SHUFFLE_DONE, done(verdict=0)), evidence(127, EventCode.CMD_DONE, CMD_DONE)]
    judged = verdict(events)
    assert (judged.proven, judged.wrong, judged.counted) == (False, True, 52)
    assert judged.reason.startswith("not the cards of one deck: ")
    earlier = [evidence(120, code, {"card": 0x5F, "idx": 0}), *good()]
    assert verdict(earlier).proven
