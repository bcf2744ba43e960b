"""Holds and irregularities: what happened, how it ends, who must come, and the form by which people report one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoectl.console.pages.fields import Option
from shoectl.console.pages.words import capital, sentence_of
from shoectl.people.roles import DEALER, FLOOR, Person
from shoectl.table.holds import CARD, GIVE_UP, GO_ON, INTERLOCKS, is_away
from shoectl.table.reports import DECK, EXPOSED, FOREIGN, MISREAD, WRONG_NUMBER
from shoectl.wording import place_name

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Way:
    """One way in which a hold ends. `how`: the word that is sent, "" where a device ends it by itself; `who`: why this
    person cannot say it alone. `cards`: two persons enter a card; `signs`: a floorperson signs with number and PIN;
    `sure`: what the second touch says, where it takes two.
    """

    title: str
    text: str
    how: str = ""
    go: str = ""
    key: str = ""
    waits: str = ""
    cards: bool = False
    signs: bool = False
    tone: str = ""
    sure: str = ""


@dataclass(frozen=True)
class Held:
    """A hold: what happened in a few words, what to do in one sentence, and the ways out."""

    title: str
    say: str
    ways: tuple[Way, ...]


def held(view: Json, open_step: Json | None, person: Person) -> Held | None:
    """The hold that is open; None where there is none."""
    hold = view["hold"]
    if hold is None or open_step is None:
        return None
    words: Sequence[str] = open_step["words"]
    acts = person.may(DEALER) or person.may(FLOOR)
    reason = str(hold["reason"])
    ways = [_by_itself(reason)] if CARD in words or _ends_by_itself(reason) else []
    if CARD in words and acts:
        ways.append(_two_read(person))
    if GO_ON in words and acts and not is_away(reason) and not _interlock(reason):
        ways.append(Way("It is set right", "Say so once it is done; the table looks again.", GO_ON, "Go on", "G"))
    if GIVE_UP in words and acts:
        ways.append(_give_up(person, _title(view)))
    return Held(_title(view), sentence_of(_advice(reason, str(hold["text"]))), tuple(ways))


def _title(view: Json) -> str:
    reason, step = str(view["hold"]["reason"]), view["step"]
    if reason.startswith("unreadable"):
        part = step["ref"]["part"]
        due = f", due to {place_name(step['to'][part])}" if "to" in step and part < len(step["to"]) else ""
        return f"Hold: the shoe could not read a card{due}"
    place, _, what = reason.partition(" ")
    return f"Hold: {place}, {what.partition(',')[0]}" if what else f"Hold: {reason}"


def _advice(reason: str, text: str) -> str:
    if reason.startswith("unreadable"):
        return "Push the card back into the shoe, face down"  # the quickest way; the others stand below it
    return text


def _interlock(reason: str) -> bool:
    return reason.partition(" ")[2].partition(",")[0] in {what for what, _ in INTERLOCKS.values()}


def _ends_by_itself(reason: str) -> bool:
    return _interlock(reason) or is_away(reason)


def _by_itself(reason: str) -> Way:
    if reason.startswith("unreadable"):
        text = "The shoe reads it when you draw it again. Nothing to touch here."
        return Way("Push it back", text, waits="Waiting for the shoe")
    place = reason.partition(" ")[0]
    return Way(
        "It goes on by itself", f"As soon as the {place} says that it is over.", waits=f"Waiting for the {place}"
    )


def _two_read(person: Person) -> Way:
    alone = person.also_floor is not None
    who = "Here both are you." if alone else "The second one signs."
    return Way(
        "Or two persons read it",
        f"Each looks at the card and enters it. {who}",
        CARD,
        "Enter the card",
        "F3",
        cards=True,
        signs=not alone,
        sure="Both have entered it",
    )


def _give_up(person: Person, title: str) -> Way:
    text = "The house's rules for trouble decide: as a rule the round is void and wagers go back."
    return Way(
        "Or the floor gives it up",
        text,
        GIVE_UP,
        "Give it up",
        "V",
        signs=not person.may(FLOOR),
        tone="stop",
        sure="It is given up",
    )


@dataclass(frozen=True)
class Report:
    """The form by which people report what only they can see."""

    kinds: tuple[Option, ...]
    places: tuple[Option, ...]


def report(view: Json, person: Person) -> Report | None:
    """What can be reported now; None for somebody who only looks on, or while no card lies anywhere."""
    step = view["step"]
    if step is None or not (person.may(DEALER) or person.may(FLOOR)):
        return None
    places = [Option(place, capital(place_name(place))) for place, cards in view["places"].items() if cards]
    dealt_by_hand = step["do"] in ("deal", "deal_by_hand")
    if dealt_by_hand:
        places.append(Option(DECK, "The deck", "while dealing from the hand"))
    if not places:
        return None
    kinds = [
        Option(EXPOSED, "A card was seen", "before its time", "A", "Report the card that was seen"),
        Option(WRONG_NUMBER, "Wrong number", "of cards at a place", "W", "Report the wrong number"),
    ]
    kinds.append(Option(FOREIGN, "A strange card", "none of this deck", "S", "Report the strange card"))
    if step["do"] == "reveal":
        kinds.append(Option(MISREAD, "Other cards", "than those that were read", "O", "Report the misread cards"))
    return Report(tuple(kinds), tuple(places))
