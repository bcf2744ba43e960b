"""The journal's entries as messages. Nothing is queued: what waits to be sent is what lies behind the cursor.

Every entry becomes one message, so a listener sees by `seq` that nothing is missing. One that holds a face goes as its
salted digest alone (`table/visibility.py` says which): the chain can be checked over it, and it cannot be opened.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shoectl.journal import Reader, Salted, understood
from shoectl.mqtt.memory import Cursor
from shoectl.table.visibility import may_leave

BATCH: Final = 64  # entries read at a time: what a backlog takes of memory, however long it is
WINDOW: Final = 16  # messages under way; brokers take 20 where they are not told otherwise
# Entries sent again at each connection: a broker that was killed may have lost what it had acknowledged just before.
OVERLAP: Final = 64


@dataclass(frozen=True)
class Outgoing:
    """A message: the entry's number and link, and the payload."""

    cursor: Cursor
    payload: bytes


def name_of(key: bytes) -> str:
    """A journal's public name: made of its key, which it does not give away. Salts are made of eight bytes, this is of
    more.
    """
    return hmac.digest(key, b"name of this journal", "sha256").hex()[:16]


def message_of(salted: Salted, journal: str) -> bytes:
    """An entry as everybody may have it (`payloads.Event`, `payloads.HiddenEvent`).

    The body goes in as it was hashed, byte for byte. Raises Broken where it is none.
    """
    entry = salted.entry
    with understood(entry.n):
        opens = may_leave(entry.kind, entry.body)
    told = {"seq": entry.n, "journal": journal, "kind": entry.kind if opens else "hidden"}
    if not opens:
        return _json(told | {"inner": salted.inner.hex(), "link": entry.link.hex()})
    told |= {"wall": entry.wall, "mono": entry.mono, "boot": entry.boot}
    told |= {"salt": salted.salt.hex(), "link": entry.link.hex()}
    return _json(told)[:-1] + b',"body":' + entry.raw + b"}"


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


class Outbox:
    """The entries of a journal behind a cursor. Reads by a connection of its own. Raises BadInput, Broken."""

    def __init__(self, path: Path) -> None:
        self._reader = Reader(path)
        self.journal = name_of(self._reader.key)

    def close(self) -> None:
        """Close it."""
        self._reader.close()

    def after(self, n: int, most: int = BATCH) -> list[Outgoing]:
        """The next messages after entry `n`, at most so many; none where there is nothing new."""
        return [
            Outgoing(Cursor(entry.n, entry.link), message_of(self._reader.salted(entry), self.journal))
            for entry in self._reader.entries(n + 1, n + most)
        ]

    def fits(self, cursor: Cursor) -> Cursor:
        """The cursor, if it lies on this journal's chain; else one at the beginning.

        A journal that was put back from a copy has other entries under numbers that were sent already.
        """
        found = next(self._reader.entries(cursor.n, cursor.n), None) if cursor.n else None
        return cursor if found is not None and found.link == cursor.link else Cursor()
