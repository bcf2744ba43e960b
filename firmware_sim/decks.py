"""Which cards the simulated deck has: `standard`, changed as in `standard-Qs+As`, or all cards in drawing order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firmware_sim.mechanics import STANDARD, SUPPLY, World
from protocols.vocabulary import card_byte


class BadDeck(ValueError):
    """A deck that cannot be: one line."""


@dataclass(frozen=True)
class DeckSpec:
    """The faces of a deck; `ordered` when they are to come out in just that order."""

    faces: tuple[str, ...] = STANDARD
    ordered: bool = False

    @property
    def bytes(self) -> tuple[int, ...]:
        """The faces as card bytes."""
        return tuple(map(card_byte, self.faces))


def parse_deck(text: str) -> DeckSpec:
    """Read `--deck`. Raises BadDeck."""
    spec = text.strip()
    if spec == "standard":
        return DeckSpec()
    if spec.startswith("standard"):
        return DeckSpec(_changed(text, spec.removeprefix("standard")))
    faces = tuple(_face(text, word) for word in re.findall(r"10.|..|.", re.sub(r"[\s,]", "", spec)))
    if not 1 <= len(faces) <= 60:
        raise BadDeck(f"--deck {text!r}: a deck has 1 to 60 cards, not {len(faces)}")
    return DeckSpec(faces, ordered=True)


def _changed(text: str, changes: str) -> tuple[str, ...]:
    faces = list(STANDARD)
    if not re.fullmatch(r"([-+](10|[^-+10])[^-+0])*", changes):
        raise BadDeck(f"--deck {text!r}: write standard, then -CARD or +CARD for each change, as in standard-Qs+As")
    for sign, word in re.findall(r"([-+])(10.|..)", changes):
        face = _face(text, word)
        if sign == "+":
            faces.append(face)
        elif face in faces:
            faces.remove(face)
        else:
            raise BadDeck(f"--deck {text!r}: {face} is taken out twice")
    return tuple(faces)


def _face(text: str, word: str) -> str:
    face = word.replace("10", "T")
    face = face[:1].upper() + face[1:].lower()
    try:
        card_byte(face)
    except ValueError:
        raise BadDeck(f"--deck {text!r}: {word!r} is no card (rank 2-9 T J Q K A, suit s h d c)") from None
    return face


def lay_out(world: World, faces: Sequence[str], place: str, *, back: str) -> None:
    """The first deck of a table that never had a card. Where a kill broke that off, the next start finishes it."""
    if world.fresh:
        world.set(laying=True)
    if not world.facts.get("laying"):
        return
    world.create(faces[world.made :], back=back, deck=0)
    world.move_all(SUPPLY, place, by=SUPPLY)
    world.set(laying=None)
