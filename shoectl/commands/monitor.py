"""`shoectl monitor`: the running table, live, as its daemon tells it through the local socket."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.live import Live

from shoectl.config import load
from shoectl.errors import DeviceFailed
from shoectl.socket_client import follow
from shoectl.table_files import socket_to_reach
from shoectl.terminal import Lines
from shoectl.terminal_picture import Frame, picture

AGAIN_S: Final = 1.0


@click.command()
@click.option("--config", type=click.Path(path_type=Path), help="The table's configuration, for its socket.")
@click.option("--socket", type=click.Path(path_type=Path), help="The daemon's socket.")
@click.option("--wait", is_flag=True, help="Wait for a daemon that is not there (yet, or any more).")
@click.option("--json", "as_json", is_flag=True, help="The public view at each change, one JSON value a line.")
def monitor(config: Path | None, socket: Path | None, wait: bool, as_json: bool) -> None:
    """Show the running table in this terminal, live.

    It shows what everybody at the table may see and changes nothing; Ctrl-C ends it, and the table plays on. Without a
    terminal each step is a line. When the daemon ends, so does this (exit code 3), but with --wait.
    """
    path = socket_to_reach(socket, load(config) if config else None)
    frames = _waiting(path) if wait else _frames(path)
    if as_json:
        for frame in frames:
            click.echo(json.dumps(frame.view))
    elif sys.stdout.isatty():
        _live(frames)
    else:
        lines = Lines()
        for frame in frames:
            for line in lines.news(frame):
                click.echo(line)


def _frames(path: Path) -> Iterator[Frame]:
    for told in follow(path):
        yield _frame(path, told["frame"])
    raise DeviceFailed(f"the daemon at {path} ended")


def _waiting(path: Path) -> Iterator[Frame]:
    said = ""
    while True:
        try:
            for frame in _frames(path):
                said = ""
                yield frame
        except DeviceFailed as error:
            if str(error) != said:
                said = str(error)
                click.echo(f"{said}; waiting for it", err=True)
        time.sleep(AGAIN_S)


def _frame(path: Path, told: dict[str, Any]) -> Frame:
    try:
        return Frame(**told)
    except TypeError:
        raise DeviceFailed(f"the daemon at {path} is of another version") from None


def _live(frames: Iterator[Frame]) -> None:
    console = Console()
    with Live(console=console, screen=True, auto_refresh=False, transient=True) as live:
        for frame in frames:
            live.update(picture(frame, console.size.width, console.size.height), refresh=True)
