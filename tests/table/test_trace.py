"""The cards of a round as `journal round` tells them: when each was seen, and where it lies in the rack."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from shoectl.cards import STANDARD, Card
from shoectl.games.answers import Counted, Decision, Declared, Drawn, Faces, Given, Wagers
from shoectl.games.procedure import Answer, Done, Irregularity, Role, Trouble
from shoectl.games.steps import Ask, CountDeck, CountTable, Deal, Declare, GiveBack, PlaceWagers, RenewStub, Reveal
from shoectl.journal import Journal
from shoectl.table.openstep import OpenStep
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState

from .test_commands import lines


class Dealer:
    """Deals from the hand, from a deck in order, and tells faces when cards are dealt or (`blind`) turned up.

    Every seat stays in, by the choice `stays` where it has that. He stops at the first step of the kind `stop` after
    cards have been turned up; `exposed`: the card of seat 1 that is seen before the first decision.
    """

    def __init__(
        self, *, stop: type | None = None, blind: bool = False, exposed: int | None = None, stays: str = "bet"
    ) -> None:
        self.stop, self.blind, self.exposed, self.stays = stop, blind, exposed, stays
        self.deck = iter(STANDARD)
        self.given_up: list[Card] = []
        self.lies: dict[str, list[Card]] = {}
        self.turned_up = False
        self.stopped = asyncio.Event()

    async def people(self, step: OpenStep) -> None:
        """Answer until the step is closed."""
        while not step.closed and not self.stopped.is_set():
            if self.stop is not None and isinstance(step.step, self.stop) and self.turned_up:
                self.stopped.set()
            elif self.exposed is not None and isinstance(step.step, Ask):
                card, self.exposed = self.lies["seat 1"].pop(self.exposed), None
                seen = Irregularity(Trouble.EXPOSED_CARD, card=str(card), place="seat 1")
                await step.irregularity(seen)
            else:
                await step.answer(self.answer(step), by="dealer")
        while not step.closed:
            await step.changed()

    def answer(self, step: OpenStep) -> Answer:
        """What the dealer, the players and the floor say."""
        match step.step:
            case PlaceWagers():
                return Wagers(tuple((seat, "ante", 10) for seat in step.step.seats))
            case Deal(to):
                card = next(self.deck)
                self.lies.setdefault(to[step.ref.part], []).append(card)
                return Drawn(None if self.blind else card)
            case Ask(choices=choices):
                by_name = {choice.name: choice for choice in choices}
                chosen = by_name.get(self.stays) or by_name.get("raise") or by_name["bet"]
                return Decision(chosen.name, chosen.least)
            case Declare():
                return Declared(False)
            case GiveBack(seat):
                given = tuple(self.lies.pop(f"seat {seat}"))
                self.given_up += given
                return Given(len(given), given)
            case RenewStub():
                self.deck = iter(self.given_up)
            case Reveal(place, at):
                self.turned_up = True
                faces = self.lies[place]
                return Faces(tuple(faces[one] for one in at) or tuple(faces))
            case CountDeck():
                return Counted(52)
            case CountTable(known):
                return Counted(known)
        return Done()


def traced(path: Path, game: str, dealer: Dealer, seats: int = 2) -> list[dict[str, Any]]:
    """The cards of the first round, as `journal round` has them."""

    async def play() -> None:
        with Journal.open(path, threaded=False, durable=False) as journal:
            first = TableState(game, seats=tuple(range(1, seats + 1)), dealing="hand", limits={"ante": [10, 100]})
            playing = asyncio.create_task(
                Runner(journal, cycle, first).run(dict.fromkeys(Role, dealer.people), rounds=1)
            )
            stopped = asyncio.create_task(dealer.stopped.wait())
            await asyncio.wait((playing, stopped), return_when=asyncio.FIRST_COMPLETED)
            for task in (playing, stopped):
                task.cancel()
            await asyncio.gather(playing, stopped, return_exceptions=True)

    asyncio.run(play())
    (told,) = lines("round", path, 1, "--json")
    cards: list[dict[str, Any]] = told["cards"]
    return cards


def test_a_community_card_is_secret_until_it_is_turned_up_itself(tmp_path: Path) -> None:
    board = [card for card in traced(tmp_path / "j", "cajun-stud", Dealer(stop=Ask)) if card["to"] == "community"]
    assert [card["card"] is not None for card in board] == [True, False, False]
    assert [card["seen"] is not None for card in board] == [True, False, False]


@pytest.mark.parametrize("blind", [False, True])
def test_each_community_card_was_seen_when_it_was_turned_up(tmp_path: Path, blind: bool) -> None:
    dealer = Dealer(blind=blind)
    board = [card for card in traced(tmp_path / "j", "cajun-stud", dealer) if card["to"] == "community"]
    assert [card["card"] for card in board] == list(map(str, dealer.lies["community"]))
    seen = [card["seen"] for card in board]
    assert seen == sorted(set(seen))


@pytest.mark.parametrize("blind", [False, True])
def test_a_card_seen_too_early_lies_in_the_rack_before_the_hand_it_was_taken_from(tmp_path: Path, blind: bool) -> None:
    dealer = Dealer(blind=blind, exposed=2)
    cards = traced(tmp_path / "j", "lunar-poker", dealer)
    aside = [card for card in cards if card["note"] == "exposed card"]
    assert [(card["to"], card["rack"]) for card in aside] == [("seat 1", 1)]
    hand = [card for card in cards if card["to"] == "seat 1" and card not in aside]
    assert [card["card"] for card in hand] == list(map(str, dealer.lies["seat 1"]))
    assert aside[0]["seen"] < min(card["seen"] for card in hand)
    assert sorted(card["rack"] for card in cards) == list(range(1, len(cards) + 1))


def test_cards_of_a_new_stub_lie_in_the_rack_once_as_they_were_dealt_again(tmp_path: Path) -> None:
    cards = traced(tmp_path / "j", "lunar-poker", Dealer(stays="exchange"), seats=6)
    again = [card for card in cards if card["note"] == "went into a new stub"]
    assert len(again) == 20  # what four seats gave up; 17 cards were left, and thirty are dealt for what is given up
    assert all(card["rack"] is None for card in again)
    racked = [card for card in cards if card["rack"] is not None]
    assert sorted(card["rack"] for card in racked) == list(range(1, len(racked) + 1))
    assert len({card["card"] for card in racked}) == len(racked)
