"""Reading a journal, while a daemon writes it or not, and proving its chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from shoectl.errors import CheckFailed
from shoectl.journal import file
from shoectl.journal.chain import GENESIS, Entry, Salted, inner_digest, link_of, salt_of

_COLUMNS = "n, kind, wall, mono, boot, body, link"
# what comes of making use of an entry that does not say what its kind should, or says it as another version does
NOT_UNDERSTOOD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
BATCH = 500  # rows at a time: no read transaction stays open, so the log beside the file does not grow


class Broken(CheckFailed):
    """The chain does not hold. `n` is the first bad entry."""

    def __init__(self, n: int, why: str) -> None:
        super().__init__(f"entry {n}: {why}")
        self.n = n
        self.why = why


@contextmanager
def understood(n: int) -> Iterator[None]:
    """What an entry says is made use of in the block. Raises Broken where it does not say what its kind should: its
    writer was no shoectl, or a faulty one, whatever its link says.
    """
    try:
        yield
    except NOT_UNDERSTOOD as error:
        raise Broken(n, f"does not say what an entry of its kind should ({type(error).__name__})") from error


class Reader:
    """A journal opened for reading. Writes nothing, holds nobody up.

    A damaged one opens only where it need not be `whole`. Raises BadInput, Damaged.
    """

    def __init__(self, path: Path, *, whole: bool = True) -> None:
        file.check(path, whole=whole)
        self.path = path
        self._base = file.connect(path, writes=False, whole=whole)
        try:
            self.key = file.key_of(self._base)
        except sqlite3.Error as error:
            self._base.close()
            raise file.Damaged(f"journal {path}: it cannot be read ({error}); restore a copy") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        self._base.close()

    def count(self) -> int:
        """How many entries there are."""
        try:
            row = self._base.execute("SELECT max(n) FROM entry").fetchone()
        except sqlite3.Error as error:
            raise Broken(1, f"cannot be counted ({error})") from None
        return int(row[0] or 0)

    def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        """Entries in order, from `first` to `last`. Raises Broken where the file itself is damaged."""
        yield from read_entries(self._base, first, last)

    def latest(self, before: int) -> int:
        """The latest wall time of all entries before a number, in µs; 0 where there are none."""
        row = self._base.execute("SELECT max(wall) FROM entry WHERE n < ?", (before,)).fetchone()
        return int(row[0] or 0)

    def rounds(self) -> list[int]:
        """The numbers of the entries that open a round, in order: round k of the file begins at the k-th."""
        rows = self._base.execute("SELECT n FROM entry INDEXED BY rounds WHERE kind = 'round' ORDER BY n")
        return [int(n) for (n,) in rows]

    def salted(self, entry: Entry) -> Salted:
        """An entry with the salt that opens it."""
        salt = salt_of(self.key, entry.n)
        return Salted(entry, salt, inner_digest(salt, entry.kind, entry.wall, entry.mono, entry.boot, entry.raw))


def read_entries(base: sqlite3.Connection, first: int, last: int | None = None) -> Iterator[Entry]:
    """Entries of a connection in order, those written meanwhile too. Raises Broken naming the first that is bad."""
    due = first
    while last is None or due <= last:
        most = BATCH if last is None else min(BATCH, last - due + 1)
        try:
            rows = base.execute(f"SELECT {_COLUMNS} FROM entry WHERE n >= ? ORDER BY n LIMIT ?", (due, most)).fetchall()
        except sqlite3.Error:
            rows, most = _one(base, due), 1  # something in this batch: find out which
        for row in rows:
            yield _entry(row, due)
            due += 1
        if len(rows) < most:
            return


def _one(base: sqlite3.Connection, due: int) -> list[tuple[object, ...]]:
    try:
        return base.execute(f"SELECT {_COLUMNS} FROM entry WHERE n >= ? ORDER BY n LIMIT 1", (due,)).fetchall()
    except sqlite3.Error as error:
        raise Broken(due, f"cannot be read ({error})") from None


def _entry(row: tuple[object, ...], due: int) -> Entry:
    match row:
        case int(n), bytes(kind), int(wall), int(mono), bytes(boot), bytes(body), bytes(link):
            if n != due:
                raise Broken(due, f"is missing, the next one is {n}")
            try:
                return Entry(n, kind.decode(), body, wall, mono, boot.decode(), link)
            except UnicodeDecodeError:
                raise Broken(due, "holds text that is none") from None
        case _:
            raise Broken(due, "holds values of the wrong type")


def check_chain(entries: Iterator[Entry], key: bytes, previous: bytes) -> Iterator[Entry]:
    """The same entries, each after its link was found right. Raises Broken at the first that is not."""
    for entry in entries:
        inner = inner_digest(salt_of(key, entry.n), entry.kind, entry.wall, entry.mono, entry.boot, entry.raw)
        previous = link_of(previous, inner)
        if previous != entry.link:
            raise Broken(entry.n, "was changed: its link does not follow from what it says and from the one before")
        yield entry


def verify(
    reader: Reader, *, pin: tuple[int, bytes] | None = None, seen: Callable[[int], None] = lambda n: None
) -> tuple[int, bytes]:
    """Prove the whole chain. Returns the number of the last entry and its link, for somebody to keep elsewhere.

    `pin`: a number and a link that were kept: a chain that does not pass through them was shortened or made anew.
    `seen` is called with each number, for a progress bar. Raises Broken.
    """
    n, link = 0, GENESIS
    for entry in check_chain(reader.entries(), reader.key, GENESIS):
        n, link = entry.n, entry.link
        if pin is not None and n == pin[0] and link != pin[1]:
            raise Broken(n, "has another link than the one that was kept: the journal was made anew")
        seen(n)
    if pin is not None and pin[0] > n:
        raise Broken(n + 1, f"is missing: {pin[0]} entries were there when the link was kept, {n} are left")
    return n, link
