"""`shoectl devices`: what is attached, and what it says of itself."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from protocols.vocabulary import Identity
from shoectl.commands.attaching import other_ports, ports_of
from shoectl.commands.completing import complete_families, complete_urls
from shoectl.devices.look import Look, look
from shoectl.discovery import survey as asking
from shoectl.discovery.ask import Answer, tries
from shoectl.discovery.history import Counted, verdict_of, verdicts
from shoectl.discovery.survey import Seen, State, survey
from shoectl.discovery.system import System
from shoectl.errors import DeviceFailed


@click.group()
def devices() -> None:
    """What is attached, and what it says of itself."""


@devices.command(name="list")
@other_ports
@click.option("--ask/--no-ask", default=True, help="Whether ports are opened and asked who is there.")
@click.option(
    "--patience", type=click.FloatRange(0.1, 20), default=1.0, show_default=True, help="Wait so many times longer."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_ports(urls: tuple[str, ...], usbip: tuple[str, ...], ask: bool, patience: float, as_json: bool) -> None:
    """What is attached to this machine, and who answers there.

    Serial ports, HID nodes and USB devices that may be ours are asked who they are, side by side, by the protocol of
    each family that they can carry; a port that another program has is not opened. A line on which nobody answers
    takes some 15 seconds. Nothing moves, and events stay in the device.
    """
    system = System()
    ports = ports_of(system, urls, usbip)
    if ask:
        with bar("asking") as progress:
            seen = asyncio.run(survey(system, ports, patience=patience, progress=progress))
    else:
        seen = [Seen(port, State.NOT_ASKED) for port in ports]
    for one in seen:
        for line in _lines_json(one) if as_json else _lines(one):
            click.echo(line)
    if not seen and not as_json:
        click.echo("nothing that may be a shuffler or a shoe is attached", err=True)


@contextmanager
def bar(text: str) -> Iterator[asking.Progress]:
    """A progress bar on stderr, where that is a terminal; it goes away when it is done."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %")
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(text, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _lines(seen: Seen) -> Iterator[str]:
    port = seen.port
    where = f"{port.url}" + (f" ({port.node})" if port.node and port.node not in port.url else "")
    for answer in seen.answers:
        yield f"{answer.url}  {in_words(answer.identity, answer.family)}"
    match seen.state:
        case State.SILENT:
            yield f"{where}  nobody answers"
        case State.HELD:
            yield f"{where}  not asked: in use by {seen.why}"
        case State.REFUSED:
            yield f"{where}  {seen.why}"
        case State.NOT_ASKED:
            yield where


def _lines_json(seen: Seen) -> Iterator[str]:
    port = seen.port
    told: dict[str, Any] = {"url": port.url, "node": port.node, "names": list(port.names)}
    if port.usb:
        usb = port.usb
        told["usb"] = {"ids": usb.ids, "serial": usb.serial, "plug": usb.plug}
    told["state"] = seen.state.value
    if seen.why:
        told["why"] = seen.why
    for answer in seen.answers or (None,):
        device = {} if answer is None else {"url": answer.url, "device": _device(answer)}
        yield json.dumps({**told, **device})


def _device(answer: Answer) -> dict[str, Any]:
    return {**answer.identity.body, "family": answer.family}


@devices.command()
@click.argument("url", shell_complete=complete_urls)
@click.option("--family", shell_complete=complete_families, help="alder, birch, ...; left out: whoever answers there.")
@click.option(
    "--journal", type=click.Path(path_type=Path), help="A table's journal: the verdicts that it has of the device."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON value.")
def show(url: str, family: str | None, journal: Path | None, as_json: bool) -> None:
    """Open a device and ask it: identity, capabilities, state, open faults, verdicts. Its events stay in it.

    The verdicts are those that it still holds, and with --journal those of a table. A device at which a table is
    running cannot be asked: its port is locked. Exit code 3 where nobody answers.
    """
    if family is None:
        url, family = _who(url)
    seen = asyncio.run(look(url, family))
    told = [] if journal is None else verdicts(journal, seen.identity)
    kept = {(one.epoch, one.seq) for one in told}
    own = [verdict_of(event, seen.resume.epoch) for event in seen.events or ()]
    told += [one for one in own if one is not None and (one.epoch, one.seq) not in kept]
    click.echo(json.dumps(_as_json(seen, told)) if as_json else _in_words(seen, told))


def _who(url: str) -> tuple[str, str]:
    """The URL and family of whoever answers at a port. Raises DeviceFailed; BadInput for a wrong URL."""
    system = System()
    (port,) = ports_of(system, (url,), (), found=False)
    with bar("asking") as progress:
        (seen,) = asyncio.run(survey(system, [port], progress=progress))
    match seen.state:
        case State.HELD:
            raise DeviceFailed(f"{url}: in use by {seen.why}: stop that program")
        case State.REFUSED:
            raise DeviceFailed(f"{url}: {seen.why}")
        case State.SILENT:
            names = ", ".join(dict.fromkeys(one.family.name for one in tries(port)))
            raise DeviceFailed(f"{url}: nobody answers ({names}): check power, wiring, line rate and address")
    named = [answer for answer in seen.answers if answer.url == url] or list(seen.answers)
    if len(named) > 1:
        raise DeviceFailed(f"{url}: several devices answer, name one: {', '.join(answer.url for answer in named)}")
    return named[0].url, named[0].family


def in_words(who: Identity, family: str) -> str:
    """An identity in one line."""
    return f"{who.maker} {who.model}, serial {who.serial}, firmware {who.fw_version} ({family})"


def _as_json(seen: Look, told: list[Counted]) -> dict[str, Any]:
    return {
        "family": seen.family,
        "identity": seen.identity.body,
        "capabilities": seen.capabilities,
        "resume": asdict(seen.resume),
        "status": dict(seen.status),
        "faults": list(seen.faults),
        "verdicts": [one.json for one in told],
    }


def _in_words(seen: Look, told: list[Counted]) -> str:
    ring = seen.resume
    waiting = ring.newest - ring.oldest + 1
    lines = [
        in_words(seen.identity, seen.family),
        f"can: {', '.join(seen.capabilities) or 'nothing'}",
        f"boot {ring.boot}, epoch {ring.epoch}, {waiting} events kept, newest {ring.newest}",
        "status: " + ", ".join(f"{name} {value}" for name, value in seen.status.items()),
        f"open faults: {', '.join(seen.faults) or 'none'}",
    ]
    for one in told:
        count = f"{one.counted} of {one.expected}" if one.counted != 0xFFFF else f"expected {one.expected}"
        lines.append(f"verdict: {one.at or 'still in the device'}, cycle {one.cycle}: {one.verdict}, {count}")
    if not told:
        lines.append("verdicts: none " + ("that it tells" if seen.events is None else "kept"))
    return "\n".join(lines)
