"""Keys of devices, for tests."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from firmware_sim.keys import EVERY, Key
from protocols.family import families

SEALED = [(name, level) for name, family in families().items() for level in family.levels if level]
KEY, OTHER = bytes(range(32)), bytes(range(32, 64))


def installed(key: bytes | None, *, id: int = 1, level: int = 0) -> dict[str, Any]:
    """Fields of a simulator's setup: this key, and this least level, in each device."""
    return {"keys": {} if key is None else {EVERY: Key(id, key)}, "levels": {EVERY: level}}


def key_file(path: Path, key: bytes | None = None) -> Path:
    """A file with a key, for its owner alone."""
    path.touch(mode=0o600)
    path.write_text((key or secrets.token_bytes(32)).hex() + "\n")
    return path
