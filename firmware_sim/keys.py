"""Keys and least security levels of simulated devices, as the command line or a URL says them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from protocols.seal import KEY_SIZE

EVERY = ""
"""Stands for each device that has none of its own."""

KEY_ID_MAX = 0xFFFF_FFFF
_KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_SIZE}}}")
_LEVELS = ("0", "1", "2")

T = TypeVar("T")


class BadKey(ValueError):
    """One line: what is wrong with a key or a level."""


@dataclass(frozen=True)
class Key:
    """A key that is installed in a device, and the number by which a host knows it."""

    id: int
    secret: bytes = field(repr=False)


def key_of(text: str) -> Key:
    """`FILE`, or `FILE:ID` (1 where it is not said). The file holds 64 hexadecimal digits. Raises BadKey."""
    name, _, number = text.rpartition(":")
    if not name or not number.isdecimal():
        name, number = text, "1"
    if not 1 <= int(number) <= KEY_ID_MAX:
        raise BadKey(f"key {text!r}: its number is 1 to {KEY_ID_MAX}")
    try:
        digits = Path(name).read_text(encoding="ascii").strip()
    except OSError as error:
        raise BadKey(f"key {name}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        digits = ""
    if not _KEY.fullmatch(digits):
        raise BadKey(f"key {name}: a key is {2 * KEY_SIZE} hexadecimal digits")
    return Key(int(number), bytes.fromhex(digits))


def level_of(text: str) -> int:
    """The level below which a device says nothing that matters. Raises BadKey."""
    if text not in _LEVELS:
        raise BadKey(f"level {text!r}: there are {', '.join(_LEVELS)}")
    return int(text)


def by_device(text: str) -> tuple[str, str]:
    """`alder=FILE` is for that device (or family), `FILE` for every one: the device, and the rest."""
    name, is_named, rest = text.partition("=")
    return (name.strip().lower(), rest) if is_named and "/" not in name else (EVERY, text)


def for_device(values: Mapping[str, T], name: str, otherwise: T) -> T:
    """What holds for a device: its own, else its family's, else what holds for every one."""
    known = (values[each] for each in (name, name.partition("@")[0], EVERY) if each in values)
    return next(known, otherwise)
