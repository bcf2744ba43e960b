"""Somebody who tries all 52 cards against the hashes that leave the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from protocols.vocabulary import card_byte, is_face
from shoectl.cards import STANDARD
from shoectl.journal import Entry
from shoectl.journal.chain import inner_digest, salt_of
from shoectl.mqtt.outbox import name_of

FACE = re.compile(r"\b[2-9TJQKA][shdc]\b")
BYTE = re.compile(r'"card":(\d+)')
FACES = tuple(map(str, STANDARD))
NEAR = 4  # published salts that are tried, of those nearest to the entry


@dataclass
class Guessed:
    """Hidden cards tried, guesses made, and those that were right. `sound`: cards that are found by one who knows the
    salt, a check that the guesses are made as the digests are.
    """

    cards: int = 0
    made: int = 0
    right: int = 0
    sound: int = 0


def guessed(messages: Sequence[Mapping[str, Any]], entries: Sequence[Entry], key: bytes) -> Guessed:
    """Every card of every hidden entry, tried with all 52 by somebody who knows all of that entry but the card and the
    salt, its times too. He tries no salt, and whatever was published that could be one.
    """
    found, told = Guessed(), {one["seq"]: one for one in messages}
    for seq, one in sorted(told.items()):
        if one["kind"] != "hidden":
            continue
        entry = entries[seq - 1]
        digests = {bytes.fromhex(one["inner"]), bytes.fromhex(one["link"])}
        salts = [b"", *_published(told, seq), name_of(key).encode(), seq.to_bytes(8, "big")]
        for bodies in _bodies(entry.raw.decode()):
            found.cards += 1
            for body in bodies:
                known = (entry.kind, entry.wall, entry.mono, entry.boot, body)
                found.made += len(salts)
                found.right += any(inner_digest(salt, *known) in digests for salt in salts)
                found.sound += inner_digest(salt_of(key, seq), *known) in digests
    return found


def _bodies(raw: str) -> Iterator[list[bytes]]:
    """For each card that a body names, the body with each of the 52 in its place."""
    for one in sorted(set(FACE.findall(raw))):
        yield [re.sub(rf"\b{one}\b", face, raw).encode() for face in FACES]
    for read in sorted(set(BYTE.findall(raw))):
        if is_face(int(read)):
            yield [re.sub(rf'"card":{read}\b', f'"card":{card_byte(face)}', raw).encode() for face in FACES]


def _published(told: Mapping[int, Mapping[str, Any]], seq: int) -> Iterator[bytes]:
    """Salts and links of the entries around."""
    near = sorted(told.keys() & set(range(seq - 40, seq + 41)), key=lambda n: abs(n - seq))
    salts = (bytes.fromhex(told[n]["salt"]) for n in near if "salt" in told[n])
    yield from islice(salts, NEAR)
    if seq - 1 in told:
        yield bytes.fromhex(told[seq - 1]["link"])
