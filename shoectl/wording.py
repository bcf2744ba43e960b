"""Steps as sentences for people: what to do now, as the pit says it. Works on a step's JSON, which holds no face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

StepText = Mapping[str, Any]


def sentence(step: StepText, part: int = 0) -> str:
    """What a step asks for, in one sentence; `part` is the part that is due (the card of a deal, from 0)."""
    if step["do"] in ("deal", "deal_by_hand"):
        return _deal(step, part)
    say = _SENTENCES.get(str(step["do"]))
    return say(step) if say else str(step["do"]).replace("_", " ")


def waiting_for(step: StepText, by: str) -> str:
    """Whom a step waits for, `by` carrying it out: what hands do and a device reports waits for both."""
    if step["do"] in _BY_HAND:
        return f"hands; the {by} sees when it is done"
    return {"people": "the people at the table"}.get(by, f"the {by}")


def place_name(place: str) -> str:
    """A place as people call it."""
    return _PLACES.get(place, place)


def wager_name(wager: str) -> str:
    """A wager as people call it: `super:dealer` is the super wager on the dealer's hand."""
    name, _, of = wager.partition(":")
    words = name.replace("_", " ")
    if not of:
        return words
    return f"{words} on {'the dealer' if of == 'dealer' else 'seat ' + of}"


def choice_name(choice: Mapping[str, Any]) -> str:
    """One way to decide, with the wager that it costs."""
    least, most = choice.get("least", 0), choice.get("most", 0)
    if not choice.get("wager"):
        return str(choice["name"])
    amount = str(least) if least == most else f"{least} to {most}"
    if least != most and choice.get("every", 1) > 1:
        amount += f" in steps of {choice['every']}"
    return (
        f"{choice['name']} ({choice['wager']} {amount})"
        if choice["wager"] != choice["name"]
        else (f"{choice['name']} ({amount})")
    )


