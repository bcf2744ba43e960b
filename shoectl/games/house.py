"""House options: what the sections leave to the house, as named values with a default, alternatives and a source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from shoectl.cards import STANDARD
from shoectl.errors import BadInput

CARD_TEXTS = tuple(map(str, STANDARD))
_READS_AS_OTHER = re.compile(r"|\s.*|.*\s|true|false|[-+\d.].*", re.DOTALL)  # text that is easily taken for no text
Value = bool | int | str | None


class Standing(StrEnum):
    """How well a rule or a paytable is founded."""

    LAW = "law"  # text of the very section
    SIBLING = "sibling"  # text of a sibling chapter or of another state that uses the same wording
    PUBLISHED = "published"  # a casino's or maker's page
    OWN = "the house's own"  # stated by the house in place of a known one
    DEFAULT = "default"  # chosen here, to be replaced once the text is at hand


@dataclass(frozen=True)
class Option:
    """One house option. A value is allowed if it is among `allowed`, or a whole number from `least` to `most`, or
    (`card`) one card.
    """

    name: str
    default: Value
    allowed: tuple[Value, ...]
    meaning: str
    source: str
    standing: Standing = Standing.DEFAULT
    least: int | None = None
    most: int | None = None
    card: bool = False

    @property
    def alternatives(self) -> tuple[Value, ...]:
        """The allowed values other than the default."""
        return tuple(value for value in self.allowed if not _same(value, self.default))

    @property
    def span(self) -> str:
        """What is allowed, in words."""
        words = [show_value(value) for value in self.allowed]
        if self.least is not None:
            words.append(f"a whole number from {self.least}" + (f" to {self.most}" if self.most is not None else ""))
        return ", ".join([*words, "a card such as Ks"] if self.card else words)

    def check(self, value: object) -> Value:
        """The value, if it is allowed; JSON's null is the word none. Raises BadInput naming the option and what is
        allowed.
        """
        if value is None and "none" in self.allowed:
            return "none"
        for candidate in self.allowed:
            if _same(candidate, value):
                return candidate
        if (
            self.least is not None
            and type(value) is int
            and value >= self.least
            and (self.most is None or value <= self.most)
        ):
            return value
        if self.card and value in CARD_TEXTS:
            return str(value)
        raise BadInput(f"house option {self.name}: {show_given(value)} is not allowed, allowed are {self.span}")


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other  # True is no 1 here


def show_value(value: object) -> str:
    """A value as a user writes it: true, none, 5, text without quotes where it is a plain word."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "none"
        case str() if value.isascii() and value.isprintable() and len(value) <= 40:
            return value
        case _:
            text = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else "a number that long"
            return text if len(text) <= 60 else text[:57] + "..."


def show_given(value: object) -> str:
    """A value that was given and is refused: text that could be read as a number, a flag or nothing is in quotes."""
    return repr(value)[:60] if isinstance(value, str) and _READS_AS_OTHER.fullmatch(value) else show_value(value)


@dataclass(frozen=True)
class House:
    """The options of one table, each with its value. `dict(house.values)` is JSON, and `Game.house` takes it back."""

    values: tuple[tuple[str, Value], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", dict(self.values))

    def __getitem__(self, name: str) -> Value:
        by_name: dict[str, Value] = self._by_name  # type: ignore[attr-defined]
        return by_name[name]

    def flag(self, name: str) -> bool:
        """An option that is true or false."""
        return self[name] is True

    def text(self, name: str) -> str:
        """An option that is a word."""
        return str(self[name])

    def number(self, name: str) -> int:
        """An option that is a whole number. Raises BadInput where it is none."""
        value = self[name]
        if type(value) is not int:
            raise BadInput(f"house option {name}: {show_value(value)} is no whole number")
        return value


def make_house(options: Iterable[Option], given: Mapping[str, object]) -> House:
    """All options: those given, the others by default. Raises BadInput for an unknown name or value."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise BadInput(f"house option {show_value(name)} is not known, known are {', '.join(sorted(known))}")
    return House(
        tuple((name, option.check(given[name]) if name in given else option.default) for name, option in known.items())
    )
