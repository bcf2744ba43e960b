"""How the open round is voided without the rules it was begun under: what its entries tell of chips, cards and decks.

The entries are read as they stand, so a round of any version can be voided; a step that this version does not know, or
knows with other fields, tells nothing. Nothing is trusted: no deck is proven, no shuffle is awaited, every deck that
has been out of its box is gathered from where its cards may lie, counted and shuffled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shoectl.errors import BadInput
from shoectl.games.deck_steps import IN_BOX, IN_HAND
from shoectl.games.layout import Booking
from shoectl.journal import NOT_UNDERSTOOD, Entry, understood
from shoectl.table.audit import FAILURES
from shoectl.table.course import Course
from shoectl.table.deck_count import wrong_count
from shoectl.table.decks import STUB
from shoectl.table.decks_turn import IN_SHUFFLER, checked
from shoectl.table.entries import Json, RoundOpens
from shoectl.table.packets_lying import PacketsLying
from shoectl.table.session import RETIRES, cycle
from shoectl.table.state import Deck, TableState, Where
from shoectl.table.trace import lying
from shoectl.table.versions import versions
from shoectl.table.voided import Voided, voided_at

# Where cards of a deck may lie once a step is asked, and until it is answered.
ASKED: Final[Mapping[str, Where]] = {
    **dict.fromkeys(("feed_shuffler", "confirm_deck", "start_shuffle", "await_shuffle"), Where.STUCK_SHUFFLER),
    **dict.fromkeys(("present_deck", "take_deck", "take_out", "feed_discards"), Where.STUCK_SHUFFLER),
    **dict.fromkeys(("open_shoe", "fill_shoe", "close_shoe", "empty_shoe"), Where.CLOSING),
}
ANSWERED: Final = {"take_deck": Where.HAND, "shuffle_by_hand": Where.HAND, "remove_deck": Where.OFF}
GATHERING: Final = ("take_out", "empty_shoe")  # answered, the deck lies at their `place`
COMES_INTO_PLAY: Final = ("take_deck", "shuffle_by_hand", "cut_deck", "open_shoe", "fill_shoe")
UNTOUCHED: Final = (Where.BOX, Where.OFF)


def why_not_played_on(entries: Sequence[Entry]) -> str:
    """Why this version cannot play the open round on; "" if it can. Raises BadInput where no round is open."""
    course: Course[TableState] = Course(cycle, state_of(entries))
    course.voided_at = voided_at(entries)
    try:
        for entry in entries:
            course.take(entry)
    except FAILURES as why:
        return str(why)
    if course.over:
        raise BadInput(f"no round is open: round {course.round_no} is over")
    return ""


def state_of(entries: Sequence[Entry]) -> TableState:
    """The state that the round of these entries began with, or that its last void left.

    Raises BadInput where there is no round, or this version does not understand its state.
    """
    if not entries or entries[0].kind != RoundOpens.kind:
        raise BadInput("no round is open: none has been played")
    told = next(one for one in reversed(entries) if one.kind in (RoundOpens.kind, Voided.kind))
    try:
        with understood(told.n):
            return TableState.from_json(told.body["state"])
    except BadInput as why:
        told_by = f"entry {told.n}: its table is of another version, which has to end the round"
        raise BadInput(f"{told_by}: {why}") from None


def void(entries: Sequence[Entry], *, by: str, why: str = "", current: Mapping[str, str] | None = None) -> Voided:
    """The void of the round that these entries tell, from its `round` entry on.

    Raises BadInput where there is none; Broken where its opening does not say what it should.
    """
    state, chips, since = state_of(entries), Chips(), voided_at(entries)
    places, racked = lying(entries)
    decks, packets = Decks(state, since), PacketsLying()
    for entry in entries:
        for fold in (chips, decks, packets):
            with suppress(*NOT_UNDERSTOOD):
                fold.take(entry)
    places = dict(Counter(places) + packets.lie)
    with understood(entries[0].n):
        opens = RoundOpens.from_json(entries[0].body)
    voided = Voided(opens.number, by, why, versions() if current is None else current, {})
    dealt = sum(places.values()) + racked
    state = decks.distrusted(f"round {opens.number} was {voided.text}", dealt)
    if chips.placed and not since:
        number = state.rounds_played + 1
        state = replace(state, rounds_played=number).with_deck(rounds=(*state.deck.rounds, number))
    if decks.restocked:
        places[STUB] = max(1, state.deck.cards - dealt)
    wagers = tuple((seat, wager, amount) for (seat, wager), amount in chips.lie.items())
    state.check()
    return replace(
        voided, state=state.to_json(), wagers=wagers, cards=places, racked=racked, booked=tuple(chips.booked)
    )


@dataclass
class Chips:
    """Wagers that lie there, and how chips have moved."""

    lie: dict[tuple[int, str], int] = field(default_factory=dict)
    booked: list[Booking] = field(default_factory=list)
    placed: bool = False
    _step: Json = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """One entry more."""
        if entry.kind == "step":
            self._step = entry.body["step"]
            self._moved(self._step)
        elif entry.kind == "answer":
            self._answered(entry.body["takes"], entry.body["answer"])

    def _moved(self, step: Json) -> None:
        match step["do"]:
            case "collect":
                gain, how = -int(step["amount"]), str(step["outcome"])
            case "return":
                gain, how = 0, str(step["outcome"])
            case "pay" | "credit":
                gain, how = int(step["amount"]) - (int(step["stake"]) if step["keeps_stake"] else 0), "win"
            case _:
                return
        seat, wager = int(step["seat"]), str(step["wager"])
        self.lie.pop((seat, wager), None)
        self.booked.append(Booking(seat, wager, gain, how, int(step["stake"] if how == "win" else step["amount"])))

    def _answered(self, takes: str, answer: Json) -> None:
        if takes == "Wagers":
            for seat, wager, amount in answer["placed"]:
                self.lie[int(seat), str(wager)] = int(amount)
                self.placed = True
        elif takes == "Decision" and self._step["do"] == "ask":
            chosen: Json = next((one for one in self._step["choices"] if one["name"] == answer["choice"]), {})
            if chosen.get("wager"):
                seat, amount = int(self._step["seat"]), int(answer["amount"] or chosen["least"])
                self.lie[seat, str(chosen["wager"])] = amount


class Decks:
    """Where each deck may lie. `since`: the entry that tells the state with which it begins."""

    def __init__(self, state: TableState, since: int) -> None:
        self.state = state
        self.restocked = False
        self._since = since
        self._step: Json = {}

    def take(self, entry: Entry) -> None:
        """One entry more."""
        if entry.n < self._since:
            return
        match entry.kind:
            case "step":
                self._asked(entry.body["step"])
            case "event" if entry.body["name"] == "DECK_TAKEN" and self._step["do"] == "take_deck":
                self._change(lambda state: state.with_deck(where=Where.HAND))
            case "answer":
                self._answered(entry.body["answer"], str(entry.body["by"]))
            case "irregularity" if entry.body["trouble"] in RETIRES:
                why = RETIRES[entry.body["trouble"]]
                self.state = self.state.with_deck(retired=why, told=False, trouble=str(entry.body["trouble"]))

    def _asked(self, step: Json) -> None:
        self._step, do = step, step["do"]
        self.restocked = self.restocked or do == "renew_stub"
        if not self._known(step):
            return
        if do in COMES_INTO_PLAY:
            self.state = replace(self.state, turn=step["deck"])
        where = None if do == "open_shoe" and self.state.equipment.mixes else ASKED.get(do)  # it only opens there
        if where is not None:
            self._change(lambda state: state.with_deck(where=where))

    def _answered(self, answer: Json, by: str) -> None:
        step, do = self._step, self._step["do"]
        if not self._known(step):
            return
        if (where := ANSWERED.get(do)) is not None:
            self._change(lambda state: state.with_deck(where=where))
        elif answer.get("proven") and self.state.equipment.mixes:
            self._change(lambda state: state.with_deck(where=Where.SHOE))
        elif do in GATHERING:
            self._change(lambda state: state.with_deck(where=_place(step), out=0))
        elif do == "bring_deck" and answer.get("now", True):
            self._change(lambda state: _with_new(state, step))
        if answer.get("wrong") or do in ("take_deck", "count"):
            who = "the dealer" if do == "count" else f"the {by}"
            self._change(lambda state: _counted(state, answer, who))

    def _known(self, step: Json) -> bool:
        return step.get("deck") in [deck.number for deck in self.state.decks]

    def _change(self, change: Callable[[TableState], TableState]) -> None:
        """A change to the deck of the step."""
        changed = change(replace(self.state, turn=self._step["deck"]))
        self.state = replace(changed, turn=self.state.turn)

    def distrusted(self, why: str, dealt: int) -> TableState:
        """The state with every deck unproven, to be gathered and counted; so many cards were dealt."""
        mixes = self.state.equipment.mixes
        decks = tuple(_distrusted(deck, why, mixes) for deck in self.state.decks)
        state = replace(self.state, decks=decks)
        if state.deck.where in (Where.CLOSING, Where.APART):
            state = state.with_deck(out=min(dealt, state.deck.cards))
        try:
            return checked(state)
        except AssertionError:  # steps that this version does not know moved them: people will see where they lie
            first = Where.CLOSING if state.equipment.shoe else Where.RACK
            moved = (replace(one, where=first if one == state.deck else Where.STUCK_SHUFFLER) for one in decks)
            return replace(state, decks=tuple(moved))


def _distrusted(deck: Deck, why: str, mixes: bool) -> Deck:
    if deck.where in UNTOUCHED:
        return deck
    where = deck.where
    if where in (Where.SHOE, Where.APART) and mixes:
        where = Where.APART
    elif where in IN_SHUFFLER or (where is Where.CLOSING and mixes):
        where = Where.STUCK_SHUFFLER
    elif where in (Where.SHOE, Where.CLOSED):
        where = Where.CLOSING
    trouble = deck.trouble if deck.retired else why
    told = deck.told or mixes
    return replace(deck, where=where, proof=None, motion=0, cut=False, count_due=True, trouble=trouble, told=told)


def _place(step: Json) -> Where:
    return {IN_HAND: Where.HELD, IN_BOX: Where.BOX}.get(step["place"], Where.RACK)


def _with_new(state: TableState, step: Json) -> TableState:
    old = state.deck
    fresh = state.equipment.shuffler is not None
    new = Deck(old.number, step["back"], old.cards, _place(step), fresh=fresh, generation=old.generation + 1)
    return replace(state, decks=tuple(new if deck is old else deck for deck in state.decks))


def _counted(state: TableState, answer: Mapping[str, Any], by: str) -> TableState:
    """A wrong count, or cards that are not those of the deck: it leaves the table, whoever goes on."""
    cards = int(answer.get("counted", answer.get("count", answer.get("cards", 0))))
    if cards != state.deck.cards:
        return wrong_count(state, cards, by)
    if answer.get("wrong"):
        return state.with_deck(retired="composition", told=False, trouble="not the cards of one deck")
    return state
