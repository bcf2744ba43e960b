"""A card that the shoe took for another one: reported where its hand is turned up, and the floor decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.cards import Card
from shoectl.games.answers import Counted, Drawn, Faces, Given
from shoectl.games.dealing import Dealing
from shoectl.games.layout import Layout, Refused
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.games.steps import CountTable, Deal, GiveBack, Reveal
from shoectl.journal import Reader
from shoectl.table.audit import Audit
from shoectl.table.noticed import Noticed, check_faces
from shoectl.table.reports import report
from shoectl.table.session import cycle
from shoectl.table.state import TableState

from .devices import fresh_deck
from .scenes import table
from .test_people_report import Sat, sitting

MISREAD = Irregularity(Trouble.MISREAD_CARD, place="seat 1")
REVEAL = Reveal("seat 1", rule="r")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def dealt(text: str = "2c 3c 4c 5c 6c", place: str = "seat 1") -> Layout:
    layout = Layout()
    for card in cards(text):
        layout.apply(Deal((place,), rule="r"), 0, Drawn(card))
    return layout


def test_of_a_place_with_a_misread_card_nobody_knows_the_faces_until_they_are_entered() -> None:
    layout = dealt()
    layout.interrupt(MISREAD)
    assert layout.hand("seat 1") is None
    assert not layout.seen(Card.parse("6c"))
    with pytest.raises(Refused, match="nobody has read them"):
        layout.check(REVEAL, 0, Faces())
    layout.check(REVEAL, 0, Faces(cards("2c 3c 4c 5c 7d")))
    layout.apply(REVEAL, 0, Faces(cards("2c 3c 4c 5c 7d")))
    assert layout.hand("seat 1") == cards("2c 3c 4c 5c 7d")


def test_a_face_that_lies_elsewhere_is_not_entered_for_a_misread_one() -> None:
    layout = dealt()
    layout.apply(Deal(("dealer",), rule="r"), 0, Drawn(Card.parse("7d")))
    layout.interrupt(MISREAD)
    with pytest.raises(Refused, match="lies elsewhere"):
        layout.check(REVEAL, 0, Faces(cards("2c 3c 4c 5c 7d")))


def test_where_cards_were_given_up_unseen_a_misread_one_makes_all_of_them_unknown() -> None:
    layout = dealt()
    layout.apply(GiveBack(1, 1, 5, rule="r"), 0, Given(2))
    with pytest.raises(Refused, match="never dealt here"):
        layout.check(REVEAL, 0, Faces(cards("2c 3c 7d")))
    layout.interrupt(MISREAD)
    layout.check(REVEAL, 0, Faces(cards("2c 3c 7d")))
    layout.apply(REVEAL, 0, Faces(cards("2c 3c 7d")))
    assert layout.rack[-1].cards == (None, None)  # which were given up nobody knows any more


@pytest.mark.parametrize(
    ("text", "found"),
    [("2c 3c 4c 5c 6c", False), ("6c 5c 4c 3c 2c", False), ("2c 3c 4c 5c 7d", True), ("7c 3c 4c 5c 7d", True)],
)
def test_the_dealer_sees_that_a_card_is_none_of_those_that_were_read(text: str, found: bool) -> None:
    if not found:
        check_faces(dealt(), REVEAL, cards(text))
        return
    with pytest.raises(Noticed, match="other cards lie there") as noticed:
        check_faces(dealt(), REVEAL, cards(text))
    assert not set(text.split()) & set(str(noticed.value).split())


@pytest.mark.parametrize(("text", "found"), [("2c 3c 4c", False), ("2c 3c 7d", True)])
def test_what_was_kept_is_among_what_was_read(text: str, found: bool) -> None:
    layout = dealt()
    layout.apply(GiveBack(1, 1, 5, rule="r"), 0, Given(2))
    if found:
        with pytest.raises(Noticed):
            check_faces(layout, REVEAL, cards(text))
    else:
        check_faces(layout, REVEAL, cards(text))


def test_cards_above_those_known_lie_in_the_rack_without_a_face() -> None:
    layout = dealt()
    for counted, more in ((5, 0), (4, 0), (8, 3)):
        layout.apply(CountTable(5, rule="r"), 0, Counted(counted))
        assert layout.dealt() == 5 + more


# at a table


async def misread(sat: Sat) -> None:
    """The dealer reports the hand that he turns up."""
    assert sat.runner.open is not None
    await report(sat.runner, sat.runner.open.ref, "misread", sat.runner.open.step.place, by="dealer")


async def test_a_misread_card_calls_the_floor_and_the_hand_is_entered_as_it_lies_there(tmp_path: Path) -> None:
    async with sitting(tmp_path, "reveal", table(dealing=Dealing.MANUAL)) as sat:
        runner = sat.runner
        assert runner.open is not None
        place = runner.open.step.place
        read = runner.course.layout.hand(place)
        assert read is not None
        await misread(sat)
        await sat.go_on("reveal")  # the floor says: go on
        assert sat.trouble == [Trouble.MISREAD_CARD]
        assert "floor" in [one.step["do"] for one in runner.course.record]
        other = next(card for card in fresh_deck() if not runner.course.layout.seen(card) and card not in read)
        assert runner.open is not None
        with pytest.raises(Refused, match="have to be entered"):
            await runner.answer(runner.open.ref, Faces(), by="dealer")
        await runner.answer(runner.open.ref, Faces((*read[:-1], other)), by="dealer")
        assert runner.course.layout.last_hand(place) == (*read[:-1], other)
        replay(tmp_path)


async def test_misread_is_reported_at_the_step_that_turns_the_hand_up_and_nowhere_else(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        assert sat.runner.open is not None
        before = sat.runner.journal.last
        with pytest.raises(Refused, match="where its hand is turned up"):
            await report(sat.runner, sat.runner.open.ref, "misread", "seat 1", by="dealer")
        await sat.go_on("reveal")
        at = sat.runner.open.ref
        with pytest.raises(Refused, match="where its hand is turned up"):
            await report(sat.runner, at, "misread", "seat 9", by="dealer")
        place = sat.runner.open.step.place
        with pytest.raises(Refused, match="names no card"):
            await report(sat.runner, at, "misread", place, by="dealer", card=Card.parse("2c"))
        assert sat.runner.journal.last > before
        after = sat.runner.journal.last
        await misread(sat)
        assert sat.runner.journal.last > after


def replay(folder: Path) -> None:
    with Reader(folder / "journal") as journal:
        assert not Audit(cycle, TableState.from_json).all(list(journal.entries())).diverged
