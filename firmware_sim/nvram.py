"""What a device still knows after a power cut.

Cells by name, changed in transactions: a transaction is one line with its checksum at the end of a log, so it is there
wholly or not at all. The log is rewritten as a second copy beside the first when it has grown. `tear` cuts the
next write in the middle, as a brown-out does.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from firmware_sim.whereabouts import append_whole

_REWRITE_AFTER = 2000
"""Transactions until the log is rewritten: a few hundred kilobytes."""


class PowerCut(Exception):
    """The device lost power in the middle of a write."""


class Cut(StrEnum):
    """How much of a write is kept that a power cut meets."""

    BEFORE = "before"
    TORN = "torn"
    AFTER = "after"


class Medium(Protocol):
    """Where the bytes are kept."""

    def read(self) -> bytes:
        """All of them."""

    def append(self, data: bytes) -> None:
        """Some more."""

    def replace(self, data: bytes) -> None:
        """Other bytes instead, all or none."""


class MemoryMedium:
    """Bytes in memory: they outlive the device, not the process."""

    def __init__(self) -> None:
        self._data = bytearray()

    def read(self) -> bytes:
        """All of them."""
        return bytes(self._data)

    def append(self, data: bytes) -> None:
        """Some more."""
        self._data += data

    def replace(self, data: bytes) -> None:
        """Other bytes instead."""
        self._data = bytearray(data)


class FileMedium:
    """Bytes in a file, one write an append."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def read(self) -> bytes:
        """All of them."""
        return self._path.read_bytes() if self._path.exists() else b""

    def append(self, data: bytes) -> None:
        """Some more. Raises Unwritten."""
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        append_whole(self._file, data, self._path)

    def replace(self, data: bytes) -> None:
        """Other bytes instead, by renaming a second copy over the first."""
        self.close()
        fresh = self._path.with_suffix(".new")
        fresh.write_bytes(data)
        os.replace(fresh, self._path)

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Nvram:
    """Cells that survive. Values are JSON values and are never changed in place."""

    def __init__(self, medium: Medium, cut: Callable[[], Cut | None] = lambda: None) -> None:
        self.medium = medium
        self._cut = cut
        self.torn = False
        self._cells: dict[str, Any] = {}
        self._pending: dict[str, Any] | None = None
        self._written = 0
        self._tear = False
        self._load()

    def get(self, key: str, default: Any = None) -> Any:
        """A cell's value, as the running transaction has it."""
        return self._cells.get(key, default)

    def keys(self, prefix: str) -> list[str]:
        """The cells whose names begin so, in the order of their making."""
        return [key for key in self._cells if key.startswith(prefix)]

    def put(self, key: str, value: Any) -> None:
        """Set a cell, None removes it. Outside a transaction it is one of its own."""
        with self.transaction() as pending:
            pending[key] = value
            if value is None:
                self._cells.pop(key, None)
            else:
                self._cells[key] = value

    @contextmanager
    def transaction(self) -> Iterator[dict[str, Any]]:
        """All changes inside are written together when the outermost one ends. Raises PowerCut where torn."""
        if self._pending is not None:
            yield self._pending
            return
        self._pending = {}
        try:
            yield self._pending
            if self._pending:
                self._write(self._pending)
        finally:
            self._pending = None

    def tear(self) -> None:
        """Cut the next write in the middle."""
        self._tear = True

    def _write(self, changes: dict[str, Any]) -> None:
        line, cut = _seal(changes), self._cut()
        if self._tear:
            self._tear, cut = False, Cut.TORN
        kept = {Cut.BEFORE: 0, Cut.TORN: len(line) // 2}.get(cut, len(line)) if cut else len(line)
        if kept:
            self.medium.append(line[:kept])
        if cut:
            raise PowerCut
        self._written += 1
        if self._written >= _REWRITE_AFTER:
            self.medium.replace(_seal(self._cells))
            self._written = 0

    def _load(self) -> None:
        whole = bytearray()
        for line in self.medium.read().splitlines(keepends=True):
            changes = _unseal(line)
            if changes is None:
                self.torn = True
                break
            whole += line
            for key, value in changes.items():
                if value is None:
                    self._cells.pop(key, None)
                else:
                    self._cells[key] = value
        if self.torn:
            self.medium.replace(bytes(whole))


def _seal(changes: dict[str, Any]) -> bytes:
    text = json.dumps(changes, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _unseal(line: bytes) -> dict[str, Any] | None:
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or check != b"%08x" % zlib.crc32(text):
        return None
    changes: dict[str, Any] = json.loads(text)
    return changes