def listed(words: Sequence[str], last: str = "or") -> str:
    """`a`, `a or b`, `a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def _deal(step: StepText, part: int) -> str:
    to = step["to"]
    if part >= len(to):
        return f"{len(to)} cards dealt"
    turned = ", face up" if part in step["up"] else ""
    by_hand = " from the hand" if step["do"] == "deal_by_hand" else ""
    return f"deal a card{by_hand} to {place_name(to[part])}{turned} ({part + 1} of {len(to)})"


def _ask(step: StepText) -> str:
    return f"seat {step['seat']} decides: {listed([choice_name(choice) for choice in step['choices']])}"


def _wagers(step: StepText) -> str:
    offered = listed([f"{wager_name(o['wager'])} {o['least']}–{o['most']}" for o in step["offers"] if o["required"]])
    return f"the players place their wagers{f' ({offered})' if offered else ''}"


def _give(step: StepText) -> str:
    least, most = step["least"], step["most"]
    return f"seat {step['seat']} gives up {least if least == most else f'{least} to {most}'} cards, face down"


def _cards_of(place: str) -> str:
    """The cards of a place: `the community cards`, `the cards of seat 3`."""
    return place_name(place) if place in ("community", "bonus") else f"the cards of {place_name(place)}"


def _plain(text: str) -> str:
    """A text that names an option, as a meter, in words."""
    return text.replace("_", " ")


_NTH: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _nth(at: int) -> str:
    return _NTH[at] if at < len(_NTH) else f"{at + 1}th"


def _reveal(step: StepText) -> str:
    at = step.get("at")
    some = f"the {listed([_nth(one) for one in at], 'and')} of " if at else ""
    return f"turn up {some}{_cards_of(step['place'])}"


def _pay(step: StepText) -> str:
    return (
        f"pay seat {step['seat']} {step['amount']} on the {wager_name(step['wager'])}: "
        f"{step['won_for']}, {_plain(step['odds'])} on {step['stake']}"
    )


def _credit(step: StepText) -> str:
    return f"{_pay(step).replace('pay', 'credit', 1)}, by its {step['via']}"


def _floor(step: StepText) -> str:
    return f"the floorperson decides, {step['why']}: {listed(step['choices'])}"


def _from(step: StepText) -> str:
    """Where a deck lies, where that is not the rack."""
    return {"hand": " in your hands", "box": " out of its box"}.get(str(step["place"]), "")


def _to(step: StepText) -> str:
    """Where a deck is laid, where that is not the rack: the other deck lies there."""
    return " and keep them in your hands" if step["place"] == "hand" else ""


def cards_text(cards: Sequence[Mapping[str, Any]]) -> str:
    """The cards of a place in a view: faces that may be seen, `??` for the others."""
    return " ".join(str(card.get("card") or "??") if card["up"] else "??" for card in cards)


def deck_text(view: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """Where the proof of the deck stands in this round, from the steps that were asked; no card order is known."""
    asked = [(one["step"]["do"], one["outcome"]) for one in view["record"]]
    open_do = view["step"]["do"] if view["step"] else ""
    names = [do for do, _ in asked]
    if open_do == "await_shuffle":
        return "the shuffler is at it, not proven yet"
    if "wagers" in [*names, open_do]:
        how = "the shuffler" if "await_shuffle" in names else "the dealer" if "shuffle_by_hand" in names else ""
        since = len(next(deck["rounds"] for deck in state["decks"] if deck["number"] == state["turn"]))
        counted = "" if how == "the shuffler" else f", counted {since} rounds ago" if since else ""
        return f"proven, shuffled by {how}{counted}" if how else "proven"
    return "not proven: no wager is taken before it is"


_BY_HAND: Final = frozenset({"feed_shuffler", "take_deck", "take_out", "fill_shoe", "empty_shoe", "feed_discards"})

_PLACES: Final = {"dealer": "the dealer", "community": "the community cards", "bonus": "the bonus cards"}

_SENTENCES: Final[Mapping[str, Callable[[StepText], str]]] = {
    "announce": lambda s: f"announce: {s['text']}",
    "collect": lambda s: f"collect the {wager_name(s['wager'])} of seat {s['seat']}: {s['amount']}",
    "pay": _pay,
    "return": lambda s: f"give seat {s['seat']} the {wager_name(s['wager'])} back: {s['amount']}",
    "discard": lambda s: f"lay {_cards_of(s['place'])} into the rack",
    "rack_stub": lambda s: "the rest of the deck goes to the rack, unseen",
    "wagers": _wagers,
    "ask": _ask,
    "declare": lambda s: f"ask seat {s['seat']} whether it declares {s['what']}",
    "give": _give,
    "reveal": _reveal,
    "set_hands": lambda s: f"seat {s['seat']} sets its two hands, face down",
    "set": lambda s: f"say how seat {s['seat']} has set its cards: the {s['low']} cards of the low hand",
    "arrange": lambda s: (
        f"lay {_cards_of(s['place'])} as two hands, in the low one the "
        f"{listed([_nth(at) for at in s['low']], 'and')} dealt"
    ),
    "renew_stub": lambda s: (
        f"the stub is used up: shuffle and cut {s['cards']} cards of the rack, those of {listed(s['origins'], 'and')}"
    ),
    "acknowledge": lambda s: f"seat {s['seat']} is settled as shown",
    "verify": lambda s: (
        f"a floorperson verifies {s['what']} of seat {s['seat']} before the {wager_name(s['wager'])} is paid"
    ),
    "credit": _credit,
    "hold": lambda s: f"leave the cards of {s['place'] or 'seat ' + str(s['seat'])} on the table: {s['why']}",
    "papers": lambda s: f"a floorperson says that the papers of seat {s['seat']} are done: {_plain(s['why'])}",
    "read_system": lambda s: f"enter what the game system says of the {wager_name(s['what'])} ({s['kind']})",
    "floor": _floor,
    "set_aside": lambda s: (
        f"lay the card of {place_name(s['place'])} that was seen into the rack, it is the {_nth(s['at'])} of its cards"
    ),
    "take_back": lambda s: (
        f"the {s['at'] + 1}. card of {place_name(s['place'])} is in the shoe again, it is dealt once more"
    ),
    "settle_by_hand": lambda s: (
        f"the floorperson settles the {wager_name(s['wager'])} of seat {s['seat']}, "
        f"{s['stake']}: pay (an amount), collect or return"
    ),
    "count": lambda s: f"count the whole deck{_from(s)}, face down on the layout",
    "count_table": lambda s: (
        f"count the cards that lie on the table, {s['known']} are known of, before they are gathered"
    ),
    "shuffle_by_hand": lambda s: f"gather the deck, shuffle {'and cut ' if s['least'] else ''}it by hand",
    "cut_deck": lambda s: f"cut the deck, at least {s['least']} cards in either part",
    "remove_deck": lambda s: f"take the deck{_from(s)} off the table: {s['reason']}",
    "bring_deck": lambda s: f"bring a new {s['back']} deck, inspected, to the table{_to(s)} (or go on without it)",
    "open_shoe": lambda s: "the shoe opens for loading",
    "fill_shoe": lambda s: f"lay the {s['cards']} cards into the shoe and close its lid",
    "close_shoe": lambda s: f"the shoe counts what is left in it, {s['residual']} cards should be",
    "empty_shoe": lambda s: f"take the rest of the cards out of the shoe, unseen{_to(s)}, and close its lid",
    "feed_discards": lambda s: f"lay all that came out of the shoe into it again{_from(s)}, {s['cards']} were dealt",
    "feed_shuffler": lambda s: f"lay the {s['back']} deck{_from(s)} into the shuffler",
    "start_shuffle": lambda s: f"the shuffler starts, {s['cards']} cards",
    "await_shuffle": lambda s: "the shuffler shuffles and counts",
    "present_deck": lambda s: "the shuffler brings the deck to its tray",
    "take_deck": lambda s: "take the deck from the shuffler's tray",
    "take_out": lambda s: f"open the shuffler, take all cards out{_to(s)} and close it: {s['why']}",
    "retire_deck": lambda s: f"the shuffler is told not to shuffle this deck again: {s['reason']}",
    "confirm_deck": lambda s: f"the shuffler is told of the new deck ({s['back']}, {s['cards']} cards)",
}
