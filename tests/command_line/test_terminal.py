"""What the terminal draws and prints from a view, without a table behind it."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from shoectl.games.deck_steps import FeedShuffler
from shoectl.games.steps import Ask, Choice, Collect, Deal, Pay, PlaceWagers, Reveal, WagerOffer
from shoectl.games.text import step_json
from shoectl.table.state import TableState
from shoectl.terminal import Lines
from shoectl.terminal_picture import Frame, picture
from shoectl.watch import SHUFFLES_MOST, in_circles, stood_still
from shoectl.wording import sentence


def view(**changes: Any) -> dict[str, Any]:
    plain = {
        "viewer": "public",
        "entry": 1,
        "round": 1,
        "step": None,
        "record": [],
        "past": None,
        "places": {},
        "shown": {},
        "rack": 0,
        "wagers": {},
        "decided": {},
        "net": {},
        "hold": None,
        "journal": "",
    }
    return {**plain, **changes}


def open_step(step: Any, number: int = 1, part: int = 0) -> dict[str, Any]:
    ref = {"round": 1, "step": number, "part": part}
    return {"ref": ref, "by": str(step.by), "parts": step.parts, **step_json(step)}


def asked(number: int, step: Any, outcome: str = "passed") -> dict[str, Any]:
    return {"number": number, "outcome": outcome, "step": step_json(step)}


def frame(seen: dict[str, Any]) -> Frame:
    state = TableState("lunar-poker").to_json()
    conditions = {"shuffler": (True, "online"), "shoe": (False, "waiting for the port: busy (pid 1)")}
    return Frame("table · Lunar Poker", seen, state, conditions, {"shuffler": "alder AL000117"}, {"1": 30})


def drawn(seen: dict[str, Any], width: int = 120, height: int = 40) -> str:
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=False)
    with console.capture() as got:
        console.print(picture(frame(seen), width, height))
    return got.get()


def test_the_picture_shows_seats_cards_wagers_steps_paragraphs_and_devices() -> None:
    text = drawn(
        view(
            step=open_step(Ask(2, (Choice("fold"), Choice("bet", "bet", 20, 20)), rule="671a.11(b)"), 4),
            record=[asked(3, Collect(1, "ante", 10, rule="671a.11(c)(4)"))],
            places={"seat 2": [{"up": False}, {"up": True, "card": "Kh"}]},
            shown={"seat 1": [{"up": True, "card": "As"}]},
            wagers={"2": {"ante": 10, "super:dealer": 5}},
        )
    )
    for part in (
        "Seat 2 decides: fold or bet (20)",
        "§ 671a.11(b)",
        "collect the ante of seat 1: 10",
        "K♥",
        "A♠",
        "▒▒",
        "super→D 5",
        "+30",
        "alder AL000117",
        "busy (pid 1)",
        "▶",
    ):
        assert part in text, part


def test_a_hold_and_a_journal_that_cannot_be_written_are_in_the_picture() -> None:
    step = open_step(Deal(("seat 1", "dealer"), rule="671a.8"), part=1)
    hold = {"reason": "unreadable 2, 1", "text": "two persons look at the card", "part": 1}
    text = drawn(view(step=step, hold=hold, journal="the disk is full"))
    assert "held: two persons look at the card" in text
    assert "the disk is full" in text


def test_six_cards_of_a_seat_that_bought_one_are_all_in_a_small_picture() -> None:
    six = [{"up": True, "card": card} for card in ("As", "Kh", "Td", "9c", "8s", "2h")]
    text = drawn(view(places={"seat 1": six}), width=80, height=24)
    assert "A♠ K♥ T♦ 9♣ 8♠ 2♥" in text


def test_what_hands_do_and_a_device_sees_waits_for_hands() -> None:
    text = drawn(view(step=open_step(FeedShuffler(0, rule="671a.5"))))
    assert "waiting for hands; the shuffler sees when it is done" in text


def test_the_picture_fits_a_small_terminal() -> None:
    seen = view(step=open_step(Reveal("dealer", rule="671a.11(e)")), wagers={"4": {"ante": 10, "bet": 20}})
    lines = drawn(seen, width=80, height=24).splitlines()
    assert max(map(len, lines)) <= 80
    for part in ("Turn up the cards of the dealer", "seat 4", "ante 10 bet 20", "rack", "online", "deck"):
        assert any(part in line for line in lines), part


@pytest.mark.parametrize("width", [20, 24, 30, 43, 44, 50, 51, 60, 71, 72, 80, 111, 112, 200])
def test_the_picture_says_who_holds_what_at_every_width(width: int) -> None:
    """What has no room is left out as a whole; a seat's name and its cards stay."""
    two = [{"up": True, "card": "As"}, {"up": False}]
    record = [asked(3, Collect(1, "ante", 10, rule="671a.11(c)(4)"))]
    text = drawn(view(places={"seat 2": two}, decided={"2": ["fold"]}, record=record), width=width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert any("seat 2" in line and "A♠ ▒▒" in line for line in lines)
    assert all(f"seat {seat}" in text for seat in (1, 2, 3, 4))
    assert "round 1" in lines[0]
    assert "1.3" in text
    titles = next(line for line in lines if "cards" in line)
    assert "…" not in titles
    assert ("decided" in titles, "won" in titles) == (width >= 44, width >= 51)


def test_lines_say_each_step_once_with_its_paragraph_and_how_the_round_ended() -> None:
    lines = Lines()
    wagers = PlaceWagers((1,), (WagerOffer("ante", 10, 500, required=True),), rule="671a.7")
    first = lines.news(frame(view(step=open_step(wagers))))
    assert first[-2:] == ["round 1", "  the players place their wagers (ante 10–500)  [671a.7]"]
    assert lines.news(frame(view(step=open_step(wagers)))) == []
    record = [asked(1, wagers, "answered"), asked(2, Pay(1, "bet", 20, 20, "1:1", "pair", rule="671a.11(f)(2)(ii)"))]
    shown = {"dealer": [{"up": True, "card": "Qs"}, {"up": False}]}
    seen = view(record=record[:1], shown=shown, decided={"1": ["bet"]})
    assert lines.news(frame(seen)) == ["    seat 1: bet"]
    past = {"round": 1, "record": record, "net": {"1": 30}}
    assert lines.news(frame(view(round=2, past=past))) == [
        "  pay seat 1 20 on the bet: pair, 1:1 on 20  [671a.11(f)(2)(ii)]",
        "  the dealer Qs ??",
        "  net        seat 1 +30",
        "round 2",
    ]


def test_a_round_that_shuffles_again_and_again_is_stopped_with_the_reason() -> None:
    shuffle = {"do": "await_shuffle", "deck": 0, "motion": 1, "cards": 52, "rule": "671a.11(h)"}
    said = {"do": "announce", "text": "No round starts, deck 0 is not proven: it was sorted", "rule": "671a.11(h)"}
    record = [{"number": 1, "outcome": "answered", "step": step} for step in (shuffle, said)]
    assert in_circles(view(record=record * (SHUFFLES_MOST - 1))) is None
    stop = in_circles(view(record=record * SHUFFLES_MOST))
    assert stop is not None
    assert "it was sorted" in stop.reason
    assert stop.do


def test_a_table_that_stands_still_says_where_and_what_to_do() -> None:
    step = open_step(Reveal("dealer", rule="671a.11(e)"))
    assert "turn up the cards of the dealer [671a.11(e)]" in stood_still(view(step=step), {}, 30).state
    held = stood_still(view(step=step, hold={"reason": "jam 17, 4", "text": "clear the jam", "part": 0}), {}, 30)
    assert (held.state, held.reason) == ("held", "clear the jam")
    dealt, there = view(step=open_step(Deal(("seat 1",), rule="671a.8"))), {"shoe": SimpleNamespace(online=True)}
    assert stood_still(dealt, there, 30).do.startswith("see to the shoe"), "nobody can answer for a device"
    assert stood_still(dealt, {}, 30).do == "answer it with `shoectl answer`"
    full = stood_still(view(step=step, journal="journal j cannot be written: disk full"), {}, 30)
    assert (full.state, full.reason) == ("nothing can be written", "journal j cannot be written: disk full")


def test_a_sentence_never_needs_more_than_the_step() -> None:
    assert sentence({"do": "something_new", "rule": "1"}) == "something new"
