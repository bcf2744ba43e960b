"""The tape: the paragraphs of the game's section of play, and which one the round has come to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Json = Mapping[str, Any]
_LETTER: Final = re.compile(r"\.11\(([a-z])\)")
_DEALT: Final = re.compile(r"\.(8|9|10)$")  # the sections about the deal, which (a) begins with
# steps about whole decks whose rule is a paragraph of the same section in some chapters
_OF_DECKS: Final = ("await_shuffle", "close_shoe", "count", "empty_shoe", "feed_discards", "take_out")
DONE, CURRENT, COMING = "done", "current", ""


@dataclass(frozen=True)
class Paragraph:
    """One paragraph: its letter, what it is about in a word, `done`, `current` or neither."""

    letter: str
    word: str
    state: str


def letter_of(step: Json) -> str:
    """The paragraph of the section of play that a step belongs to; empty for what comes before, or beside it."""
    if _DEALT.search(step["rule"]) and step["do"] in ("deal", "deal_by_hand", "announce", "reveal", "rack_stub"):
        return "a"
    if step["do"] in _OF_DECKS:
        return ""
    found = _LETTER.search(step["rule"])
    return found.group(1) if found else ""


def tape(words: Sequence[str], view: Json) -> tuple[Paragraph, ...]:
    """The paragraphs of a game's section; empty before the deal and after the round, when the deck is handled."""
    letters = [chr(ord("a") + at) for at in range(len(words))]
    asked = [one["step"] for one in view["record"]] + ([view["step"]] if view["step"] else [])
    begun = next((at for at, step in enumerate(asked) if step["do"] == "wagers"), len(asked))
    passed = [letter for step in asked[begun + 1 :] if (letter := letter_of(step)) in letters]
    if not passed or (view["step"] and view["step"]["do"] == "wagers"):
        return ()
    now = passed[-1]
    return tuple(
        Paragraph(letter, word, CURRENT if letter == now else DONE if letter < now else COMING)
        for letter, word in zip(letters, words, strict=True)
    )
