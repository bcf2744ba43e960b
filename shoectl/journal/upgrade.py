"""A journal of an older format, brought to this one when it is opened for writing: after a copy, in one transaction.

Entries are never changed by it: their chain goes on as it was. A round that is open is not touched either; whether it
is played on is decided by its steps, as after any restart.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from shoectl.errors import DeviceFailed
from shoectl.journal import file

Change = Callable[[sqlite3.Connection], None]

# from a format to the next one; there has been one format so far
CHANGES: Final[dict[int, Change]] = {}


def is_due(path: Path) -> bool:
    """Whether a file is a journal of an older format from which there is a way to this one."""
    found = file.format_of(path)
    return found is not None and found < file.FORMAT and all(n in CHANGES for n in range(found, file.FORMAT))


def upgrade(path: Path) -> None:
    """Bring a journal to this format, its lock held. The old one stays beside it as FILE-formatN.

    One for which that is not due is left alone. Raises DeviceFailed where there is no room; it is as it was then.
    """
    found = file.format_of(path)
    if found is None or not is_due(path):
        return
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
            _keep(base, path.with_name(f"{path.name}-format{found}"))
            base.execute("BEGIN IMMEDIATE")
            for number in range(found, file.FORMAT):
                CHANGES[number](base)
            base.execute(f"PRAGMA user_version = {file.FORMAT}")
            base.execute("COMMIT")
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (OSError, sqlite3.Error) as error:
        raise DeviceFailed(f"journal {path}: it cannot be brought to format {file.FORMAT}: {error}") from None


def _keep(base: sqlite3.Connection, kept: Path) -> None:
    """A copy of it, 0600; one that is there is from a try that was cut off, and is made anew."""
    kept.unlink(missing_ok=True)
    os.close(os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.closing(sqlite3.connect(kept, isolation_level=None)) as copy:
        base.backup(copy)
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    descriptor = os.open(kept, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
