"""`shoectl people`: who may sign in at the console, and what they may do there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from shoectl import config as configuration
from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.people.numbers import HOW, NUMBERS, operator_number
from shoectl.people.pins import LEAST, PIN_RULES, check_pin, hash_pin, hash_token, new_token
from shoectl.people.register import Record, Register, register_path
from shoectl.people.roles import ROLES

PIN_FILE_MOST: Final = 64  # bytes


def _number(ctx: click.Context, param: click.Parameter, text: str) -> int:
    """An operator number as it is written. Raises click.BadParameter."""
    number = operator_number(text)
    if not NUMBERS[0] <= number <= NUMBERS[1]:
        raise click.BadParameter(f"{text[:40]!r} is no operator number; allowed are {HOW}", ctx, param)
    return number


NUMBER = click.argument("number", callback=_number)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout.")
PIN_FILE = click.option(
    "--pin-file", type=click.Path(path_type=Path), help="Where the PIN stands; - is stdin. Else it is asked for."
)
ROLE = click.Choice(ROLES)


def _where(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which register."""
    file = click.option("--file", type=click.Path(path_type=Path), help="The register.")
    config = click.option("--config", type=click.Path(path_type=Path), help="A table's configuration, which names it.")
    return file(config(command))


def _register(file: Path | None, config: Path | None) -> Register:
    if file is not None and config is not None:
        raise click.UsageError("the register is named by --file or by --config, not by both")
    if file is not None:
        return Register(file)
    return Register(register_path(configuration.load(config) if config else Config()))


@click.group()
def people() -> None:
    """Who may sign in: operator number, name, role, PIN.

    \b
    observer   sees the table and the pit
    dealer     answers for the dealer
    floor      answers for the floor, and signs as the second person

    The register is a file for its owner alone; a running daemon looks at it again when it changes. Somebody whose role
    or PIN is changed, or who is removed, is signed out at once.
    """


@people.command()
@NUMBER
@click.argument("name")
@click.option("--role", type=ROLE, required=True, help="What this person may do.")
@PIN_FILE
@_where
@JSON
def add(
    number: int, name: str, role: Any, pin_file: Path | None, file: Path | None, config: Path | None, as_json: bool
) -> int:
    """Add somebody; the PIN is asked for twice."""
    register = _register(file, config)
    if register.find(number) is not None:
        raise BadInput(f"{number}: this operator is in the register already (passwd changes the PIN)")
    if not name.strip() or len(name) > 60 or not name.isprintable():
        raise BadInput("a name has 1 to 60 characters that can be printed")
    pin = _pin(number, pin_file)
    with register.changing() as everybody:
        if number in everybody:
            raise BadInput(f"{number}: this operator is in the register already")
        everybody[number] = Record(number=number, name=name.strip(), role=role, pin=pin)
    return _say(as_json, everybody[number], f"{number} {name.strip()} may sign in as {role}")


@people.command("list")
@_where
@JSON
def list_(file: Path | None, config: Path | None, as_json: bool) -> int:
    """List everybody."""
    everybody = _register(file, config).people()
    if as_json:
        print(json.dumps({"people": [_told(one) for one in everybody]}))
        return 0
    for one in everybody:
        ways = [word for word, has in (("PIN", one.pin), ("token", one.token)) if has]
        print(f"{one.number:>5}  {one.role:8}  {one.name}  ({' and '.join(ways) or 'no way to sign in'})")
    if not everybody:
        print("nobody yet")
    return 0


@people.command()
@NUMBER
@_where
@JSON
def remove(number: int, file: Path | None, config: Path | None, as_json: bool) -> int:
    """Remove somebody, who is signed out at once."""
    with _register(file, config).changing() as everybody:
        gone = _known(everybody, number)
        del everybody[number]
    return _say(as_json, gone, f"{number} {gone.name} is removed")


@people.command()
@NUMBER
@PIN_FILE
@click.option("--role", type=ROLE, help="Change the role, and leave the PIN as it is.")
@_where
@JSON
def passwd(
    number: int, pin_file: Path | None, role: str | None, file: Path | None, config: Path | None, as_json: bool
) -> int:
    """Change the PIN of somebody, or with --role what he may do."""
    if role is not None and pin_file is not None:
        raise click.UsageError("--role and --pin-file: one at a time")
    register = _register(file, config)
    if register.find(number) is None:
        _known({}, number)
    change = {"role": role} if role is not None else {"pin": _pin(number, pin_file)}
    return _change(register, number, change, as_json, "the role" if role else "the PIN")


@people.command()
@NUMBER
@click.option("--revoke", is_flag=True, help="Take the token back.")
@_where
@JSON
def token(number: int, revoke: bool, file: Path | None, config: Path | None, as_json: bool) -> int:
    """Make a token for a program that acts for somebody; it is shown once, and replaces an earlier one.

    A program sends it with each request, as `Authorization: Bearer TOKEN`.
    """
    register = _register(file, config)
    if revoke:
        return _change(register, number, {"token": None}, as_json, "the token")
    made = new_token(number)
    with register.changing() as everybody:
        everybody[number] = _known(everybody, number).model_copy(update={"token": hash_token(made)})
    print(json.dumps({"number": number, "token": made}) if as_json else made)
    return 0


def _change(register: Register, number: int, change: dict[str, Any], as_json: bool, what: str) -> int:
    with register.changing() as everybody:
        everybody[number] = _known(everybody, number).model_copy(update=change)
    return _say(as_json, everybody[number], f"{number} {everybody[number].name}: {what} is another one now")


def _known(everybody: dict[int, Record], number: int) -> Record:
    if number not in everybody:
        raise BadInput(f"{number}: no such operator in the register (see shoectl people list)")
    return everybody[number]


def _pin(number: int, file: Path | None) -> str:
    """The hash of a PIN out of a file, or of one that is asked for twice. Raises BadInput."""
    if file is not None:
        pin = _read(file)
    elif sys.stdin.isatty():
        pin = click.prompt(f"PIN ({LEAST} digits or more)", hide_input=True, confirmation_prompt=True, err=True)
    else:
        raise BadInput("a PIN is asked for at a terminal; elsewhere it comes from --pin-file")
    try:
        check_pin(pin, number)
    except BadInput as error:
        raise BadInput(f"{'PIN' if file is None or str(file) == '-' else file}: {error}") from None
    return hash_pin(pin)


def _read(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.readline(PIN_FILE_MOST).strip()
        with file.open(encoding="ascii") as text:
            return text.read(PIN_FILE_MOST).strip()
    except OSError as error:
        raise BadInput(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file}: {PIN_RULES}") from None


def _told(one: Record) -> dict[str, Any]:
    """A person without anything that is secret."""
    ways = {"pin": one.pin is not None, "token": one.token is not None}
    return {"number": one.number, "name": one.name, "role": one.role, **ways}


def _say(as_json: bool, one: Record, text: str) -> int:
    print(json.dumps(_told(one)) if as_json else text)
    return 0
