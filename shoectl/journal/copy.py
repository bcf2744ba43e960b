"""A copy of a journal while it is written: whole, proven, and never in the place of another file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from shoectl.errors import BadInput, DeviceFailed
from shoectl.journal import file
from shoectl.journal.reader import Reader, verify


@dataclass(frozen=True)
class Copied:
    """Where a copy lies, and the number and link of its last entry."""

    path: Path
    entries: int
    link: bytes


def copy(path: Path, to: Path, seen: Callable[[int], None] = lambda n: None) -> Copied:
    """Copy a journal to a file that is not there yet, or into a folder, under a name that tells how far it goes.

    SQLite's backup: one moment of the journal, whoever writes it meanwhile. The copy is proven, then named. For a
    process of its own: it computes, and would hold up a table.
    Raises BadInput, Damaged; Broken where the chain does not hold; DeviceFailed where there is no room.
    """
    folder = to if to.is_dir() else to.parent
    if to.exists() and not to.is_dir():
        raise BadInput(f"{to}: there is a file already, and it is not replaced")
    if not folder.is_dir():
        raise BadInput(f"{to}: the folder {folder} is not there")
    part = folder / f".{path.stem}-{os.getpid()}.part"
    with _made(part):
        _copy(path, part)
        with Reader(part) as reader:
            n, link = verify(reader, seen=seen)
        _settle(part)
        name = to if folder == to.parent and not to.is_dir() else folder / name_of(path, n, time.time())
        try:
            os.link(part, name)  # unlike a rename it never replaces what is there
        except FileExistsError:
            raise BadInput(f"{name}: there is a file already, and it is not replaced") from None
    _sync(folder)
    return Copied(name, n, link)


def name_of(path: Path, entries: int, now: float) -> str:
    """A copy's name: whose, up to which entry, when (UTC). By names the copies of a journal are in their order."""
    return f"{path.stem}-{entries:010d}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(now))}.journal"


@contextlib.contextmanager
def _made(part: Path) -> Iterator[None]:
    """An empty file for the block, 0600 from its first moment; it and what SQLite lays beside it go at the end."""
    beside = [part.with_name(part.name + end) for end in ("", "-wal", "-shm", "-journal")]
    for one in beside:
        one.unlink(missing_ok=True)  # of a process of this number that was killed
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield
    except (OSError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DeviceFailed(f"the copy in {part.parent} cannot be written: {why.lower()}") from None
    finally:
        for one in beside:
            with contextlib.suppress(OSError):
                one.unlink()


def _copy(path: Path, part: Path) -> None:
    file.check(path)
    with (
        contextlib.closing(file.connect(path, writes=False)) as source,
        contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target,
    ):
        source.backup(target)


def _settle(part: Path) -> None:
    """The copy is one file, with nothing beside it, and on the disk."""
    with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _sync(part)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
