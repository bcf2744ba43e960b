"""The instruction: what to do now in one sentence, the paragraph it carries out, what was said and done on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.pages import words
from shoectl.console.pages.before import before
from shoectl.console.pages.money import Sum, headline, moves_of, sums
from shoectl.console.pages.tape import letter_of
from shoectl.games.registry import Game
from shoectl.table.state import TableState
from shoectl.wording import place_name, sentence

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Instruction:
    """What the page says. `before`: what passed by itself since the last answer, for the dealer to say and do first."""

    rule: str
    about: str
    say: str
    next: str = ""
    before: tuple[str, ...] = ()
    sums: tuple[Sum, ...] = ()
    waits: str = ""
    meter: tuple[int, int] | None = None


def instruction(view: Json, open_step: Json | None, state: TableState, game: Game) -> Instruction:
    """The instruction of the open step; of a table without one, that it has none."""
    if open_step is None or view["step"] is None:
        return Instruction("", "", "No step is open." if view["round"] else "The table begins.", waits="the table")
    step = view["step"]
    part = int(step["ref"]["part"])
    settled = moves_of(view["record"]) if step["do"] == "acknowledge" else []
    return Instruction(
        rule=f"§ {step['rule']}",
        about=_about(step, game),
        say=_say(step, part, settled),
        next=_next(view),
        before=before(view["record"], settled),
        sums=sums(settled, step.get("seat")),
        waits="" if _people(open_step, state) else WAITS.get(open_step["by"], f"the {open_step['by']}"),
        meter=(part, len(step["to"])) if step["do"] in ("deal", "deal_by_hand") and len(step["to"]) > 1 else None,
    )


WAITS: Final = {"people": "the people at the table", "nobody": "nobody"}


def _people(open_step: Json, state: TableState) -> bool:
    return open_step["by"] == "people" or (open_step["by"] == "shoe" and state.equipment.shoe is None)


def _say(step: Json, part: int, settled: Sequence[Json]) -> str:
    match step["do"]:
        case "ask":
            return words.ask(step)
        case "acknowledge":
            return headline(step["seat"], settled)
        case "wagers":
            return "Enter what the players have wagered."
        case "count":
            return words.sentence_of(sentence(step))
        case "reveal" if step["place"].startswith("seat ") and not step["at"]:
            return f"Turn up the cards of {place_name(step['place'])}."
    return words.sentence_of(sentence(step, part))


def _about(step: Json, game: Game) -> str:
    """What the paragraph is about, and which way round the table it goes."""
    if step["do"] in ABOUT:
        return ABOUT[step["do"]]
    letter = letter_of(step)
    at = ord(letter) - ord("a") if letter else len(game.paragraphs)
    return words.capital(game.paragraphs[at]) if at < len(game.paragraphs) else ""


ABOUT: Final = {
    "wagers": "Wagers, clockwise from seat 1",
    "ask": "Decisions, clockwise from seat 1",
    "declare": "Declarations, clockwise from seat 1",
    "count": "The count of the deck",
    "floor": "For the floorperson",
    "verify": "For the floorperson",
    "papers": "For the floorperson",
    "settle_by_hand": "For the floorperson",
}


def _next(view: Json) -> str:
    """Who is next, where that is certain."""
    step = view["step"]
    if step["do"] != "ask":
        return NEXT.get(str(step["do"]), "")
    seat, made = step["seat"], len(view["decided"].get(str(step["seat"]), []))
    waiting = [int(other) for other in view["wagers"] if int(other) > seat and view["places"].get(f"seat {other}")]
    same = [other for other in sorted(waiting) if len(view["decided"].get(str(other), [])) == made]
    if made and not any(choice["name"] == "raise" for choice in step["choices"]):
        return ""  # a second decision is asked of those who took an option
    return f"Next is seat {same[0]}." if same else "This is the last one to decide."


NEXT: Final = {
    "fill_shoe": "The shoe says when it is closed.",
    "feed_shuffler": "The shuffler says when it has the deck.",
    "take_deck": "The shuffler says when its tray is empty.",
    "empty_shoe": "The shoe says when it is empty and closed.",
    "take_out": "The shuffler says when it is empty and closed.",
    "await_shuffle": "Nothing to touch: no wager is taken before the deck is proven.",
    "wagers": "Then announce “no more bets”.",
}
