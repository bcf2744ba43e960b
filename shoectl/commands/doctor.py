"""`shoectl doctor`: why a device would not come up, and what to do."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from shoectl.commands.attaching import other_ports, ports_of
from shoectl.commands.devices import bar, in_words
from shoectl.config import load
from shoectl.config_checks import pin_of
from shoectl.config_sections import Config, Device
from shoectl.devices.places import Place
from shoectl.discovery.ask import Answer
from shoectl.discovery.doctor import Diagnosis, diagnose, places_of, ports_as_subjects
from shoectl.discovery.finding import Demand, Subject
from shoectl.discovery.history import Known, known
from shoectl.discovery.system import System, User
from shoectl.errors import BadInput, CheckFailed, ShoectlError
from shoectl.table_files import journal_of


@click.command()
@click.option("--config", "path", type=click.Path(path_type=Path), help="A table's configuration: its devices only.")
@other_ports
@click.option("--journal", type=click.Path(path_type=Path), help="The table's journal: who sat at its places last.")
@click.option("--user", metavar="NAME", help="Whose rights count; left out: whoever runs this.")
@click.option("--ask/--no-ask", default=True, help="Whether ports are opened and asked who is there.")
@click.option(
    "--patience", type=click.FloatRange(0.1, 20), default=1.0, show_default=True, help="Wait so many times longer."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON value.")
def doctor(
    path: Path | None,
    urls: tuple[str, ...],
    usbip: tuple[str, ...],
    journal: Path | None,
    user: str | None,
    ask: bool,
    patience: float,
    as_json: bool,
) -> None:
    """Why a device would not come up: what is wrong, where, and what to do.

    With --config the devices of that table are looked for, and have to be the right ones; without, whatever is
    attached. Devices are asked who they are and nothing else; a port that another program has is not opened.

    Exit code 0 if all is well, 1 if something was found.
    """
    if path is not None and (urls or usbip):
        raise BadInput("--config names the devices: --url and --usbip are for a look without one")
    system = System(user=_user(user))
    with bar("looking") as progress:
        subjects = _subjects(system, path, urls, usbip, journal)
        found = asyncio.run(diagnose(system, subjects, asks=ask, patience=patience, progress=progress))
    if as_json:
        click.echo(json.dumps(_as_json(found)))
    else:
        _show(found)
    if found.findings:
        raise CheckFailed(f"{len(found.findings)} {'thing' if len(found.findings) == 1 else 'things'} found")


def _user(name: str | None) -> User:
    if name is None:
        return User.now()
    try:
        return User.named(name)
    except KeyError:
        raise BadInput(f"--user {name!r}: there is no such user here") from None


def _subjects(
    system: System, path: Path | None, urls: tuple[str, ...], usbip: tuple[str, ...], journal: Path | None
) -> list[Subject]:
    if path is None:
        return ports_as_subjects(ports_of(system, urls, usbip))
    config = load(path)
    if not config.devices:
        raise BadInput(f"{path}: the table has no devices")
    devices = config.devices.items()
    places = [Place(name, one.url, one.family, one.serial, one.firmware) for name, one in devices]
    return places_of(system, places, _known(config, journal), {name: _demand(name, one) for name, one in devices})


def _demand(place: str, device: Device) -> Demand:
    """A key that cannot be read is a finding like others."""
    try:
        return Demand(device.level, pin_of(place, device))
    except BadInput as error:
        return Demand(device.level, unread=str(error))


def _known(config: Config, journal: Path | None) -> dict[str, Known]:
    """Who sat at the places last. A journal that was not named need not be there, nor be whole."""
    if journal is not None:
        return known(journal)
    try:
        usual = journal_of(config)
        return known(usual) if usual.exists() else {}
    except ShoectlError as error:
        click.echo(f"not read: {error}", err=True)
        return {}


def _as_json(found: Diagnosis) -> dict[str, Any]:
    return {
        "findings": [one.json for one in found.findings],
        "well": [
            {"where": subject.where, "url": answer.url, **answer.identity.body, "family": answer.family}
            for subject, answer in found.well
        ],
    }


def _show(found: Diagnosis) -> None:
    """A table in a terminal; else one line each, whatever its length."""
    for subject, answer in found.well:
        click.echo(_well(subject, answer))
    if not found.findings:
        return
    if not sys.stdout.isatty():
        for one in found.findings:
            click.echo(f"{one.where}: {one.reason}: {one.what}: {one.do}")
        return
    columns = (Column(name, overflow="fold") for name in ("reason", "where", "what", "what to do"))
    table = Table(*columns, show_lines=True)
    for one in found.findings:
        table.add_row(*map(Text, (one.reason, one.where, one.what, one.do)))  # as it is: [::1] is no markup
    Console().print(table)


def _well(subject: Subject, answer: Answer) -> str:
    return f"{subject.place or answer.url}: {in_words(answer.identity, answer.family)}"
