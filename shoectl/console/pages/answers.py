"""The form of answers under the instruction, for every step that people answer: fields, choices, the last button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from shoectl.console.pages import words
from shoectl.console.pages.cards import SUITS, face_words
from shoectl.console.pages.fields import Entry, Form, Option
from shoectl.console.pages.offers import offers_of
from shoectl.games.steps import DEALER, at_seat
from shoectl.people.roles import DEALER as DEALER_ROLE
from shoectl.people.roles import FLOOR, Person
from shoectl.table.desk import default_by
from shoectl.table.state import TableState
from shoectl.wording import place_name

Json = Mapping[str, Any]
MOST_BUTTONS: Final = 4  # amounts of one choice that get a button each; more are entered


def form_of(open_step: Json, view: Json, state: TableState, person: Person) -> Form | None:
    """The form of the open step for this person; None where a device answers it, or he only looks on.

    `open_step` as the desk lists it.
    """
    step: Json = open_step["step"]
    make = _FORMS.get(str(step["do"]))
    if make is None or not _people_answer(open_step, state) or not (person.may(DEALER_ROLE) or person.may(FLOOR)):
        return None
    form = make(step, view, open_step)
    if default_by(str(step["do"])) == FLOOR and not person.may(FLOOR):
        return replace(form, signs=True)
    return form


def _people_answer(open_step: Json, state: TableState) -> bool:
    return open_step["by"] == "people" or (open_step["by"] == "shoe" and state.equipment.shoe is None)


def _done(go: str) -> Callable[[Json, Json, Json], Form]:
    def make(step: Json, view: Json, open_step: Json) -> Form:
        return Form("Done", go.format(**{"back": "", "seat": "", **step}))

    return make


def _wagers(step: Json, view: Json, open_step: Json) -> Form:
    return Form("Wagers", "The wagers lie as entered", seats=offers_of(step))


def _ask(step: Json, view: Json, open_step: Json) -> Form:
    seat, found, entries = int(step["seat"]), [], []
    for choice in step["choices"]:
        found += _ways(seat, choice)
        if (extra := _open_amount(choice)) is not None:
            entries.append(extra)
    found.sort(key=lambda option: option.value != FOLD)  # it has one place on the screen, whatever is played
    letters = words.keys([option.label for option in found])
    options = tuple(replace(one, key=key) for one, key in zip(found, letters, strict=True))
    return Form(
        "Decision", f"Seat {seat} decides", legend=f"Decision of seat {seat}", options=options, entries=tuple(entries)
    )


FOLD: Final = "fold"


def _ways(seat: int, choice: Json) -> list[Option]:
    name, least, most = str(choice["name"]), int(choice.get("least", 0)), int(choice.get("most", 0))
    label = words.choice_label(choice)
    if not choice.get("wager"):
        note = "forfeits the Ante" if name == "fold" else ""
        return [Option(name, label, note, says=words.says(seat, name))]
    if least == most:
        own = choice["wager"] == name
        note = "" if own else f"{_fee(choice)} {words.amount(least)}"
        if choice.get("cards"):
            note = f"{choice['cards'][0]} to {choice['cards'][1]} cards, {_fee(choice)} {words.amount(least)}"
        says = words.says(seat, name, least if own else 0)
        return [Option(name, f"{label} {words.amount(least)}" if own else label, note, says=says)]
    return [
        Option(
            f"{name} {value}",
            f"{label} {words.amount(value)}",
            f"{value // least} × Ante",
            says=words.says(seat, name, value),
        )
        for value in range(least, most + 1, least)
    ][:MOST_BUTTONS] + _other(seat, choice)


def _fee(choice: Json) -> str:
    """What a decision's wager is called beside its amount."""
    return "fee" if choice["wager"] == "options" else words.wager_label(choice["wager"])


def _other(seat: int, choice: Json) -> list[Option]:
    """Where more amounts are allowed than have a button."""
    if _open_amount(choice) is None:
        return []
    name = str(choice["name"])
    return [
        Option(
            name,
            f"{words.choice_label(choice)} other",
            "enter it",
            says=f"Seat {seat} {words.SAYS.get(name, name)} as entered",
            opens=True,
        )
    ]


