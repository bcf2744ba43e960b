"""What the command line of `shoectl run` asks for, and the files that the table then has."""

from __future__ import annotations

import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.folders import file_of, state_folder
from shoectl.table_files import JOURNAL, journal_of, socket_of

Dealer = Literal["simulated", "console"]


@dataclass(frozen=True)
class Wish:
    """What the command line asks for."""

    config: Path | None
    sim: bool
    game: str | None
    rounds: int | None
    seed: int | None
    speed: str | None
    devices: str
    dealing: str | None
    faults: tuple[str, ...]
    truth: Path | None
    journal: Path | None
    socket: Path | None
    dealer: Dealer | None
    as_json: bool
    no_console: bool


@dataclass(frozen=True)
class Files:
    """What a table writes: its journal, its socket, and a log while a picture fills the terminal."""

    journal: Path
    socket: Path
    log: Path | None


def files_of(wish: Wish, config: Config, say: Callable[[str], None]) -> Files:
    """Where the files of a table lie. A simulated one needs no state folder that can be written: what it has instead is
    said. Raises BadInput.
    """
    try:
        return _files_in(state_folder, wish, config)
    except BadInput as error:
        if not wish.sim:
            raise
        instead = Path(tempfile.mkdtemp(prefix="shoectl-"))
        say(f"{error}; this simulated table is kept in {instead}")
        return _files_in(lambda: instead, wish, config)


def _files_in(home: Callable[[], Path], wish: Wish, config: Config) -> Files:
    log = None if wish.as_json or not sys.stdout.isatty() else home() / "shoectl.log"
    socket = wish.socket or socket_of(config, home)
    if wish.journal or not wish.sim:
        return Files(wish.journal or journal_of(config, home), socket, log)
    name = f"sim-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    return Files(home() / file_of(name, JOURNAL), socket, log)
