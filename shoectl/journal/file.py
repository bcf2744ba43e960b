"""The file itself: how it is made, and what must hold before a byte of it is believed or written.

Write-ahead log: a reader never holds up the writer and a backup never stops a round (with a rollback journal one open
reader is enough for "database is locked"), and a commit is one fsync instead of three. `synchronous=FULL` makes each
commit durable. The price: while a daemon runs, or after it was killed, the newest entries lie in `FILE-wal` beside it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from pathlib import Path

from shoectl.errors import BadInput

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x73686F65  # "shoe"
FORMAT = 1
_HEADER = 100
_LOG_HEADER, _FRAME_HEADER = 32, 24

SCHEMA = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE entry (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, wall INTEGER NOT NULL, mono INTEGER NOT NULL, "
    "boot TEXT NOT NULL, body TEXT NOT NULL, link BLOB NOT NULL)",
    # a journal of a year opens as fast as one of an hour: the start reads from the last round on
    "CREATE INDEX rounds ON entry (n) WHERE kind = 'round'",
    "CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry "
    "BEGIN SELECT RAISE(ABORT, 'the journal is append only'); END",
    "CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry "
    "BEGIN SELECT RAISE(ABORT, 'the journal is append only'); END",
)
# Journals that this process writes, as (device, inode). To open and close such a file beside SQLite would drop SQLite's
# own locks on it (POSIX locks are the process's), and the next program that reads it and goes would take the log away.
WRITTEN_HERE: set[tuple[int, int]] = set()
_NAMES = {"meta", "entry", "rounds", "entry_no_update", "entry_no_delete"}


class Damaged(BadInput):
    """A journal of ours that cannot be trusted as a file: cut short, or SQLite cannot read it."""


def check(path: Path, *, whole: bool = True) -> None:
    """Whether a file is a journal that this version can read. Looks only, writes nothing. One that this process writes
    was checked when it was opened, and is not touched.

    Raises BadInput: no such file, no journal, another program's database, a newer format; Damaged if its log was taken
    away, or it is cut short (not asked where it need not be `whole`). A file whose missing pages lie in the log beside
    it is whole: the program was ended, or the disk was full, while the log was carried over.
    """
    try:
        size = path.stat().st_size
        if identity(path) in WRITTEN_HERE:
            return
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise BadInput(f"journal {path}: {(error.strerror or str(error)).lower()}") from None
    if len(header) < _HEADER or not header.startswith(MAGIC):
        raise BadInput(f"journal {path}: this is no journal of shoectl (nor an SQLite file at all)")
    if int.from_bytes(header[68:72], "big") != APPLICATION:
        raise BadInput(f"journal {path}: this is an SQLite file of another program, no journal of shoectl")
    version = int.from_bytes(header[60:64], "big")
    if version != FORMAT:
        do = "use a newer one" if version > FORMAT else "`shoectl run` brings it there"
        raise BadInput(f"journal {path}: it has format {version}, this shoectl reads format {FORMAT} ({do})")
    index = path.with_name(path.name + "-shm")  # made after the log and removed before it
    if index.exists() and not path.with_name(path.name + "-wal").exists():
        raise Damaged(
            f"journal {path}: {path.name}-wal is gone, and the newest entries with it; "
            f"restore it (or remove {index.name} to go on with what is left)"
        )
    page = int.from_bytes(header[16:18], "big")
    page, pages = 65536 if page == 1 else page, int.from_bytes(header[28:32], "big")
    missing = set(range(size // page + 1, pages + 1)) if whole and page else set()
    if missing and not missing <= _logged(path, page):
        raise Damaged(f"journal {path}: it is cut short, {size} bytes of {pages} pages are left; restore a copy")


def format_of(path: Path) -> int | None:
    """The format of a journal; None for what is none. One that this process writes is not touched: it is of this."""
    try:
        if identity(path) in WRITTEN_HERE:
            return FORMAT
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return None
    ours = len(header) == _HEADER and header.startswith(MAGIC) and int.from_bytes(header[68:72], "big") == APPLICATION
    return int.from_bytes(header[60:64], "big") if ours else None


def identity(path: Path) -> tuple[int, int]:
    """Which file this is, by whatever name. Raises OSError."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _logged(path: Path, page: int) -> set[int]:
    """The numbers of the pages in the log beside a journal (SQLite's file format, "The WAL File Format")."""
    try:
        log = path.with_name(path.name + "-wal").read_bytes()
    except OSError:
        return set()
    salts, found = log[16:24], set()
    for at in range(_LOG_HEADER, len(log) - _FRAME_HEADER - page + 1, _FRAME_HEADER + page):
        if log[at + 8 : at + 16] != salts:
            break  # of an earlier log in the same file
        found.add(int.from_bytes(log[at : at + 4], "big"))
    return found


def create(path: Path, key: bytes | None) -> None:
    """Make an empty journal: whole under another name first, so that a crash here leaves no half one."""
    fresh = path.with_name(path.name + "-new")
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    try:
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise BadInput(f"journal {path}: it cannot be made ({error.strerror})") from None
    base = sqlite3.connect(fresh, isolation_level=None)
    with contextlib.closing(base):
        base.execute(f"PRAGMA application_id = {APPLICATION}")
        base.execute(f"PRAGMA user_version = {FORMAT}")
        base.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            base.execute(statement)
        # the key lies in the same file: an export does not carry this table, and who holds the file holds the faces
        base.execute("INSERT INTO meta VALUES ('key', ?)", (key or secrets.token_bytes(32),))
        base.execute("COMMIT")
        base.execute("PRAGMA journal_mode = WAL")
    os.link(fresh, path)  # unlike a rename it never replaces what is there
    fresh.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def connect(path: Path, *, writes: bool, durable: bool = True, whole: bool = True) -> sqlite3.Connection:
    """A connection to a file that was checked. Raises Damaged where SQLite cannot read it or its tables are not ours.

    What need not be `whole` is read as far as it goes.
    """
    uri = f"{path.absolute().as_uri()}?mode={'rw' if writes else 'ro'}"
    base: sqlite3.Connection | None = None
    try:
        base = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5.0)
        base.text_factory = bytes  # damaged text must be reported as a bad entry, not as a codec's error
        if not whole:
            base.execute("PRAGMA writable_schema = ON")  # SQLite's way of saying: read it although pages are missing
        try:
            _check_schema(base, path)
        except sqlite3.OperationalError:
            if writes:
                raise
            base.close()  # a folder that we may not write to holds no log beside it: the file stands still
            base = sqlite3.connect(f"{uri}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
            base.text_factory = bytes
            _check_schema(base, path)
        base.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
    except sqlite3.Error as error:
        if base is not None:
            base.close()
        raise Damaged(f"journal {path}: it cannot be read ({error}); restore a copy") from None
    except BadInput:
        if base is not None:
            base.close()
        raise
    return base


def _check_schema(base: sqlite3.Connection, path: Path) -> None:
    rows = base.execute("SELECT name, sql FROM sqlite_schema").fetchall()
    texts = [[value.decode(errors="replace") if isinstance(value, bytes) else "" for value in row] for row in rows]
    found = {name: sql for name, sql in texts if not name.startswith("sqlite_")}
    if set(found) != _NAMES or set(found.values()) != set(SCHEMA):
        raise Damaged(f"journal {path}: its tables are not those of a journal of shoectl")


def key_of(base: sqlite3.Connection) -> bytes:
    """The key that the salts come from."""
    row = base.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
    return bytes(row[0]) if row else b""
