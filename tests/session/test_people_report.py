"""What people report and what the house withdraws: checked first, written down then, and the policy decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from protocols.vocabulary import Back, Capability, EventCode
from shoectl.cards import Card
from shoectl.config import deck_number, parse
from shoectl.errors import BadInput
from shoectl.games.dealing import Dealing
from shoectl.games.layout import Refused
from shoectl.games.procedure import Role, Trouble
from shoectl.games.steps import PlaceWagers
from shoectl.journal import Clock, Journal
from shoectl.table.openstep import OpenStep, StepClosed
from shoectl.table.reports import report, withdraw
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState, Where
from shoectl.table.wear import HOUR, changes, keep_ages, most_hours
from shoectl.table_setup import first_state
from tests.timeloop import virtual

from .devices import Alder, fresh_deck
from .scenes import BY_HAND, Hands, table, two_decks
from .table import Scene


class Sat:
    """A table at which everybody answers until a step of some name is open; then it stands still."""

    def __init__(self, runner: Runner[TableState], until: str) -> None:
        self.runner, self.until, self.hands = runner, until, Hands()
        self.stands = asyncio.Event()

    async def __call__(self, step: OpenStep) -> None:
        while not step.closed:
            if step.step.do == self.until:
                self.stands.set()
                await asyncio.sleep(0.001)
            else:
                assert self.runner.round is not None
                await step.answer(self.hands(self.runner.round), by="dealer")

    async def go_on(self, until: str) -> None:
        """Go on until the next step of that name stands open."""
        self.until = until
        self.stands.clear()
        await asyncio.wait_for(self.stands.wait(), 5)

    @property
    def trouble(self) -> list[str]:
        course = self.runner.course
        record = [*(course.past.record if course.past else ()), *course.record]
        return [one.outcome for one in record if one.outcome not in ("passed", "answered", "open")]


@asynccontextmanager
async def sitting(folder: Path, until: str, state: TableState | None = None) -> AsyncIterator[Sat]:
    with Journal.open(folder / "journal", threaded=False, durable=False) as journal:
        runner: Runner[TableState] = Runner(journal, cycle, state or table(dealing=Dealing.MANUAL))
        sat = Sat(runner, until)
        playing = asyncio.create_task(runner.run(dict.fromkeys((Role.PEOPLE, Role.SHOE, Role.SHUFFLER), sat)))
        await asyncio.wait_for(sat.stands.wait(), 5)
        yield sat
        playing.cancel()
        await asyncio.wait([playing])


async def test_an_exposed_card_is_set_aside_and_replaced(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        assert sat.runner.open is not None
        card = sat.runner.course.layout.places["seat 2"][1].face
        await report(sat.runner, sat.runner.open.ref, "exposed", "seat 2", by="dealer", card=card)
        await sat.go_on("ask")
        assert sat.trouble == [Trouble.EXPOSED_CARD]
        layout = sat.runner.course.layout
        assert layout.count("seat 2") == 5
        assert [racked.cards for racked in layout.rack if racked.origin == "exposed card"] == [(card,)]
        shown = sat.runner.view("public")["shown"]
        assert shown["exposed card"] == [{"up": True, "card": str(card)}]


async def test_an_exposed_card_whose_face_nobody_told_is_the_last_of_its_place(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        assert sat.runner.open is not None
        last = sat.runner.course.layout.places["seat 1"][-1].face
        await report(sat.runner, sat.runner.open.ref, "exposed", "seat 1", by="4711")
        assert sat.runner.course.layout.rack[-1].cards == (last,)


async def test_a_wrong_number_of_cards_voids_the_round(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        assert sat.runner.open is not None
        await report(sat.runner, sat.runner.open.ref, "wrong number", "seat 1", by="floor")
        await sat.go_on("wagers")
        assert (sat.trouble, sat.runner.course.finished) == ([Trouble.WRONG_COUNT], 1)
        assert sat.runner.course.past is not None
        assert set(sat.runner.course.past.net.values()) == {0}


async def test_a_report_that_cannot_be_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        runner = sat.runner
        assert runner.open is not None
        ref, layout = runner.open.ref, runner.course.layout
        other = layout.places["seat 1"][0].face
        undealt = next(card for card in fresh_deck() if not layout.seen(card))
        before = runner.journal.last
        wrong: list[tuple[str, str, str, Card | None, str]] = [
            ("lost", "seat 1", "dealer", None, "nothing that can be reported"),
            ("exposed", "seat 9", "dealer", None, "no cards lie at 'seat 9'"),
            ("exposed", "deck", "dealer", None, "dealt from the hand"),
            ("exposed", "seat 1", "seat 1", None, "may not answer here"),
            ("exposed", "seat 2", "dealer", other, "does not fit what was dealt"),
            ("exposed", "seat 2", "dealer", undealt, "does not fit what was dealt"),
            ("wrong number", "seat 2", "dealer", undealt, "names no card"),
        ]
        for what, place, by, card, why in wrong:
            with pytest.raises(Refused, match=why) as refused:
                await report(runner, ref, what, place, by=by, card=card)
            assert card is None or str(card) not in str(refused.value)
        with pytest.raises(StepClosed):
            await report(runner, replace(ref, step=ref.step - 1), "exposed", "seat 1", by="dealer")
        assert runner.journal.last == before


async def test_a_card_of_the_deck_in_the_hand_is_set_aside(tmp_path: Path) -> None:
    async with sitting(tmp_path, "deal", table(BY_HAND, dealing=Dealing.HAND)) as sat:
        assert sat.runner.open is not None
        await report(sat.runner, sat.runner.open.ref, "exposed", "deck", by="dealer", card=Card.parse("9c"))
        await sat.go_on("ask")
        assert sat.runner.course.layout.rack[0].cards == (Card.parse("9c"),)
        assert sat.runner.course.layout.count("seat 1") == 5


async def test_a_change_of_limits_withdraws_wagers_that_nobody_has_placed(tmp_path: Path) -> None:
    async with sitting(tmp_path, "wagers") as sat:
        await sat.runner.amend({"limits": {"ante": [50, 60], "super": [5, 50]}})
        assert await withdraw(sat.runner, "new limits")
        await sat.go_on("wagers")
        assert sat.runner.open is not None
        assert isinstance(sat.runner.open.step, PlaceWagers)
        assert next(offer.least for offer in sat.runner.open.step.offers if offer.wager == "ante") == 50
        assert (sat.trouble, sat.runner.state.rounds_played) == ([Trouble.WITHDRAWN], 0)
        assert sat.runner.state.deck.where is Where.SHOE


async def test_nothing_else_is_withdrawn(tmp_path: Path) -> None:
    async with sitting(tmp_path, "ask") as sat:
        before = sat.runner.journal.last
        assert not await withdraw(sat.runner, "new limits")
        assert sat.runner.journal.last == before


# --- the age of decks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("house", "dealing", "hours"),
    [
        ({}, Dealing.HAND, 4),
        ({}, Dealing.MANUAL, 8),
        ({}, Dealing.AUTOMATED, 8),
        ({"deck_max_age": 2}, Dealing.HAND, 2),
    ],
)
def test_how_long_a_deck_may_be_on_the_table(house: dict[str, int], dealing: Dealing, hours: int) -> None:
    assert most_hours(table(house=house, dealing=dealing)) == hours


def test_a_deck_is_worn_when_its_hours_are_over_and_counts_from_when_it_came() -> None:
    state = table()
    assert changes(state, 1000, {"0.1": 1000}) == {}
    assert changes(state, 1060, {"0.1": 1000}) == {"arrived": {"0.1": 1000}}
    there = replace(state, arrived={"0.1": 1000})
    assert changes(there, 1000 + 8 * HOUR - 1, {}) == {}
    assert changes(there, 1000 + 8 * HOUR, {}) == {"worn": ["0.1"]}
    new = replace(there, worn=("0.1",)).with_deck(generation=2)
    assert changes(new, 1000 + 9 * HOUR, {"0.2": 1000 + 9 * HOUR}) == {"arrived": {}, "worn": []}


async def test_a_worn_deck_leaves_the_table_at_the_next_round(tmp_path: Path) -> None:
    now = [1000]
    clock = Clock(wall=lambda: now[0] * 10**6, mono=lambda: now[0] * 10**6)
    async with sitting(tmp_path, "wagers") as sat:
        ages = asyncio.create_task(keep_ages(sat.runner, clock))
        await sat.go_on("ask")
        now[0] += 120
        await sat.go_on("reveal")
        now[0] += 8 * HOUR
        await sat.go_on("bring_deck")
        retired = [one.step["reason"] for one in sat.runner.course.record if one.step["do"] == "retire_deck"]
        assert (retired, sat.runner.state.worn) == (["wear"], ("0.1",))
        ages.cancel()


# --- what a configuration may ask for --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ({"house": {"wrong_count_scope": "hand"}}, "wrong_count_scope: hand is not played by this version"),
        ({"deck": {"back": "blue", "second": "blue"}}, "two decks have different backs"),
        (
            {"house": {"decks": 2}, "devices": {"shoe": {"url": "tcp://localhost:1", "family": "birch"}}},
            "two decks need a shuffler",
        ),
    ],
)
def test_a_configuration_that_no_table_could_honour_is_refused(text: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        parse(text, "table.toml")


@pytest.mark.parametrize(
    ("house", "shuffler", "decks"), [({}, True, 2), ({}, False, 1), ({"decks": 1}, True, 1), ({"decks": 2}, True, 2)]
)
def test_how_many_decks_a_table_has(house: dict[str, object], shuffler: bool, decks: int) -> None:
    assert deck_number(house, has_shuffler=shuffler) == decks


def test_a_table_with_a_shuffler_begins_with_two_decks_of_different_backs() -> None:
    devices = {"shuffler": {"url": "tcp://localhost:1", "family": "alder"}}
    state = first_state(parse({"devices": devices, "deck": {"back": "blue"}}, "table.toml"))
    assert [(deck.back, deck.where) for deck in state.decks] == [("blue", Where.RACK), ("red", Where.BOX)]
    assert state.house["decks"] == 2


# --- backs -----------------------------------------------------------------------------------------------------------


class Seeing(Alder):
    """A shuffler that sees the backs of the cards in its infeed: those named here, in order, then the right ones."""

    def __init__(self, *seen: Back) -> None:
        super().__init__()
        self.caps |= Capability.BACK_COLOUR
        self.seen = list(seen)

    def record(self, code: EventCode, **body: object) -> int:
        if code == EventCode.DECK_LOADED:
            body["back"] = self.seen.pop(0).value if self.seen else Back.RED.value
        return super().record(code, **body)


@virtual
async def test_a_shuffler_that_sees_the_other_back_has_its_cards_taken_out(tmp_path: Path) -> None:
    scene = Scene(tmp_path, alder=Seeing(Back.BLUE))
    await scene.play()
    scene.check()
    said: list[str] = scene.announced()
    assert any("have a blue back, deck 0 is red" in text for text in said)
    assert scene.asked(scene.runner).count("take_out") == 1


@pytest.mark.parametrize("seen", [Back.RED, Back.UNKNOWN])
@virtual
async def test_the_right_back_and_one_that_is_not_seen_are_taken(tmp_path: Path, seen: Back) -> None:
    scene = Scene(tmp_path, alder=Seeing(seen))
    await scene.play()
    assert "take_out" not in scene.asked(scene.runner)


def test_every_deck_is_named_by_its_number_and_generation() -> None:
    assert [deck.name for deck in two_decks(there=True).decks] == ["0.1", "1.1"]
    once: Callable[[TableState], TableState] = lambda state: state.with_deck(generation=3)  # noqa: E731
    assert once(two_decks()).deck.name == "0.3"
