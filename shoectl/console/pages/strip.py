"""The strip at the foot of the dealer's page: the deck and its proof, the shoe, the next deck, the count, the journal.

Green is earned: it stands only where the proof of the deck in play holds. What nobody knows is amber.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.games.procedure import Trouble
from shoectl.table.deck_count import policy_of, rounds_left
from shoectl.table.state import Deck, TableState, Where

Json = Mapping[str, Any]
OK, ASK, STOP, PLAIN = "ok", "ask", "stop", ""


@dataclass(frozen=True)
class Cell:
    """One cell: its name, what it says, a mark (`ok`, `ask`, `stop` or none), more in small, and a meter.

    `moving`: a device moves it, and no event tells of each card.
    """

    name: str
    text: str
    mark: str = PLAIN
    more: str = ""
    meter: tuple[int, int] | None = None
    meter_label: str = ""
    moving: bool = False


def strip(view: Json, state: TableState, devices: Sequence[Json]) -> tuple[Cell, ...]:
    """All cells, in their order."""
    by_place = {str(one["place"]): one for one in devices}
    cells = [_deck(view, state), _shoe(view, state, by_place.get("shoe"))]
    if len(state.decks) > 1:
        cells.append(_next_deck(view, state, by_place.get("shuffler")))
    elif state.equipment.shuffler is not None:
        cells.append(_shuffler(by_place.get("shuffler")))
    return (*cells, _count(view, state), _journal(view))


# what makes the proof of a deck void, or leaves nobody to say that it holds
DOUBTS: Final = {
    Trouble.DUPLICATE_CARD: "A card came twice",
    Trouble.FOREIGN_CARD: "A strange card",
    Trouble.UNKNOWN_CARD: "A card that nobody can name",
    Trouble.MISREAD_CARD: "A card was misread",
    Trouble.RECORD_LOST: "Draws without a record",
    Trouble.WRONG_COUNT: "A wrong number of cards",
    Trouble.DEVICE_FAILED: "The shoe did not finish",
    Trouble.DEVICE_RESTARTED: "The shoe restarted",
}


def _asked(view: Json) -> list[tuple[Json, str]]:
    asked = [(one["step"], str(one["outcome"])) for one in view["record"]]
    return asked + ([(view["step"], "open")] if view["step"] else [])


def _deck(view: Json, state: TableState) -> Cell:
    deck, asked = state.deck, _asked(view)
    name = f"Deck in play: {deck.back}"
    begun = next((at for at, (step, _) in enumerate(asked) if step["do"] == "wagers"), None)
    if begun is None:
        return Cell(name, *_before(view, state, asked))
    for step, outcome in asked[begun:]:
        if outcome in DOUBTS:
            return Cell(name, f"In doubt: {DOUBTS[Trouble(outcome)].lower()}", ASK)
        if step["do"] == "count":
            return Cell(name, "To be counted", ASK)
        if step["do"] == "remove_deck":
            return Cell(name, "Leaves the table", STOP)
    return Cell(name, *_proof(state, {str(step["do"]) for step, outcome in asked[:begun] if outcome == "answered"}))


def _proof(state: TableState, before: set[str]) -> tuple[str, str]:
    """What was proven before the wagers of this round were asked for."""
    kept = state.deck.proof
    shuffler = state.equipment.shuffler
    if state.equipment.mixes:
        return "52 of 52 in the shoe, mixed, verified", OK
    if "shuffle_by_hand" in before or (kept is not None and kept.by == "hand" and "await_shuffle" not in before):
        return "Shuffled by hand, not counted by a device", PLAIN
    counted = (shuffler is not None and shuffler.counts) if "await_shuffle" in before else bool(kept and kept.counted)
    if counted:
        return f"{state.deck.cards} of {state.deck.cards}, shuffled, verified", OK
    return "Shuffled, not counted", ASK


def _before(view: Json, state: TableState, asked: Sequence[tuple[Json, str]]) -> tuple[str, str]:
    """Where a deck stands that is not proven yet."""
    mine = [(step, outcome) for step, outcome in asked if step.get("deck", state.turn) == state.turn]
    do = str(mine[-1][0]["do"]) if mine else ""
    if "await_shuffle" in {str(step["do"]) for step, outcome in mine if outcome == "answered"} and do in PROVEN_BY:
        return _proof(state, {"await_shuffle"})
    if do == "await_shuffle":
        return "The shuffler is at it", ASK
    if state.deck.trouble:
        return "Not proven: to be shuffled again", ASK
    return "Not proven yet", ASK


PROVEN_BY: Final = ("present_deck", "take_deck", "open_shoe", "fill_shoe")  # steps that only a proven deck comes to


def drawn(view: Json) -> int:
    """How many cards were dealt in this round."""
    lying = sum(len(cards) for cards in view["places"].values())
    return lying + int(view["rack"])


def _shoe(view: Json, state: TableState, device: Json | None) -> Cell:
    count = drawn(view)
    counted = f"{count} drawn, {max(0, state.deck.cards - count)} left" if count else ""
    if state.equipment.shoe is None:
        return Cell("Dealt from the hand", counted or "The deck is in the hand", PLAIN)
    if device is not None and not device["online"]:
        return Cell("Shoe", "No answer", STOP, str(device["condition"]))
    step = view["step"] or {}
    if view["hold"] is not None and step.get("by") == "shoe":
        return Cell("Shoe", f"Hold, gate shut{f', {count} drawn' if count else ''}", ASK)
    if step.get("do") == "deal":
        return Cell("Shoe", "Gate open" if state.equipment.shoe.gated else "Dealing", PLAIN, counted)
    if step.get("do") in ("open_shoe", "fill_shoe", "empty_shoe", "close_shoe"):
        return Cell("Shoe", SHOE[str(step["do"])])
    loaded = any(one["step"]["do"] in ("wagers", "fill_shoe") for one in view["record"]) or step.get("do") == "wagers"
    return Cell("Shoe", "Gate shut" if loaded else "Not loaded", PLAIN, counted)


SHOE: Final = {
    "open_shoe": "Opens for loading",
    "fill_shoe": "Open for loading",
    "empty_shoe": "To be emptied",
    "close_shoe": "Counts what is left",
}


def _next_deck(view: Json, state: TableState, shuffler: Json | None) -> Cell:
    deck = next(one for one in state.decks if one.number != state.turn)
    name = f"Next deck: {deck.back}"
    own = [str(step["do"]) for step, _ in _asked(view) if step.get("deck") == deck.number]
    if shuffler is not None and not shuffler["online"]:
        return Cell(name, "The shuffler does not answer", STOP)
    if "start_shuffle" in own or deck.where is Where.SHUFFLING:
        done, total = _progress(shuffler)
        if total and done < total:
            return Cell(
                name,
                f"Shuffling, {done} of {total}",
                PLAIN,
                "",
                (done, total),
                f"Cards fed of the {deck.back} deck",
                True,
            )
        return Cell(name, "In the shuffler", PLAIN, "verified at its turn")
    return Cell(name, (NEXT_DECK.get(own[-1], "") if own else "") or _where(deck))


NEXT_DECK: Final = {
    "feed_shuffler": "To the shuffler",
    "confirm_deck": "To the shuffler",
    "bring_deck": "A new one is due",
    "remove_deck": "Leaves the table",
    "take_out": "To be taken out",
}


def _where(deck: Deck) -> str:
    return str(deck.where)[:1].upper() + str(deck.where)[1:]


def _progress(device: Json | None) -> tuple[int, int]:
    found = (device or {}).get("progress") or {}
    return int(found.get("done", 0)), int(found.get("total", 0))


def _shuffler(device: Json | None) -> Cell:
    if device is None or not device["online"]:
        return Cell("Shuffler", "No answer", STOP)
    done, total = _progress(device)
    if total and done < total:
        return Cell("Shuffler", f"Shuffling, {done} of {total}", PLAIN, "", (done, total), "Cards fed", True)
    return Cell("Shuffler", "Ready")


def _count(view: Json, state: TableState) -> Cell:
    if (view["step"] or {}).get("do") in ("count", "count_table"):
        return Cell("Count", "Due now", ASK)
    left = rounds_left(state)
    if left is None:
        return Cell("Count", "Waived, the shuffler counts")
    every = policy_of(state).every
    if left == 0:
        return Cell("Count", "Due now", ASK)
    text = f"Due in {left} {'round' if left == 1 else 'rounds'}"
    return Cell("Count", text, PLAIN, "", (every - left, every), "Rounds since the last count")


def _journal(view: Json) -> Cell:
    if view["journal"]:
        return Cell("Journal", "Cannot be written", STOP, "the table waits")
    return Cell("Journal", f"Entry {view['entry']:,}", OK)
