"""`shoectl wire`: frames of the wire protocols to JSON and back, with the field names of the protocol documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from protocols.errors import DecodeError, ErrorKind, FrameError, LocalError
from protocols.family import Family, families
from protocols.link import Side
from shoectl.commands.completing import complete_families
from shoectl.commands.wire_session import secret_of
from shoectl.errors import BadInput
from shoectl.strict_json import loads

STDIN = "-"
NOT_A_FRAME = {ErrorKind.SHORT, ErrorKind.LONG, ErrorKind.LENGTH, ErrorKind.CRC, ErrorKind.ESCAPE, ErrorKind.ABORT}

_FAMILY = click.argument("family", shell_complete=complete_families)
_FROM = click.option("--from", "sender", type=click.Choice(["host", "device"]), help="Who sends it; else found out.")
_EP = click.option("--ep", metavar="EP", help="The endpoint, for families on USB.")

F = TypeVar("F", bound=Callable[..., Any])


def _sealed(command: F) -> F:
    """The two options that belong to a sealed session."""
    session = click.option(
        "--session", metavar="JSON", help="What the handshake of the session said, for sealed frames."
    )
    key = click.option(
        "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of the device, for sealed frames."
    )
    return key(session(command))


@click.group()
def wire() -> None:
    """Frames of the wire protocols, decoded and encoded. One line of JSON or hex for each."""


@wire.command("decode")
@_FAMILY
@click.argument("frames", metavar="HEX|-...", nargs=-1, required=True)
@_FROM
@_EP
@_sealed
@click.option("--json", "_", is_flag=True, expose_value=False, help="Changes nothing: each line is JSON anyway.")
@click.option("--stream", is_flag=True, help="A recording: frames one after the other, with rubbish between them.")
@click.pass_context
def decode(
    ctx: click.Context,
    family: str,
    frames: tuple[str, ...],
    sender: str | None,
    ep: str | None,
    key_file: Path | None,
    session: str | None,
    stream: bool,
) -> None:
    """Frames as hex text (each argument one, or each line of -) to JSON.

    A bad frame gives {"error": {"kind": ...}} and, in the end, exit code 1. With --stream all the hex is one recording;
    what is no frame is passed over and counted on stderr.

    Frames of a sealed session (level 1 or 2) need --key-file, a file with the device's key (64 hexadecimal digits, mode
    0600), and --session, a JSON object with the level, session, nonce_h, nonce_d, serial, key_id, boot and epoch of its
    handshake: IDENT and AUTH1 travel plain and are decoded without either. The frames must all be of that session.
    """
    chosen, at = _family(family, ep)
    sealing = _secret(chosen, key_file, session)
    recorded: list[bytes | FrameError] = [_from_hex(text, where) for where, text in _inputs(frames)]
    if stream:
        recorded = _frames_of(chosen, recorded)
    failed = False
    for item in recorded:
        try:
            if isinstance(item, FrameError):
                raise item
            _print(chosen.decode_frame(item, _side(sender), **at, **sealing))
        except (FrameError, DecodeError) as error:
            failed = True
            _print({"error": {"kind": str(error.kind)}})
    ctx.exit(1 if failed else 0)


def _frames_of(family: Family, recorded: list[bytes | FrameError]) -> list[bytes | FrameError]:
    """The frames of one recording, and whole ones that are wrong; the rest is counted on stderr."""
    found = family.split_frames(b"".join(item for item in recorded if isinstance(item, bytes)))
    frames = [item for item in found if not (isinstance(item, FrameError) and item.kind in NOT_A_FRAME)]
    stretches = len(found) - len(frames)
    if stretches:
        click.echo(
            f"passed over {stretches} {'stretch' if stretches == 1 else 'stretches'} that are no frame", err=True
        )
    return frames


@wire.command("encode")
@_FAMILY
@click.argument("objects", metavar="JSON|-...", nargs=-1, required=True)
@_FROM
@_EP
@_sealed
@click.option("--json", "as_json", is_flag=True, help='Each frame as {"hex": "…"}, one a line.')
def encode(
    family: str,
    objects: tuple[str, ...],
    sender: str | None,
    ep: str | None,
    key_file: Path | None,
    session: str | None,
    as_json: bool,
) -> None:
    """JSON objects (each argument one, or each line of -) to frames as hex text.

    Sealed frames need --key-file and --session, as for decode; the counter is that of the object.
    """
    chosen, at = _family(family, ep)
    sealing = _secret(chosen, key_file, session)
    frames = []
    for where, text in _inputs(objects):
        try:
            frames.append(chosen.encode_frame({**at, **_from_json(text, where)}, _side(sender), **sealing))
        except LocalError as error:
            raise BadInput(f"{where}: {error}") from None
    for frame in frames:
        click.echo(json.dumps({"hex": frame.hex()}) if as_json else frame.hex())


def _family(name: str, ep: str | None) -> tuple[Family, dict[str, str]]:
    """The family, and the endpoint where one was named."""
    known = families()
    if name not in known:
        raise BadInput(f"no family {name!r}; known are {', '.join(known)}")
    family = known[name]
    if ep is not None and not family.endpoints:
        raise BadInput(f"--ep: {name} has no endpoints")
    if ep is not None and ep not in family.endpoints:
        raise BadInput(f"--ep: no endpoint {ep!r} of {name}; known are {', '.join(family.endpoints)}")
    return family, {} if ep is None else {"ep": ep}


def _secret(family: Family, key_file: Path | None, session: str | None) -> dict[str, Any]:
    """The session as the family takes it; nothing where there is none, for a family from outside need not have it."""
    secret = secret_of(family, key_file, session)
    return {} if secret is None else {"secret": secret}


def _side(sender: str | None) -> Side | None:
    return None if sender is None else Side(sender)


def _inputs(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each argument, or each line of standard input for `-`, with a word for where it stands. Empty lines are none."""
    for place, argument in enumerate(arguments, start=1):
        if argument != STDIN:
            yield f"argument {place}", argument
            continue
        with click.open_file(STDIN) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"line {number}", line.strip()


def _from_hex(text: str, where: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadInput(f"{where}: not hex text, two digits a byte") from None


def _from_json(text: str, where: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    if not isinstance(value, dict):
        raise BadInput(f"{where}: not a JSON object")
    return value


def _print(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value))
