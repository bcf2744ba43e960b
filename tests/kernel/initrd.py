"""The guest's files as an initial root file system (cpio, `newc`), everything in it root's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

_HEAD = "070701" + "{:08X}" * 13
_ALIGN = 4


def write(file: BinaryIO, folder: Path, at: str = "", leave: Iterable[str] = ()) -> None:
    """Append an archive of a folder, whose files come to lie below `at`; the kernel reads one archive after another."""
    number = 1
    prefix = at.strip("/")
    for part in _parents(prefix):
        _member(file, part, stat.S_IFDIR | 0o755, b"", 0, number)
        number += 1
    for path in _walk(folder, frozenset(leave)):
        told = path.lstat()
        name = str(Path(prefix) / path.relative_to(folder))
        if stat.S_ISLNK(told.st_mode):
            data = os.readlink(path).encode()
        else:
            data = path.read_bytes() if stat.S_ISREG(told.st_mode) else b""
        _member(file, name, told.st_mode, data, int(told.st_mtime), number)
        number += 1
    _member(file, "TRAILER!!!", 0, b"", 0, 0)


def _parents(name: str) -> list[str]:
    parts = Path(name).parts
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _walk(folder: Path, leave: frozenset[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in leave:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, leave)


def _member(file: BinaryIO, name: str, mode: int, data: bytes, mtime: int, number: int) -> None:
    told = name.encode() + b"\0"
    head = _HEAD.format(number, mode, 0, 0, 1, mtime, len(data), 0, 0, 0, 0, len(told), 0).encode()
    file.write(_padded(head + told) + _padded(data))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGN)
