"""The golden frames and worked exchanges of `tests/golden`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from protocols.family import Family, families
from protocols.link import Side
from protocols.seal import Keys, derive
from protocols.vector import Secret
from protocols.vocabulary import Identity

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"
FAMILIES = tuple(sorted(path.parent.name for path in (ROOT / "protocols").glob("*/datasheet.py")))
"""Found by listing folders: a new family brings its golden frames and is tried with the others."""


def family(name: str) -> Family:
    return families()[name]


@dataclass(frozen=True)
class Vector:
    family: str
    entry: dict[str, Any]

    @property
    def sender(self) -> Side:
        return Side.HOST if self.entry["direction"] == "h2d" else Side.DEVICE

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.entry["hex"])

    @property
    def session(self) -> str | None:
        """The session that it is part of."""
        name: str | None = self.entry.get("session")
        return name

    @property
    def making(self) -> dict[str, Any]:
        """What `encode_frame` has to be told besides the fields."""
        return {} if self.session is None else {"secret": Secret(keys(self.session))}

    @property
    def reading(self) -> dict[str, Any]:
        """What `decode_frame` has to be told besides the bytes and the sender."""
        last = self.entry.get("last_counter", -1)
        secret = {} if self.session is None else {"secret": Secret(keys(self.session), last)}
        ep = self.entry.get("ep") or self.entry.get("decoded", {}).get("ep")
        return {**secret, **({} if ep is None else {"ep": ep})}

    def __str__(self) -> str:
        return f"{self.family}:{self.entry['name']}"


def vectors(*lists: str) -> list[Vector]:
    found = []
    for name in FAMILIES:
        file = json.loads((GOLDEN / f"{name}.json").read_text())
        found += [Vector(name, entry) for each in lists for entry in file.get(each, [])]
    return found


def plain(*lists: str) -> list[Vector]:
    return [vector for vector in vectors(*lists) if vector.session is None]


@cache
def security() -> dict[str, dict[str, Any]]:
    """The sessions of the golden frames: keys, nonces, and what has to come out of them."""
    file: dict[str, dict[str, Any]] = json.loads((GOLDEN / "security.json").read_text())
    return file


def identity(entry: dict[str, Any]) -> Identity:
    """Whose session it is."""
    numbers = {name: entry[name] for name in ("family", "boot", "epoch", "key_id", "serial")}
    blank = {"proto": 1, "hw_rev": 2, "flags": 3, "caps": 0x1FFF, "fw_sha256": "00" * 32}
    return Identity.of({**blank, "maker": "Example Works", "model": "x", "fw_version": "1", **numbers})


@cache
def keys(session: str) -> Keys:
    """The keys of a session of the golden frames, derived from its secret."""
    entry = security()[session]
    nonces = (bytes.fromhex(entry["nonce_h"]), bytes.fromhex(entry["nonce_d"]))
    return derive(bytes.fromhex(entry["key"]), identity(entry), entry["level"], entry["session"], *nonces)


@dataclass(frozen=True)
class Line:
    """One line of a worked exchange: who speaks, the frame, and whether it arrives, or is a host's mistake."""

    speaker: str
    data: bytes
    mark: str = ""


def transcript(name: str) -> Iterator[Line]:
    for line in (GOLDEN / f"{name}.transcript").read_text().splitlines():
        if line.startswith("#"):
            continue
        head, _, rest = line.partition(" ")
        if head == "!":
            yield Line("!", b"", rest)
        else:
            yield Line(head[0], bytes.fromhex(rest), "" if head[1] == ">" else head[1])
