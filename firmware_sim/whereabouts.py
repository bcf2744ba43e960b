"""Two files that are only ever appended to: where each card lies (the simulator's own, read again at its next start)
and what happened to each card (the truth file, for tests). One line, one write; a killed simulator has lost nothing.

Where the disk takes no more, the simulator ends as by a power cut: nothing may move that is not written down.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]


class Unwritten(OSError):
    """A file took a line in part or not at all: the disk is full, or gone. The file ends with whole lines."""


def append_whole(file: int, data: bytes, path: Path) -> None:
    """Append all of it, or nothing. Raises Unwritten, which names the file."""
    try:
        sent = os.write(file, data)
        if sent < len(data):
            os.ftruncate(file, os.lseek(file, 0, os.SEEK_END) - sent)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise Unwritten(error.errno, error.strerror, str(path)) from None


def encode(record: Record) -> bytes:
    """One JSON line."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; a last line that was cut off never happened."""
    data = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


COMPACT_AFTER = 50_000
"""Records until the whereabouts are written anew: about ten megabytes."""


class Ledger:
    """The whereabouts. Without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: int | None = None
        self._appended = 0
        self.moves: list[Record] = []

    def load(self) -> list[dict[str, Any]]:
        """What was written before, oldest first; `moves` then holds the movements among it."""
        records = _lines(self._path) if self._path else []
        self.moves = [record["line"] for record in records if record["k"] == "move"]
        return records

    def compact(self, records: Iterable[Record]) -> None:
        """Begin anew with what stands now."""
        if self._path is None:
            return
        self.close()
        self._appended, self.moves = 0, []
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        file = _open(fresh)  # it tells the order of every deck: nobody else may read it
        with os.fdopen(file, "wb") as new:
            new.write(b"".join(encode(record) for record in records))
        os.replace(fresh, self._path)
        self._file = _open(self._path)

    def append(self, record: Record) -> None:
        """One record, one write. Raises Unwritten."""
        if self._file is not None and self._path is not None:
            append_whole(self._file, encode(record), self._path)
            self._appended += 1

    @property
    def grown(self) -> bool:
        """Whether it is time to write the whereabouts anew."""
        return self._appended >= COMPACT_AFTER

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Truth:
    """The truth file. Without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = None if path is None else _open(path)

    def complete(self, moves: Iterable[Record]) -> None:
        """Add what a kill kept from being written between the whereabouts and here; an empty file stays empty."""
        if self._path is None or not (lines := _lines(self._path)):
            return
        for line in moves:
            if line["n"] > lines[-1]["n"]:
                self.append(line)

    def append(self, line: Record) -> None:
        """One movement, one write. Raises Unwritten."""
        if self._file is not None and self._path is not None:
            append_whole(self._file, encode(line), self._path)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
