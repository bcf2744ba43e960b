"""Writing a journal: append, then flush, and only then may anything leave."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

from shoectl.errors import BadInput, DeviceFailed
from shoectl.journal import file
from shoectl.journal.chain import GENESIS, Entry, inner_digest, link_of, salt_of, to_bytes
from shoectl.journal.clock import Clock, Moment, doubt
from shoectl.journal.reader import check_chain, read_entries
from shoectl.journal.upgrade import is_due, upgrade

_INSERT = "INSERT INTO entry (n, kind, wall, mono, boot, body, link) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"


class JournalUnavailable(DeviceFailed):
    """Nothing can be written at the moment (disk full, disk gone): nothing may be taken and nothing may move."""


class Journal:
    """The one writer of a journal.

    `append` numbers an entry and chains it, in memory; `flush` makes all that was appended durable. What was appended
    and not flushed is lost in a crash, as if it had never been. One task appends and flushes at a time.
    """

    def __init__(self, path: Path, base: sqlite3.Connection, lock: int, *, threaded: bool, clock: Clock) -> None:
        self.path = path
        self.key = file.key_of(base)
        self._base = base
        self._lock = lock
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal") if threaded else None
        self._pending: list[Entry] = []
        self._closed = False
        self._newest = self._last()  # the newest durable entry
        self._identity = file.identity(path)
        file.WRITTEN_HERE.add(self._identity)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        key: bytes | None = None,
        threaded: bool = True,
        durable: bool = True,
        clock: Clock | None = None,
    ) -> Self:
        """Open a journal for writing; a new one is made where there is no file, with mode 0600.

        `key` is for a new file (tests); without `threaded` a flush is made in the caller's own thread (virtual time);
        without `durable` nothing survives a power cut (tests, measurements).
        Raises BadInput: another process writes it (named), no journal, damaged, newer. Nothing was written then.
        """
        path = Path(path)
        if path.exists() and not is_due(path):
            file.check(path)
        lock = _take_lock(path)
        try:
            if path.exists():
                upgrade(path)
                file.check(path)
            else:
                file.create(path, key)
            _own(path)
            base = file.connect(path, writes=True, durable=durable)
            try:
                _try(base, path)
                return cls(path, base, lock, threaded=threaded, clock=clock or Clock())
            except sqlite3.Error as error:
                base.close()
                raise file.Damaged(f"journal {path}: it cannot be read ({error}); restore a copy") from None
            except BaseException:
                base.close()
                raise
        except BaseException:
            os.close(lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what is there

    @property
    def last(self) -> int:
        """The number of the last entry, flushed or not; 0 in an empty journal."""
        return self._pending[-1].n if self._pending else self.head[0]

    @property
    def head(self) -> tuple[int, bytes]:
        """Number and link of the last durable entry: the only chain value that may leave."""
        return (0, GENESIS) if self._newest is None else (self._newest.n, self._newest.link)

    def tail(self) -> list[Entry]:
        """The durable entries from the last `round` on (all, if there is none), their chain proven.

        Raises Broken where they were changed.
        """
        row = self._base.execute("SELECT max(n) FROM entry INDEXED BY rounds WHERE kind = 'round'").fetchone()
        first = int(row[0] or 1)
        previous = next(read_entries(self._base, first - 1, first - 1)).link if first > 1 else GENESIS
        return list(check_chain(read_entries(self._base, first), self.key, previous))

    def newest(self, kind: str, most: int, holding: str = "") -> Iterator[Entry]:
        """Durable entries of one kind, newest first, at most so many; only those in whose stored body a text stands."""
        query = (
            "SELECT n FROM entry WHERE kind = CAST(? AS TEXT) AND instr(body, CAST(? AS TEXT)) ORDER BY n DESC LIMIT ?"
        )
        for (n,) in self._base.execute(query, (kind, holding, most)).fetchall():
            yield from read_entries(self._base, n, n)

    def number_for(self, text: str, most: int) -> int:
        """A number from 1 to `most` that is this journal's own for a text, and another journal's most likely not."""
        digest = hashlib.sha256(self.key + text.encode()).digest()
        return int.from_bytes(digest[:8], "big") % most + 1

    # writing

    def append(self, kind: str, body: Mapping[str, Any]) -> Entry:
        """Number an entry and chain it. It is not durable before `flush` has returned."""
        wall, mono = self._clock.wall(), self._clock.mono()
        before = self._pending[-1] if self._pending else self._newest
        then = None if before is None else Moment(before.wall, before.mono, before.boot)
        if odd := doubt(Moment(wall, mono, self._clock.boot), then):
            self._chain("note", {"text": odd}, wall, mono)
        return self._chain(kind, body, wall, mono)

    def _chain(self, kind: str, body: Mapping[str, Any], wall: int, mono: int) -> Entry:
        n, previous = (self._pending[-1].n, self._pending[-1].link) if self._pending else self.head
        raw, boot = to_bytes(body), self._clock.boot
        inner = inner_digest(salt_of(self.key, n + 1), kind, wall, mono, boot, raw)
        entry = Entry(n + 1, kind, raw, wall, mono, boot, link_of(previous, inner))
        self._pending.append(entry)
        return entry

    def forget(self, n: int) -> None:
        """Take back appended entries from number `n` on, which a failed flush left behind; numbering goes on there."""
        self._pending = [entry for entry in self._pending if entry.n < n]

    async def flush(self) -> None:
        """Make everything appended durable; the disk is awaited in a thread.

        A cancellation that comes meanwhile is passed on only when the disk has answered, so that the caller knows
        which of the two it is. Raises JournalUnavailable: nothing of it was written, it is still there to be flushed.
        """
        if not self._pending:
            return
        if self._thread is None:
            self.flush_now()
            return
        batch = list(self._pending)
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._write, batch)
        cancelled = False
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                cancelled = True
        work.result()
        self._written(batch)
        if cancelled:
            raise asyncio.CancelledError

    async def answers(self) -> None:
        """Return once the thread that writes is free: for whoever watches that nothing hangs."""
        if self._thread is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, int)

    def flush_now(self) -> None:
        """The same, at once and in this thread."""
        if self._pending:
            batch = list(self._pending)
            self._write(batch)
            self._written(batch)

    def _write(self, batch: list[Entry]) -> None:
        rows = [(e.n, e.kind, e.wall, e.mono, e.boot, e.raw, e.link) for e in batch]
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany(_INSERT, rows)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
            raise JournalUnavailable(f"journal {self.path} cannot be written: {error}") from None

    def _written(self, batch: list[Entry]) -> None:
        self._newest = batch[-1]
        del self._pending[: len(batch)]

    def _last(self) -> Entry | None:
        row = self._base.execute("SELECT max(n) FROM entry").fetchone()
        return None if row[0] is None else next(read_entries(self._base, row[0], row[0]))

    # the end

    def close(self) -> None:
        """Flush and close. Raises JournalUnavailable if that is not possible; closed all the same."""
        try:
            if not self._closed:
                if self._thread is not None:
                    self._thread.shutdown(wait=True)  # a flush that nobody awaited any more may be under way
                    self._newest = self._last()
                    self._pending = [entry for entry in self._pending if entry.n > self.head[0]]
                self.flush_now()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close without a flush: what was not durable is gone, as in a crash."""
        if not self._closed:
            self._closed = True
            self._pending.clear()
            if self._thread is not None:
                self._thread.shutdown(wait=True)
            self._base.close()
            file.WRITTEN_HERE.discard(self._identity)
            os.close(self._lock)


def _own(path: Path) -> None:
    """Mode 0600, before SQLite makes the files beside it with the same mode."""
    try:
        os.chmod(path, 0o600)
    except OSError as error:
        raise BadInput(f"journal {path}: {(error.strerror or str(error)).lower()}") from None


def _try(base: sqlite3.Connection, path: Path) -> None:
    """Whether entries can be written, found out before anybody relies on it. Raises BadInput."""
    try:
        base.execute("BEGIN IMMEDIATE")
        base.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        raise BadInput(f"journal {path}: it cannot be written ({error})") from None


def _take_lock(path: Path) -> int:
    """Lock the file beside the journal (closing the journal itself would drop SQLite's own locks on it)."""
    beside = path.with_name(path.name + "-lock")
    try:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadInput(f"journal {path}: {(error.strerror or str(error)).lower()}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
        os.close(lock)
        raise BadInput(f"journal {path}: process {pid or '(unknown)'} writes it, and only one may") from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock
