"""A house's own paytable, stated line by line where a letter would stand, and which table a house has chosen.

Stated as an object, `{"7-high": "100:1", ...}`, or as text, `7-high=100:1, ...`; kept as the text. It has the lines of
a known table of its wager, and odds of their kind. What it is worth is for `shoectl odds` to count.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from shoectl.errors import BadInput
from shoectl.games.house import House, Option, Standing, Value, show_value
from shoectl.games.paytables import Odds, Paytable, Paytables

OWN: Final = "own"  # the letter of such a table
SOURCE: Final = "as stated by this house"
MOST_PAID: Final = 10**9  # no line of any table comes near it; more is a slip


@dataclass(frozen=True)
class PaytableOption(Option):
    """The choice of a wager's paytable: the letter of a known one, or lines of the house's own."""

    letters: Mapping[str, Paytable] = field(default_factory=dict, compare=False)

    @property
    def span(self) -> str:
        """What is allowed, in words."""
        return f"{super().span}, or lines of the house's own"

    def check(self, value: object) -> Value:
        """The letter, or the text of an own table in the usual order of its lines. Raises BadInput naming the line."""
        if isinstance(value, Mapping) or (isinstance(value, str) and "=" in value):
            try:
                return as_text({line: str(odds) for line, odds in own_lines(self.letters, value).items()})
            except BadInput as error:
                raise BadInput(f"house option {self.name}: {error.reason}") from None
        return super().check(value)


def paytable_option(tables: Paytables, wager: str, meaning: str) -> Option:
    """The house option by which a table chooses the paytable of a wager; the first in the file is the default."""
    letters = tables[wager]
    first = next(iter(letters.values()))
    return PaytableOption(
        wager, first.letter, tuple(letters), meaning, first.source, first.standing, letters=dict(letters)
    )


def paytable_of(tables: Paytables, house: House, wager: str) -> Paytable:
    """The paytable of a wager that the house has chosen, or has stated itself."""
    chosen = house.text(wager)
    return tables[wager][chosen] if chosen in tables[wager] else _own(wager, chosen)


def own_paytable(wager: str, value: str) -> Paytable | None:
    """The paytable that the value of a house option states; None where it is the letter of a known one."""
    return _own(wager, value) if "=" in value else None


@lru_cache(maxsize=256)
def _own(wager: str, text: str) -> Paytable:
    lines = {line: Odds.parse(odds) for line, odds in _stated(text).items()}
    return Paytable(wager, OWN, lines, SOURCE, Standing.OWN)


def as_text(lines: Mapping[str, str]) -> str:
    """The lines of a table as text: `7-high=100:1, 8-high=25:1`."""
    return ", ".join(f"{line}={odds}" for line, odds in lines.items())


def own_lines(letters: Mapping[str, Paytable], given: object) -> dict[str, Odds]:
    """The lines of a house's own table, best first. Raises BadInput for a line that is unknown, missing or named twice,
    for odds of a kind that this wager does not know, and for a line that pays more than a better one.
    """
    stated = _stated(given)
    like = max(letters.values(), key=lambda table: len(table.lines.keys() & stated) - len(table.lines.keys() - stated))
    for line in stated:
        if line not in like.lines:
            near = difflib.get_close_matches(line, like.lines, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"lines are {', '.join(like.lines)}"
            raise BadInput(f"there is no line {show_value(line)}, {meant}")
    for line in like.lines:
        if line not in stated:
            raise BadInput(f"the line {line!r} is missing")
    lines = {line: _odds(line, stated[line], letters) for line in like.lines}
    _check_falling(lines)
    return lines


def _stated(given: object) -> dict[str, str]:
    if isinstance(given, Mapping):
        return {str(line): odds if isinstance(odds, str) else show_value(odds) for line, odds in given.items()}
    found: dict[str, str] = {}
    for part in str(given).split(","):
        line, equals, odds = (word.strip() for word in part.partition("="))
        if not equals or not line:
            raise BadInput(f"{show_value(part.strip())} is no line: LINE=ODDS, LINE=ODDS, ...")
        if line in found:
            raise BadInput(f"the line {show_value(line)} stands there twice")
        found[line] = odds
    return found


def _odds(line: str, text: str, letters: Mapping[str, Paytable]) -> Odds:
    known = [odds for table in letters.values() for odds in table.lines.values()]
    try:
        odds = Odds.parse(text)
    except ValueError:
        odds = None
    if odds is None or _kind(odds) not in map(_kind, known) or odds.pays > _most(odds):
        examples = {_kind(one): str(one) for one in known}
        raise BadInput(f"{line}: {show_value(text)} is no odds of this wager, such as {', '.join(examples.values())}")
    return odds


def _most(odds: Odds) -> int:
    """What a line may pay at most: a meter is not paid out more than once."""
    return odds.on if odds.meter else MOST_PAID


def _kind(odds: Odds) -> tuple[bool, bool, bool, str, int]:
    """What odds are like. Those on more than one unit would not always pay a whole amount, so they are a kind too."""
    return odds.push, odds.for_one, odds.fixed, odds.meter, odds.on


def _check_falling(lines: Mapping[str, Odds]) -> None:
    """Each line pays as much as the next one or more; a share of a meter is compared with others of that meter only."""
    least: dict[tuple[bool, str], tuple[str, Odds]] = {}
    for line, odds in lines.items():
        kind = (odds.fixed, odds.meter)
        better = least.get(kind)
        if better is not None and odds.value > better[1].value:
            raise BadInput(f"the lines do not fall: {line} pays {odds}, {better[0]} above it {better[1]}")
        least[kind] = line, odds
