"""`shoesim`: simulated devices on real ports."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import click

from firmware_sim.faults import listing
from firmware_sim.faults import table as fault_table
from firmware_sim.hosts.serve import Plugs, die_with_parent, serve
from firmware_sim.keys import by_device
from firmware_sim.setup import secured
from firmware_sim.table import BadSetup, Setup, options_of, speed_of

BAD_INPUT, FAILED = 2, 3

_PARENT = os.getppid()
"""The parent as early as it can be known."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("family", nargs=-1)
@click.option("--pty", type=click.Path(path_type=Path), help="The path of the one device's pseudo-terminal.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path),
    help="A directory with one pseudo-terminal a line, named by family.",
)
@click.option("--tcp", metavar="HOST:PORT", help="Listen there for the one device's line (port 0: a free one).")
@click.option("--usbip", metavar="HOST:PORT", help="Serve all lines there as USB devices.")
@click.option("--seed", type=int, default=0, show_default=True, help="One seed is one game.")
@click.option(
    "--speed", default="1", show_default=True, help="Factor of mechanics and hands, or max; the line keeps real time."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SPEC",
    help="[FAMILY:]NAME[@KEY=VALUE,...]; list prints them all, table as a page.",
)
@click.option(
    "--deck", default="standard", show_default=True, help="standard, standard-Qs+As, or all cards in drawing order."
)
@click.option(
    "--person", type=click.Choice(["auto", "none"]), default="auto", show_default=True, help="Who moves the cards."
)
@click.option("--control", type=click.Path(path_type=Path), help="A socket for hands, eyes and faults (JSON lines).")
@click.option("--state", type=click.Path(path_type=Path), help="Keep NVRAM and the whereabouts of the cards there.")
@click.option(
    "--truth", type=click.Path(path_type=Path), help="Append what happens to each card, one JSON line a movement."
)
@click.option(
    "--key", "keys", multiple=True, metavar="[FAMILY=]FILE[:ID]", help="Install a key (64 hexadecimal digits); ID 1."
)
@click.option(
    "--level", "levels", multiple=True, metavar="[FAMILY=]N", help="The least security level that is taken: 0, 1, 2."
)
@click.option("--with-parent", is_flag=True, help="End when the parent process ends.")
@click.option("--parent", type=int, metavar="PID", help="The same, and at once if that is not the parent any more.")
@click.version_option(version("shoectl"), prog_name="shoesim")
def shoesim(
    family: tuple[str, ...],
    pty: Path | None,
    directory: Path | None,
    tcp: str | None,
    usbip: str | None,
    seed: int,
    speed: str,
    faults: tuple[str, ...],
    deck: str,
    person: str,
    control: Path | None,
    state: Path | None,
    truth: Path | None,
    keys: tuple[str, ...],
    levels: tuple[str, ...],
    with_parent: bool,
    parent: int | None,
) -> None:
    """One simulated table: devices (alder, birch, birch@4, ...), the cards between them, and a person.

    Prints one JSON line when it is ready and stays until it is stopped.
    """
    if "list" in faults or "table" in faults:
        click.echo(listing() if "list" in faults else fault_table())
        return
    if sum(plug is not None for plug in (pty, directory, tcp, usbip)) > 1:
        raise BadSetup("--pty, --dir, --tcp and --usbip: only one of them")
    lines = {name.partition("?")[0].partition("@")[0].lower() for name in family}
    if (pty or tcp) and len(lines) > 1:
        raise BadSetup(f"{'--pty' if pty else '--tcp'} is for one line; use --dir for {' and '.join(sorted(lines))}")
    devices = tuple(name.partition("?")[0] for name in family)
    setup = Setup(devices, seed, speed_of(speed), faults, deck, person, state, truth)
    setup = replace(setup, keys=_secured("key", keys), levels=_secured("level", levels))
    setup = replace(setup, **_options(family, setup))
    plugs = Plugs(pty, directory, _address("--tcp", tcp), _address("--usbip", usbip), control)
    if with_parent or parent is not None:
        die_with_parent(_PARENT if parent is None else parent)
    asyncio.run(serve(setup, plugs))


def _secured(what: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Keys or levels by device."""
    return {device: secured(what, text) for device, text in map(by_device, texts)}


def _options(family: tuple[str, ...], setup: Setup) -> dict[str, Any]:
    """The options that follow the names of devices, all together; those of a line may stand at any device on it."""
    options: dict[str, Any] = {}
    adapters: dict[str, Any] = {}
    keys, levels = dict(setup.keys), dict(setup.levels)
    for name in family:
        fields = options_of(dict(parse_qsl(name.partition("?")[2])), name.partition("?")[0].strip().lower())
        adapters |= fields.pop("adapters", {})
        keys |= fields.pop("keys", {})
        levels |= fields.pop("levels", {})
        options |= fields
    return {**options, "adapters": adapters, "keys": keys, "levels": levels}


def _address(option: str, text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 0xFFFF:
        raise BadSetup(f"{option} {text!r}: write HOST:PORT")
    return host, int(port)


def main() -> None:
    """The command; errors are one line on stderr: exit 2 for bad input, 3 where a file or port fails."""
    try:
        shoesim.main(prog_name="shoesim", standalone_mode=False)
    except click.ClickException as error:
        print(f"shoesim: {error.format_message()}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except BadSetup as error:
        print(f"shoesim: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except OSError as error:
        print(f"shoesim: {error.filename or 'port'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(FAILED)
    except click.Abort:
        sys.exit(1)


if __name__ == "__main__":
    main()
