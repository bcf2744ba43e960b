"""What the bus has to know after a restart, in a file of its own beside the journal, `JOURNAL-bus`.

How far the broker has acknowledged the journal's entries, which commands were taken, and how many lives the daemon had.
It is not in the journal's file: there is one write lock in an SQLite file, and a card must never wait for the bus. A
file that is gone or damaged costs nothing but messages that are sent again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMMANDS_MOST: Final = 20_000  # remembered; the clock alone keeps older ones out, unless it is set back
FORMAT: Final = 1
_SCHEMA: Final = (
    "CREATE TABLE kept (name TEXT PRIMARY KEY, number INTEGER NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE command (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)",
)


@dataclass(frozen=True)
class Cursor:
    """The last entry that the broker has: its number (0: none), and its link, which tells one journal from another."""

    n: int = 0
    link: bytes = b""


class Memory:
    """The file. Every call may touch the disk: from a thread, one at a time. Raises sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._base = _open(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # a full disk, no right: nothing is wrong with the file
                raise
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{path}{end}", f"{path}-damaged{end}")
            self._base = _open(path)

    def close(self) -> None:
        """Close it."""
        self._base.close()

    def cursor(self) -> Cursor:
        """How far the broker was."""
        row = self._base.execute("SELECT number, bytes FROM kept WHERE name = 'cursor'").fetchone()
        return Cursor(int(row[0]), bytes(row[1])) if row else Cursor()

    def keep(self, cursor: Cursor) -> None:
        """Remember how far the broker is."""
        self._set("cursor", cursor.n, cursor.link)

    def next_life(self, now: float) -> int:
        """The number of this life, greater than every earlier one, even if the file was lost (`now`: Unix seconds)."""
        row = self._base.execute("SELECT number FROM kept WHERE name = 'life'").fetchone()
        life = max(int(row[0]) + 1 if row else 1, int(now // 60))
        self._set("life", life)
        return life

    def remember(self, id: str) -> bool:
        """Take a command's id down, durably. False: it was taken before."""
        try:
            with self._base:
                self._base.execute("BEGIN IMMEDIATE")
                n = self._base.execute("INSERT INTO command (id) VALUES (?)", (id,)).lastrowid or 0
                self._base.execute("DELETE FROM command WHERE n <= ?", (n - COMMANDS_MOST,))
        except sqlite3.IntegrityError:
            return False
        return True

    def _set(self, name: str, number: int, value: bytes = b"") -> None:
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, number, value))


def _open(path: Path) -> sqlite3.Connection:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # before SQLite makes the files beside it, with its mode
    except OSError as error:
        raise sqlite3.OperationalError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    base = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)
    try:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        (version,) = base.execute("PRAGMA user_version").fetchone()
        if version == 0:
            base.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA:
                base.execute(statement)
            base.execute(f"PRAGMA user_version = {FORMAT}")
            base.execute("COMMIT")
        elif version != FORMAT:
            raise sqlite3.DatabaseError(f"{path}: it has format {version}")
    except BaseException:
        base.close()
        raise
    return base
