"""Text of one line that holds nothing a terminal, a file name or a topic would act on: no control characters."""

from __future__ import annotations

from typing import Final

PRINTABLE: Final = r"^[^\p{C}\p{Zl}\p{Zp}]*$"
PRINTABLE_WORDS: Final = "letters that can be printed, on one line"


def plain(text: str) -> str:
    """A text with a question mark for each such character, its white space as single spaces."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
