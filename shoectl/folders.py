"""Where files of this user lie: journals, logs, sockets."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def state_folder() -> Path:
    """Journals and logs: $STATE_DIRECTORY of a service, else the XDG state home (0700).

    A home that cannot be written to gets a folder of its own under the temporary directory.
    """
    service = os.environ.get("STATE_DIRECTORY")
    xdg = os.environ.get("XDG_STATE_HOME")
    folder = Path(service) if service else (Path(xdg) if xdg else Path.home() / ".local" / "state") / "shoectl"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="shoectl-"))
    return folder


def socket_path() -> Path:
    """Where a daemon listens that was not told where: $RUNTIME_DIRECTORY or $XDG_RUNTIME_DIR, or the state folder."""
    service, session = os.environ.get("RUNTIME_DIRECTORY"), os.environ.get("XDG_RUNTIME_DIR")
    if service:
        return Path(service) / "table.sock"
    if session and os.access(session, os.W_OK):
        return Path(session) / "shoectl.sock"
    return state_folder() / "table.sock"
