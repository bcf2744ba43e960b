"""Who holds a port that we cannot have."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

_LOCK = re.compile(r"^\d+: FLOCK\s+\w+\s+\w+\s+(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) ")


_PROC = Path("/proc")


def lock_holder(node: str, locks: Path | None = None, proc: Path = _PROC) -> int | None:
    """The pid that holds the advisory lock on a device node; None where the kernel does not say."""
    try:
        told = os.stat(node)
        lines = (locks or proc / "locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    wanted = (os.major(told.st_dev), os.minor(told.st_dev), told.st_ino)
    for line in lines:
        found = _LOCK.match(line)
        if found and (int(found[2], 16), int(found[3], 16), int(found[4])) == wanted:
            pid = int(found[1])
            if pid > 0 and _has_open(proc / str(pid), node) is not False:
                return pid  # one that has it not open holds the lock of a port that had this number before
    return None


def opened_by(node: str, proc: Path = _PROC) -> int | None:
    """The pid of another process that has a device node open, as far as we are allowed to see.

    Whoever made a pseudo-terminal is the device behind it, and does not count.
    """
    for process in proc.glob("[0-9]*"):
        if process.name != str(os.getpid()) and _has_open(process, node) and not _made(process, node):
            return int(process.name)
    return None


def _has_open(process: Path, node: str) -> bool | None:
    """Whether a process has a device node open; None where we are not allowed to see it."""
    target = os.path.realpath(node)
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:
        return None
    for descriptor in descriptors:
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.readlink(descriptor) == target:
                return True
    return False


def _made(process: Path, node: str) -> bool:
    """Whether a process has the other end of a pseudo-terminal."""
    found = re.fullmatch(r"/dev/pts/(\d+)", os.path.realpath(node))
    if found is None:
        return False
    for told in (process / "fdinfo").glob("*"):
        with contextlib.suppress(OSError):
            if f"tty-index:\t{found[1]}\n" in told.read_text(encoding="ascii", errors="replace"):
                return True
    return False


def process_text(pid: int | None, proc: Path = _PROC) -> str:
    """`pid 123 (ModemManager)`, or that another program holds it where no pid is known."""
    if pid is None:
        return "another program"
    try:
        name = (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"pid {pid}"
    return f"pid {pid} ({name})"
