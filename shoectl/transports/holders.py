"""Who holds a port that we cannot have."""

from __future__ import annotations

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
        if found and (int(found[2], 16), int(found[3], 16), int(found[4])) == wanted and int(found[1]) > 0:
            return int(found[1])
    return None


def opened_by(node: str) -> int | None:
    """The pid of another process that has a device node open, as far as we are allowed to see."""
    target = os.path.realpath(node)
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            if any(os.readlink(entry) == target for entry in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            continue  # gone, or not ours to look at
    return None


def process_text(pid: int | None) -> str:
    """`pid 123 (ModemManager)`, or that another program holds it where no pid is known."""
    if pid is None:
        return "another program"
    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"pid {pid}"
    return f"pid {pid} ({name})"
