"""Records that are not legal, generated from a legal one: what is wrong, the record, what the refusal has to name.

A fault that a section forbids names its paragraph as well; one of mere form (a list where text is due) has none.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Kind:
    """One way to be wrong."""

    name: str
    record: dict
    names: tuple[str, ...]  # words that the one line has to hold
    rule: str = ""  # how the paragraph begins, where there is one


@dataclass(frozen=True)
class Good:
    """A legal record to spoil, and what a generator has to know of its game.

    `seat` has placed every wager and decides to the end; `places`: shared cards, with their number; `late`: wagers
    that only a decision places; `asked`: the paragraphs of its decisions; `word`: the one that stays in.
    """

    record: dict
    chapter: str
    seat: str
    places: dict[str, int]
    late: tuple[str, ...]
    asked: tuple[str, ...]
    word: str
    more: tuple[Kind, ...] = field(default=())

    @property
    def at(self):
        """The seat's part of the record."""
        return self.record["seats"][self.seat]


MISSING = object()


def changed(record, *path, to):
    """The record with one value replaced, added, or (MISSING) removed."""
    data = copy.deepcopy(record)
    at = data
    for key in path[:-1]:
        at = at[key]
    if to is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return data


def kinds(good):
    """Every kind of wrong record there is for a game."""
    for family in (form, cards, wagers, decisions, house, seats):
        yield from family(good)
    yield from good.more


def form(good):
    """Values of the wrong type, keys that are unknown or missing."""
    here = ("seats", good.seat)
    paths = {("game",): "game", ("house",): "house", ("dealing",): "dealing"} | {
        (place,): place for place in good.places
    }
    paths |= {(*here, key): key for key in good.at}
    for path, word in paths.items():
        for wrong in (7, None, True, 1.5, [[]], {"a": []}):
            yield Kind(f"{word} is {wrong!r}", changed(good.record, *path, to=wrong), (word,))
    for key in ("game", "seats"):
        yield Kind(f"no {key}", changed(good.record, key, to=MISSING), (key, "is missing"))
    for key in ("cards", "wagers"):
        yield Kind(f"no {key} at a seat", changed(good.record, *here, key, to=MISSING), (f"seat {good.seat}: {key}",))
    yield Kind("an unknown key", changed(good.record, "colour", to="red"), ("colour", "unknown key"))
    wrong = changed(good.record, *here, "colour", to="red")
    yield Kind("an unknown key at a seat", wrong, (f"seat {good.seat}: colour", "unknown key"))
    for name in ("whist", "", "LUNAR", good.record["game"].upper()):
        yield Kind(f"game {name!r}", changed(good.record, "game", to=name), ("game", "is not known"))


def cards(good):
    """Too few, too many, twice, or none that there are."""
    spots = {(place,): (place, number) for place, number in good.places.items()}
    spots[("seats", good.seat, "cards")] = (f"seat {good.seat}", len(good.at["cards"].split()))
    used = {card for path in spots for card in value_at(good.record, path).split()}
    used |= {card for seat in good.record["seats"].values() for card in seat["cards"].split()}
    free = next(rank + suit for rank in "3579JK" for suit in "cdhs" if rank + suit not in used)
    for path, (place, number) in spots.items():
        hand = value_at(good.record, path).split()
        elsewhere = next(card for one in spots if one != path for card in value_at(good.record, one).split())
        where = place if place.startswith("seat") else place.split()[0]
        rows = [
            ("one card too few", hand[:-1], f"{number - 1} are given", True),
            ("one card too many", [*hand, free], f"{number + 1} are given", True),
            ("a card twice", [*hand[:-1], hand[0]], hand[0], True),
            ("a card of another place", [*hand[:-1], elsewhere], elsewhere, True),
            ("no cards", [], "0 are given", True),
            ("a rank that is none", [*hand[:-1], "1s"], "1s", False),
            ("a suit that is none", [*hand[:-1], "Ax"], "Ax", False),
            ("half a card", [*hand[:-1], "A"], "'A'", False),
            ("a joker", [*hand[:-1], "Joker"], "Jo", False),
        ]
        for name, wrong, word, by_rule in rows:
            rule = f"{good.chapter}." if by_rule else ""
            record = changed(good.record, *path, to=" ".join(wrong))
            places = (word,) if name == "a card of another place" else (where, word)
            yield Kind(f"{place}: {name}", record, places, rule)


