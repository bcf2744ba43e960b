"""Who holds a port that we cannot have."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

_LOCK = re.compile(r"^\d+: FLOCK\s+\w+\s+\w+\s+(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) ")


def lock_holder(node: str, locks: Path = Path("/proc/locks")) -> int | None:
    """The pid that holds the advisory lock on a device node; None where the kernel does not say."""
    try:
        told = os.stat(node)
        lines = locks.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    wanted = (os.major(told.st_dev), os.minor(told.st_dev), told.st_ino)
    for line in lines:
        found = _LOCK.match(line)
        if found and (int(found[2], 16), int(found[3], 16), int(found[4])) == wanted:
            pid = int(found[1])
            if pid > 0 and _has_open(Path(f"/proc/{pid}"), node) is not False:
                return pid  # one that has it not open holds the lock of a port that had this number before
    return None


def opened_by(node: str) -> int | None:
    """The pid of another process that has a device node open, as far as we are allowed to see."""
    for process in Path("/proc").glob("[0-9]*"):
        if process.name != str(os.getpid()) and _has_open(process, node):
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


def process_text(pid: int | None) -> str:
    """`pid 123 (ModemManager)`, or that another program holds it where no pid is known."""
    if pid is None:
        return "another program"
    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"pid {pid}"
    return f"pid {pid} ({name})"
