"""Card bytes of the wire and cards of the table. The one place where the two meet."""

from __future__ import annotations

from protocols.vocabulary import card_byte, card_text, is_face
from shoectl.cards import STANDARD, Card

_BYTE = {card: card_byte(str(card)) for card in STANDARD}
_CARD = {byte: card for card, byte in _BYTE.items()}


def card_of(byte: int) -> Card | None:
    """The card of a card byte; None where it names none of the 52: unreadable, no reader, cut card, joker, foreign."""
    return _CARD.get(byte)


def byte_of(card: Card) -> int:
    """The card byte of a card."""
    return _BYTE[card]


def said_of(byte: int) -> str:
    """What the reader said, in words, where it named no card of the 52: `unreadable`, `joker 1`, `foreign`."""
    if is_face(byte) and byte in _CARD:
        return "a card"  # never the face: this text may go anywhere
    try:
        return card_text(byte)
    except ValueError:
        return f"undefined card byte {byte:02X}"