def value_at(record, path):
    for key in path:
        record = record[key]
    return record


def wagers(good):
    """Amounts and names that no table takes."""
    at, rule = f"seat {good.seat}", f"{good.chapter}.7"
    for wager in good.at["wagers"]:
        path = ("seats", good.seat, "wagers", wager)
        for wrong in (0, -5, 10**16):
            yield Kind(f"{wager} of {wrong}", changed(good.record, *path, to=wrong), (at, wager, str(wrong)), rule)
        for wrong in ("10", 10.0, True, None, [10]):
            yield Kind(f"{wager} is {wrong!r}", changed(good.record, *path, to=wrong), (at, wager))
    for wager in (*good.late, "antes", "Ante", "jackpot", "super:9", ""):
        path = ("seats", good.seat, "wagers", wager)
        yield Kind(f"a wager {wager!r} before the deal", changed(good.record, *path, to=10), (at, repr(wager)), rule)
    yield Kind("no ante", changed(good.record, "seats", good.seat, "wagers", "ante", to=MISSING), (at, "ante"), rule)
    yield Kind("no wager at all", changed(good.record, "seats", good.seat, "wagers", to={}), (at, "wager"), rule)


def decisions(good):
    """Words that are not offered, amounts that are not allowed, too few and too many."""
    at, chosen = f"seat {good.seat}", good.at["decisions"]
    path = ("seats", good.seat, "decisions")
    for number, paragraph in enumerate(good.asked):
        rule = f"{good.chapter}.11({paragraph})"
        yield Kind(f"decision {number + 1} is missing", changed(good.record, *path, to=chosen[:number]), (at,), rule)
        for word in ("stay", "check", "", good.word.upper(), {"stay": 10}, {"exchange": "As Ks"}):
            wrong = [*chosen[:number], word, *chosen[number + 1 :]]
            name = next(iter(word)) if isinstance(word, dict) else word
            yield Kind(
                f"decision {number + 1}: {word!r}", changed(good.record, *path, to=wrong), (at, repr(name)), rule
            )
        for amount in (1, 15, 10**9, 0, -10):
            wrong = [*chosen[:number], {good.word: amount}, *chosen[number + 1 :]]
            yield Kind(
                f"decision {number + 1}: {amount}", changed(good.record, *path, to=wrong), (at, str(amount)), rule
            )
        for word in (7, None, [], {}, {good.word: "10"}, {good.word: 1.5}, {"a": 1, "b": 2}):
            wrong = [*chosen[:number], word, *chosen[number + 1 :]]
            yield Kind(f"decision {number + 1}: {word!r}", changed(good.record, *path, to=wrong), (at, "decisions"))
    more = changed(good.record, *path, to=[*chosen, "fold"])
    yield Kind("one decision too many", more, (at, "'fold' is one decision too many"), f"{good.chapter}.11(")
    more = changed(good.record, *path, to=["fold", *chosen])
    yield Kind("decisions after a fold", more, (at, "one decision too many"), f"{good.chapter}.11(")


def house(good):
    """Options that are unknown, and values that are not allowed."""
    for option in ("jackpot", "Seats", "", "payout-limit"):
        yield Kind(f"option {option!r}", changed(good.record, "house", to={option: 1}), ("is not known",))
    for option in (*good.record["house"], "seats", "acknowledge"):
        for wrong in ("wrong", -1, 1.5, [], {}):
            record = changed(good.record, "house", to={option: wrong})
            yield Kind(f"{option} is {wrong!r}", record, (f"house option {option}",))


def seats(good):
    """Seats that no table has."""
    for number in ("0", "8", "01", "-1", "1.0", "one", "", "١"):
        record = changed(good.record, "seats", number, to=good.at)
        yield Kind(f"seat {number!r}", record, ("a seat is a number from 1 to 7",))
    yield Kind("no seats", changed(good.record, "seats", to={}), ("seats",))
    yield Kind("a seat as list", changed(good.record, "seats", good.seat, to=[]), (f"seat {good.seat}",))
    fewer = changed(good.record, "house", to={"seats": int(good.seat) - 1})
    yield Kind("more seats than the table has", fewer, (f"seat {good.seat}", "not a seat"), f"{good.chapter}.7")
