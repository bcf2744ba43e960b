"""Where files of this user lie: journals, logs, sockets. Those of a table bear its name."""

from __future__ import annotations

import os
from pathlib import Path

from shoectl.errors import BadInput


def state_folder(*, make: bool = True) -> Path:
    """Journals and logs: $STATE_DIRECTORY of a service, else the XDG state home; made with mode 0700, unless it is only
    asked whether it could be.

    Raises BadInput where it cannot be made or written: a journal that lay elsewhere would not be found again.
    """
    service = os.environ.get("STATE_DIRECTORY")
    xdg = os.environ.get("XDG_STATE_HOME")
    folder = Path(service) if service else (Path(xdg) if xdg else Path.home() / ".local" / "state") / "shoectl"
    try:
        if make:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        why = unwritable(folder)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    if why:
        told = "$STATE_DIRECTORY" if service else "$XDG_STATE_HOME"
        raise BadInput(f"the state folder {folder} cannot be written: {why}; {told} names another one")
    return folder


def unwritable(folder: Path) -> str:
    """Why nothing can be written into a folder, or where it is not there yet, into what it would be made in."""
    there = next((one for one in (folder, *folder.absolute().parents) if os.path.lexists(one)), folder)
    if not there.is_dir():
        return "not a directory"
    return "" if os.access(there, os.W_OK | os.X_OK) else "permission denied"


def runtime_folder() -> Path | None:
    """Sockets: $RUNTIME_DIRECTORY of a service, else a folder of ours in $XDG_RUNTIME_DIR; None: neither is there."""
    if service := os.environ.get("RUNTIME_DIRECTORY"):
        return Path(service)
    session = os.environ.get("XDG_RUNTIME_DIR")
    return Path(session) / "shoectl" if session and os.access(session, os.W_OK) else None


def file_of(table: str, ending: str) -> str:
    """The name of a table's file, from that of the table."""
    return table.replace("/", "-").replace(" ", "-") + ending
