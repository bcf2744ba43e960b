"""`shoectl devices`: what is attached, and what it says of itself."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from shoectl.devices.look import Look, look

PORTS = ("shoectl/*", "serial/by-id/*", "ttyACM*", "ttyUSB*")


@click.group()
def devices() -> None:
    """What is attached, and what it says of itself."""


@devices.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_ports(as_json: bool) -> None:
    """The serial ports of this machine, stable names first. Opens none of them."""
    seen: dict[str, str] = {}
    for pattern in PORTS:
        for path in sorted(Path("/dev").glob(pattern)):
            seen.setdefault(str(path.resolve()), str(path))
    for node, name in seen.items():
        if as_json:
            click.echo(json.dumps({"url": f"serial://{name}", "node": node}))
        else:
            click.echo(f"serial://{name}" + (f"   ({node})" if node != name else ""))
    if not seen and not as_json:
        click.echo("no serial port is there", err=True)


@devices.command()
@click.argument("url")
@click.option("--family", required=True, help="alder or birch.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value.")
def show(url: str, family: str, as_json: bool) -> None:
    """Open a device and ask it: identity, capabilities, state, open faults. Its events stay in it.

    A device at which a table is running cannot be asked: its port is locked. Exit code 3 where nobody answers.
    """
    seen = asyncio.run(look(url, family))
    click.echo(json.dumps(_as_json(seen)) if as_json else _in_words(seen))


def _as_json(seen: Look) -> dict[str, Any]:
    return {
        "family": seen.family,
        "identity": seen.identity.body,
        "capabilities": seen.capabilities,
        "resume": asdict(seen.resume),
        "status": dict(seen.status),
        "faults": list(seen.faults),
    }


def _in_words(seen: Look) -> str:
    who, ring = seen.identity, seen.resume
    waiting = ring.newest - ring.oldest + 1
    lines = [
        f"{who.maker} {who.model}, serial {who.serial}, firmware {who.fw_version} ({seen.family})",
        f"can: {', '.join(seen.capabilities) or 'nothing'}",
        f"boot {ring.boot}, epoch {ring.epoch}, {waiting} events kept, newest {ring.newest}",
        "status: " + ", ".join(f"{name} {value}" for name, value in seen.status.items()),
        f"open faults: {', '.join(seen.faults) or 'none'}",
    ]
    return "\n".join(lines)
