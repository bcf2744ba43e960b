"""No exit gives a card away before everybody may see it; nor do the hashes that leave the table."""

from __future__ import annotations

from typing import Any

import pytest

from shoectl.cards import Card
from shoectl.games.layout import Layout, Slot
from shoectl.journal import Entry
from shoectl.table.course import Course
from tests.survival.irregular import CASES

from .faces import exchanged, faces_in
from .oracle import Oracle
from .rounds import GAMES, TABLES, Block, Heard, heard

SPOILT = Block("faults", 1, faults=("birch:unreadable@draw=7", "birch:early_draw"))
ERRORS = {400, 401, 403, 404, 405, 409, 413, 421, 422, 500}


@pytest.mark.parametrize(
    "text",
    [
        "As",
        "A♠",
        "ace of spades",
        "Ace of Spades, face up",
        '{"card": "As"}',
        ">A♠<",
        '"card":1',
        "card=1",
        "'card': 1",
    ],
)
def test_a_card_is_heard_however_it_is_written(text: str) -> None:
    assert faces_in(text) == {"As"}


@pytest.mark.parametrize("text", ['a card, as "As", or null', "Assist", "class-As", "9:5c1d", "card 1", "card: 99"])
def test_what_names_no_card_is_not_heard_as_one(text: str) -> None:
    assert not faces_in(text)


def test_hidden_cards_alone_are_exchanged_and_put_back() -> None:
    course: Course[Any] = Course(lambda *_: None, None)  # type: ignore[arg-type]
    down, up = Slot(Card.parse("As"), up=False), Slot(Card.parse("Kd"), up=True)
    course.layout = Layout(places={"seat 1": [down, up]})
    with exchanged(course) as hidden:
        assert hidden == 1
        assert course.layout.places["seat 1"][0].face not in (down.face, up.face)
        assert course.layout.places["seat 1"][1] == up
    assert course.layout.places == {"seat 1": [down, up]}


def _entries(*bodies: tuple[str, str]) -> list[Entry]:
    return [Entry(n, kind, raw.encode(), 0, 0, "", b"") for n, (kind, raw) in enumerate(bodies, 1)]


def test_the_oracle_knows_a_card_from_the_entry_on_that_turns_it_up() -> None:
    oracle = Oracle(
        _entries(
            ("round", "{}"),
            ("step", '{"number": 1, "step": {"do": "deal", "to": ["seat 1", "seat 1", "dealer"], "up": [2]}}'),
            ("answer", '{"step": 1, "part": 0, "answer": {"card": "As"}}'),
            ("answer", '{"step": 1, "part": 1, "answer": {"card": "Kd"}}'),
            ("answer", '{"step": 1, "part": 2, "answer": {"card": "2c"}}'),
            ("irregularity", '{"trouble": "exposed card", "place": "seat 1", "card": null}'),
            ("step", '{"number": 2, "step": {"do": "reveal", "place": "seat 1", "at": [0]}}'),
            ("answer", '{"step": 2, "part": 0, "answer": {"cards": []}}'),
            ("step", '{"number": 3, "step": {"do": "discard", "place": "seat 1"}}'),
            ("round", "{}"),
        )
    )
    seen = [oracle.public(n) for n in range(1, 11)]
    assert seen == [set(), set(), set(), set(), {"2c"}, {"2c", "Kd"}, {"2c", "Kd"}, {"2c", "Kd", "As"}, seen[7], set()]
    assert oracle.secret(6) == {"As"}
    assert oracle.public(10, before=1) == seen[7]
    assert (oracle.under_way(2), oracle.under_way(3), oracle.under_way(10)) == (0, 1, 0)


@pytest.mark.parametrize("game", GAMES)
def test_no_exit_names_a_card_before_it_may_be_seen(game: str) -> None:
    came = heard(game, SPOILT, every=4, asks=4)
    _holds(came)
    assert came.compared > 150
    assert came.hidden > 50
    assert came.cards > 20
    assert set(came.statuses) >= ERRORS | {200, 303}


SEEN = ("a card came face up out of the shoe", "a community card is seen early")


@pytest.mark.parametrize("case", [case for case in CASES if case.name in SEEN], ids=lambda case: case.name)
def test_nor_where_a_card_is_seen_too_early(case: Any) -> None:
    _holds(heard("cajun-stud", Block(case.name, case.rounds, faults=case.faults, case=case), every=4))


@pytest.mark.parametrize("table", [TABLES[2], TABLES[3], TABLES[4]], ids=lambda table: table.name)
def test_nor_at_a_table_of_another_kind(table: Block) -> None:
    _holds(heard("lunar-poker", Block(table.name, 2, table.devices, kill=table.kill), every=6))


def _holds(came: Heard) -> None:
    assert not came.leaks
    assert not came.right