def _open_amount(choice: Json) -> Entry | None:
    least, most, every = int(choice.get("least", 0)), int(choice.get("most", 0)), int(choice.get("every", 1))
    if least == most or (every == least and most // least <= MOST_BUTTONS):
        return None
    hint = f"{words.span(least, most)}" + (f", in steps of {every}" if every > 1 else "")
    return Entry("amount", "Other amount", "number", least, most, hint=hint)


def _declare(step: Json, view: Json, open_step: Json) -> Form:
    seat = step["seat"]
    options = (
        Option("yes", "Declares", str(step["what"]), "D", f"Seat {seat} declares"),
        Option("no", "Does not", "", "N", f"Seat {seat} declares nothing"),
    )
    return Form("Declared", f"Seat {seat} has said", name="declared", legend=f"Seat {seat}", options=options)


def _give(step: Json, view: Json, open_step: Json) -> Form:
    seat = step["seat"]
    options = tuple(
        Option(str(count), f"{count} cards", "", str(count), f"Seat {seat} gives up {count}")
        for count in range(step["least"], step["most"] + 1)
    )
    return Form("Given", f"Seat {seat} gives up cards", "number", "How many cards", options)


def _reveal(step: Json, view: Json, open_step: Json) -> Form:
    cards = len(step["at"]) or len(view["places"].get(step["place"], ()))
    unread = bool(open_step.get("unread"))
    name = words.capital(place_name(step["place"]))
    hint = "in the order dealt, as As Kd 10h" if cards > 1 else "as As or 10h"
    field = Entry("cards", f"{cards} {'card' if cards == 1 else 'cards'}", "cards", cards, cards, unread, hint)
    verb = "are" if cards > 1 or name.endswith("cards") else "is"
    go = (
        f"{name} {verb} entered"
        if unread
        else f"{name} {'is' if verb == 'is' or not name.endswith('cards') else 'are'} turned up"
    )
    return Form("Faces", go, entries=(field,), folded="" if unread else "Enter the cards instead")


def _setting(step: Json, view: Json, open_step: Json) -> Form:
    cards = [card["card"] for card in view["places"].get(at_seat(step["seat"]), ()) if card.get("card")]
    options = tuple(Option(card, _short(card), face_words(card), str(at)) for at, card in enumerate(cards, 1))
    return Form(
        "Setting",
        "Set as the house sets it",
        "cards",
        f"The {step['low']} cards of the low hand; none: as the house sets them",
        options,
        ticks=True,
    )


def _short(card: str) -> str:
    return ("10" if card[0] == "T" else card[0]) + f" {SUITS[card[1]]}"


def _floor(step: Json, view: Json, open_step: Json) -> Form:
    letters = words.keys(list(step["choices"]))
    options = tuple(
        Option(choice, words.capital(choice), FLOOR_NOTES.get(choice, ""), key, f"The floor: {choice}")
        for choice, key in zip(step["choices"], letters, strict=True)
    )
    return Form("FloorWord", "The floorperson decides", legend="What the floorperson decides", options=options)


FLOOR_NOTES: Final = {
    "go on": "what was interrupted is asked again",
    "end the round": "what lies there goes back",
    "settle by hand": "wager by wager",
    "reset": "as the house sets it",
    "forfeit": "the wagers are lost",
}


def _by_hand(step: Json, view: Json, open_step: Json) -> Form:
    stake = words.amount(step["stake"])
    options = (
        Option("pay", "Pay", f"1 to {words.amount(step['most'])}", "P", "Pay the amount entered"),
        Option("collect", "Collect", stake, "C", f"Collect {stake}"),
        Option("return", "Return", stake, "R", f"Return {stake}"),
    )
    field = Entry("amount", "Amount paid", "number", 1, step["most"])
    return Form("Settled", "The wager is settled", "outcome", "How it is settled", options, entries=(field,))


def _reading(step: Json, view: Json, open_step: Json) -> Form:
    if step["kind"] == "amount":
        field = Entry("amount", "The meter shows", "number", 0, 10**9, needed=True)
    elif step["kind"] == "card":
        field = Entry("pick", "The card it shows", "cards", 1, 1, True, "as Ks")
    else:
        field = Entry("pick", "The place it shows", "text", 1, 6, True, f"a seat's number, or {DEALER}")
    return Form("Reading", "As the game system says", entries=(field,))


def _bring(step: Json, view: Json, open_step: Json) -> Form:
    later = Option("no", "Go on without it", says="")
    return Form("Brought", f"The {step['back']} deck is here, inspected", value=("choice", "yes"), also=later)


def _count(step: Json, view: Json, open_step: Json) -> Form:
    field = Entry("number", "Cards counted", "number", 0, 999, needed=True)
    return Form("Counted", "Enter the count", entries=(field,))


def _deal(step: Json, view: Json, open_step: Json) -> Form:
    part, parts = step_part(view), len(step["to"])
    up = [at for at in step["up"] if at >= part]
    through = up[0] if up and up[0] > part else parts
    if up and up[0] == part:
        field = Entry("cards", "The card face up", "cards", 1, 1, hint="as As or 10h; it may be left open")
        place = words.capital(place_name(step["to"][part]))
        return Form("Drawn", f"{place} has the card, face up", entries=(field,), hidden=(("through", str(part + 1)),))
    rest = through - part
    go = "The card is dealt" if rest == 1 else f"{rest} cards are dealt"
    return Form("Drawn", go, hidden=(("through", str(through)), ("cards", "")))


def step_part(view: Json) -> int:
    """The part of the open step that is due."""
    return int(view["step"]["ref"]["part"]) if view["step"] else 0


_FORMS: Final[Mapping[str, Callable[[Json, Json, Json], Form]]] = {
    "wagers": _wagers,
    "ask": _ask,
    "declare": _declare,
    "give": _give,
    "reveal": _reveal,
    "set": _setting,
    "floor": _floor,
    "settle_by_hand": _by_hand,
    "read_system": _reading,
    "bring_deck": _bring,
    "count": _count,
    "count_table": _count,
    "deal": _deal,
    "deal_by_hand": _deal,
    "set_hands": _done("Seat {seat} has set its hands"),
    "renew_stub": _done("The new stub is shuffled and cut"),
    "acknowledge": _done("Seat {seat} is settled"),
    "verify": _done("Verified"),
    "papers": _done("The papers are done"),
    "shuffle_by_hand": _done("The deck is shuffled"),
    "cut_deck": _done("The deck is cut"),
    "remove_deck": _done("The deck is off the table"),
}
