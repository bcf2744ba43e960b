"""What a shell completes beside commands and options: games, kinds of hands, families, devices, faults.

A shell waits for it at each key, so each asks for no more than it needs, and one that cannot be answered is empty.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Final

import click
from click.shell_completion import CompletionItem

PATIENCE_S: Final = 5.0  # for the simulator to list its faults
_FAULT: Final = re.compile(r"(\w+)  \(([\w, ]+)\)  (.*)")


def _beginning(items: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(value, help=text) for value, text in items if value.startswith(incomplete)]


def complete_games(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The games."""
    from shoectl.games import registry

    return _beginning(((name, registry.game(name).title) for name in registry.game_names()), incomplete)


def complete_kinds(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The kinds of hands of the game that stands before."""
    from shoectl.games import registry

    named = ctx.params.get("name")
    kinds = registry.game(named).kinds if named in registry.game_names() else ()
    return _beginning(((kind, "") for kind in kinds), incomplete)


def complete_families(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The device families."""
    from protocols.family import families

    return _beginning(((name, "") for name in families()), incomplete)


def complete_family_list(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Families with commas between them: the last one."""
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    found = complete_families(ctx, param, last)
    return [CompletionItem(before + comma + item.value) for item in found if item.value not in named]


def complete_urls(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ports of this machine, by their best names; nothing is opened."""
    from shoectl.discovery.attached import attached
    from shoectl.discovery.system import System

    return _beginning(((port.url, "") for port in attached(System())), incomplete)


def complete_faults(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The faults that the simulator knows, with a family before them where one was begun with."""
    try:
        told = subprocess.run(
            [sys.executable, "-m", "firmware_sim", "--fault", "list"],
            capture_output=True, text=True, timeout=PATIENCE_S, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    family, colon, _ = incomplete.rpartition(":")
    faults = [found.groups() for line in told.splitlines() if (found := _FAULT.fullmatch(line))]
    return _beginning(
        ((family + colon + name, text) for name, known, text in faults if not family or family in known.split(", ")),
        incomplete,
    )
