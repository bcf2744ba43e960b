"""Operator numbers, as persons write them.

A number is compared as a number, and so it is written in one way: digits alone, no zero before them. `0815` is nobody.
Were it taken for 815, an entry, a lock and a signature would have two names for one person; were it another number,
two persons would differ by a zero that nobody sees.
"""

from __future__ import annotations

from typing import Final

NUMBERS: Final = (1, 65535)  # of operators: what devices take
DIGITS_MOST: Final = 9  # of any number that is looked at; a longer one is nobody's
HOW: Final = f"{NUMBERS[0]} to {NUMBERS[1]}, without a zero before it"
NOBODY: Final = 0


def operator_number(text: str) -> int:
    """The number that somebody wrote; NOBODY for any other text."""
    written = text.isascii() and text.isdecimal() and len(text) <= DIGITS_MOST and not text.startswith("0")
    return int(text) if written else NOBODY
