"""What the pit is told of the past is what the journal says, and ends as it says."""

from __future__ import annotations

import json
from typing import Any

from protocols.vocabulary import EventCode
from shoectl.console.history import HOURS, Fold
from shoectl.console.pages.devices import tiles, troubles
from shoectl.journal import Clock, Entry

HOUR_US = 3600 * 10**6
NOW_US = 40 * HOUR_US
CLOCK = Clock(wall=lambda: NOW_US, mono=lambda: NOW_US, boot="b")
DEVICE = {
    "place": "shoe",
    "family": "birch",
    "serial": "B1",
    "firmware": "1",
    "online": True,
    "condition": "online",
    "counters": {},
    "verdicts": [],
}


def fold(*entries: tuple[str, dict[str, Any], float]) -> Fold:
    """Entries: kind, body, hours ago."""
    found = Fold(CLOCK)
    for n, (kind, body, ago) in enumerate(entries, 1):
        at = NOW_US - int(ago * HOUR_US)
        found.take(Entry(n, kind, json.dumps(body).encode(), at, at, "b", b""), body)
    return found


def event(code: int, seq: int, **body: Any) -> tuple[str, dict[str, Any], float]:
    return ("event", {"place": "shoe", "unit": "42-B1", "code": code, "seq": seq, "body": body}, 0.1)


def answer(takes: str, by: str = "shuffler", **said: Any) -> tuple[str, dict[str, Any], float]:
    return ("answer", {"takes": takes, "answer": said, "by": by}, 0.1)


def test_rounds_stand_in_the_hour_in_which_they_were_opened_and_go_with_it() -> None:
    rounds = [("round", {"number": n}, ago) for n, ago in enumerate((HOURS + 1, 2.5, 0.7, 0.2, 0.1), 1)]
    found = fold(*rounds)
    assert found.past().hours == (0, 0, 0, 0, 0, 1, 0, 3)
    assert found.pace() == 3


def test_a_fault_is_open_until_it_is_cleared_or_its_machine_starts_anew() -> None:
    jam = event(EventCode.MOTOR_STALL, 5)
    assert [fault.code for fault in fold(jam).past().faults] == [EventCode.MOTOR_STALL]
    assert fold(jam, event(EventCode.CLEARED, 6, fault_seq=4)).past().faults != ()
    assert fold(jam, event(EventCode.CLEARED, 6, fault_seq=5)).past().faults == ()
    assert fold(jam, event(EventCode.POWER_UP, 6)).past().faults == ()


def test_an_open_fault_is_told_with_what_to_do_and_takes_the_green_away() -> None:
    past = fold(event(EventCode.MOTOR_STALL, 5)).past()
    assert [tile.tone for tile in tiles([DEVICE], past)] == ["ask"]
    (told,) = troubles([DEVICE], past)
    assert told.title.startswith("Shoe: a motor does not turn, since ")
    assert told.do
    assert [tile.tone for tile in tiles([DEVICE], fold().past())] == ["ok"]


def test_verdicts_are_proven_wrong_or_neither() -> None:
    said = (
        answer("Shuffled", proven=True, counted=52),
        answer("Shuffled", proven=False, wrong=True, counted=51),
        answer("ShoeClosed", by="shoe", right=False, wrong=False, counted=50),
    )
    found = fold(*said)
    assert [one["verdict"] for one in found.verdicts("shuffler")] == ["proven", "wrong"]
    assert [one["verdict"] for one in found.verdicts("shoe")] == ["unsure"]


def test_a_hold_lasts_until_its_word_and_a_dealers_count_is_kept() -> None:
    hold = ("hold", {}, 0.5)
    count = ("step", {"step": {"do": "count"}}, 0.4)
    assert fold(hold).past().held == (NOW_US - HOUR_US / 2) / 10**6
    assert fold(hold, ("held", {}, 0.1)).past().held is None
    kept = fold(("round", {"number": 7}, 1), count, answer("Counted", by="4711", cards=52)).past().counted
    assert kept is not None
    assert (kept.cards, kept.round, kept.by) == (52, 7, "4711")
