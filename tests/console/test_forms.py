"""Forms as the pages send them, for every answer that a person may give; what is none is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.cards import parse_cards
from shoectl.console import forms
from shoectl.errors import BadInput
from shoectl.games import answers
from shoectl.games.procedure import Answer, Done
from shoectl.games.text import answer_from_json

from .sitting import sitting

FORM = forms.FORM


def meant(takes: type[Answer], text: str) -> Answer:
    return answer_from_json(takes, forms.answer_of(takes, forms.parse(text.encode(), FORM)))


@pytest.mark.parametrize(
    ("takes", "text", "answer"),
    [
        (Done, "token=x&ref=1.2.0&takes=Done", Done()),
        (
            answers.Wagers,
            "wager-1-ante=10&wager-2-ante=&wager-3-ante=0&wager-3-super:dealer=5",
            answers.Wagers(((1, "ante", 10), (3, "super:dealer", 5))),
        ),
        (answers.Wagers, "ref=1.2.0", answers.Wagers(())),
        (answers.Decision, "choice=fold", answers.Decision("fold")),
        (answers.Decision, "choice=raise+20", answers.Decision("raise", 20)),
        (answers.Decision, "choice=bet&amount=50", answers.Decision("bet", 50)),
        (answers.Decision, "choice=bet&amount=", answers.Decision("bet")),
        (answers.Declared, "declared=yes", answers.Declared(True)),
        (answers.Declared, "declared=no", answers.Declared(False)),
        (answers.Given, "number=2", answers.Given(2)),
        (answers.Faces, "cards=As+Kd", answers.Faces(parse_cards("As Kd"))),
        (answers.Faces, "cards=", answers.Faces()),
        (answers.Faces, "", answers.Faces()),
        (answers.Setting, "cards=9c&cards=2s", answers.Setting(parse_cards("9c 2s"))),
        (answers.Setting, "", answers.Setting()),
        (answers.FloorWord, "choice=void", answers.FloorWord("void")),
        (answers.Settled, "outcome=pay&amount=40", answers.Settled("pay", 40)),
        (answers.Settled, "outcome=return&amount=", answers.Settled("return")),
        (answers.Reading, "amount=1200", answers.Reading(1200)),
        (answers.Reading, "pick=Ks", answers.Reading(0, "Ks")),
        (answers.Brought, "choice=yes", answers.Brought(True)),
        (answers.Brought, "choice=no", answers.Brought(False)),
        (answers.Counted, "number=52", answers.Counted(52)),
        (answers.Drawn, "cards=As", answers.Drawn(parse_cards("As")[0])),
        (answers.Drawn, "cards=&through=3", answers.Drawn(None)),
    ],
)
def test_a_form_says_the_answer_that_it_means(takes: type[Answer], text: str, answer: Answer) -> None:
    assert meant(takes, text) == answer


def test_every_answer_of_a_person_is_tried_here() -> None:
    by_devices = {"ShoeClosed", "Fed", "Started", "Shuffled", "Taken"}
    classes = {name for name, one in vars(answers).items() if isinstance(one, type) and issubclass(one, Answer)}
    (mark,) = test_a_form_says_the_answer_that_it_means.pytestmark  # type: ignore[attr-defined]
    assert {takes.__name__ for takes, _, _ in mark.args[1]} == (classes - by_devices - {"Answer"}) | {"Done"}


@pytest.mark.parametrize(
    ("takes", "text"),
    [
        (answers.Wagers, "wager-1-ante=ten"),
        (answers.Wagers, "wager-1-ante=-10"),
        (answers.Wagers, "wager-1-ante=99999999999999"),
        (answers.Wagers, "wager-ante=10"),
        (answers.Wagers, "wager-1-=10"),
        (answers.Wagers, "placed=[]"),
        (answers.Decision, "choice=raise+20&amount=30"),
        (answers.Decision, "choice=bet&idx=3"),
        (answers.Decision, ""),
        (answers.Declared, "declared=perhaps"),
        (answers.Declared, "declared="),
        (answers.Counted, "number=%D9%A5%D9%A2"),
        (answers.Counted, "cards=52x"),
        (answers.Faces, "cards=As+Xx"),
        (answers.Drawn, "cards=As+Kd"),
        (Done, "choice=bet"),
        (Done, "a=1&a=2"),
        (Done, "%FF=1"),
    ],
)
def test_what_is_no_answer_is_one_line(takes: type[Answer], text: str) -> None:
    with pytest.raises(BadInput) as refused:
        meant(takes, text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


async def test_a_form_of_another_step_is_refused_and_says_so(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        dealer = await sat.signed_in(4711)
        old = sat.ref
        await sat.until("wagers")
        before = sat.runner.journal.last
        late = await dealer.act("answer", ref=old, takes="Done")
        assert late.status_code == 409
        assert "is not open" in late.text
        other = await dealer.act("answer", ref=sat.ref, takes="Decision", choice="bet")
        assert other.status_code == 400
        assert "another step" in other.text
        assert sat.runner.journal.last == before


async def test_cards_dealt_from_the_hand_are_told_one_by_one_or_up_to_a_part(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        dealer = await sat.signed_in(4711)
        await sat.until("deal")
        step = sat.ref.rpartition(".")[0]
        assert (await dealer.act("answer", ref=sat.ref, takes="Drawn", cards="")).status_code == 303
        assert (await dealer.act("answer", ref=sat.ref, takes="Drawn", cards="", through="4")).status_code == 303
        assert sat.ref == f"{step}.4"
        for through in ("4", "99", "x", "-1"):
            assert (await dealer.act("answer", ref=sat.ref, takes="Drawn", through=through)).status_code == 400
        refused = await dealer.act("answer", ref=sat.ref, takes="Drawn", cards="As", through="8")
        assert refused.status_code == 400
        assert sat.ref == f"{step}.4"


async def test_two_entries_of_an_unread_card_that_differ_are_refused_and_not_shown(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("deal")
        step = sat.runner.open
        assert step is not None
        await step.hold("unreadable 1, 1", "draw 1 could not be read")
        dealer = await sat.signed_in(4711)
        two = {"ref": sat.ref, "how": "card", "floor": "815", "pin": "7391"}
        refused = await dealer.act("held", cards="As", again="Ah", **two)
        assert refused.status_code == 400
        assert "entries differ" in refused.text
        before = (await dealer.get("/")).text
        for entered in ("As", "Ah", "7391"):
            assert refused.text.count(entered) == before.count(entered), "the fields are cleared"
        assert (await dealer.act("held", cards="As", again="as", **two)).status_code == 303


async def test_a_report_by_form(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        await sat.until("ask")
        dealer = await sat.signed_in(4711)
        refused = await dealer.act("report", ref=sat.ref, what="exposed", place="seat 9", cards="")
        assert refused.status_code == 422
        done = await dealer.act("report", ref=sat.ref, what="exposed", place="seat 1", cards="")
        assert done.status_code == 303
        assert next(sat.runner.journal.newest("irregularity", 1)).body["place"] == "seat 1"
