"""Journals to read and to damage."""

from __future__ import annotations

from pathlib import Path

from shoectl.journal import Entry, Journal, Reader, verify

KEY = b"k" * 32


def write(path: Path, count: int = 40) -> Path:
    with Journal.open(path, key=KEY, threaded=False) as journal:
        for n in range(count):
            journal.append("round" if n % 10 == 0 else "note", {"number": n, "text": "Kreuz König ♣"})
            if n % 3 == 0:
                journal.flush_now()
    return path


def said(path: Path) -> list[Entry]:
    """All entries of a journal that is found whole and right."""
    with Reader(path, whole=False) as reader:
        verify(reader)
    with Reader(path) as reader:
        return list(reader.entries())
