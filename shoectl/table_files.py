"""The files that a table makes: where its journal and its local socket lie, and whether they can be made there."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.folders import file_of, runtime_folder, state_folder, unwritable
from shoectl.journal import file as journal_file
from shoectl.journal.upgrade import is_due
from shoectl.socket_client import NAMES_SOCKET, alive, check_length

JOURNAL: Final = ".journal"
SOCKET: Final = ".sock"


def journal_of(config: Config, home: Callable[[], Path] = state_folder) -> Path:
    """The journal of a configured table; if none is named, in the state folder. Raises BadInput as that does."""
    return Path(config.table.journal) if config.table.journal else home() / file_of(config.table.name, JOURNAL)


def socket_of(config: Config, home: Callable[[], Path] = state_folder) -> Path:
    """The local socket of a configured table; if none is named, in the runtime folder, or the state folder without one.

    Raises BadInput as that does.
    """
    if config.table.socket:
        return Path(config.table.socket)
    return (runtime_folder() or home()) / file_of(config.table.name, SOCKET)


def socket_to_reach(named: Path | None, config: Config | None) -> Path:
    """Where the table is that a command means: at a named socket, of a configuration, or the only one that runs.

    Raises BadInput where several run.
    """
    if named is not None or config is not None:
        return named or socket_of(config or Config())
    folder = runtime_folder() or state_folder()
    running = [path for path in sorted(folder.glob(f"*{SOCKET}")) if alive(path)]
    if len(running) > 1:
        raise BadInput(f"several tables run: {', '.join(map(str, running))}; --socket or --config says which")
    return running[0] if running else socket_of(Config())


def check(config: Config) -> list[str]:
    """Whether a table could start with its journal and its socket; what has to be made before, a line each.

    Makes and changes nothing. Raises BadInput.
    """
    home = functools.partial(state_folder, make=False)
    journal, socket = journal_of(config, home), socket_of(config, home)
    check_length(socket)
    why = unwritable(socket.parent) if os.path.lexists(socket.parent) else ""
    if why := "it is a folder" if os.path.isdir(socket) else why:
        raise BadInput(f"{socket}: no socket can be made here: {why}; {NAMES_SOCKET}")
    if not config.table.journal or os.path.lexists(journal.parent):
        check_journal(journal, named=config.table.journal is not None)
        return []
    return [f"table.journal: the folder {journal.parent} is not there yet: without it the table does not start"]


def check_journal(path: Path, *, named: bool = True) -> None:
    """Whether a journal can be gone on with, or a new one be made; in a folder that is there, if it was `named`.

    Raises BadInput.
    """
    folder = path.absolute().parent
    if not os.path.exists(path):
        if named and not folder.is_dir():
            raise BadInput(f"journal {path}: the folder {folder} is not there")
        why = unwritable(folder)
    else:
        if not is_due(path):
            journal_file.check(path)
        why = "" if os.access(path, os.W_OK) else "permission denied"
    if why:
        raise BadInput(f"journal {path}: {why}")
