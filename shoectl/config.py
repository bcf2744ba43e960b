"""A table's configuration: one TOML file, strict. A typo is one line that says file, key and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from shoectl.config_checks import check_bus, check_console, check_devices, check_people, pins_of
from shoectl.config_errors import first
from shoectl.config_sections import Config
from shoectl.devices.places import Place
from shoectl.errors import BadInput
from shoectl.games.own_paytables import as_text
from shoectl.games.registry import game
from shoectl.games.table_options import playable
from shoectl.plain_text import plain

# Least and most of wagers that a configuration says nothing of, in the smallest unit. A choice of this program.
USUAL_LIMITS: Final = {"ante": (10, 500)}
USUAL_LIMIT: Final = (5, 100)


def load(path: Path) -> Config:
    """Read and check a configuration file. Raises BadInput with one line: file, key, what is allowed."""
    try:
        data = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise BadInput(f"{path}: not valid TOML: nested too deep") from None
    return parse(data, str(path))


def _text(path: Path) -> str:
    """What a file holds, its mark of byte order, if there is one, left away. Raises BadInput."""
    try:
        held = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = error.object[: error.start].count(b"\n") + 1, error.object[error.start]
        raise BadInput(f"{path}: line {line}: byte 0x{byte:02X} is no UTF-8; the file has to be UTF-8 text") from None


def parse(data: Mapping[str, Any], origin: str) -> Config:
    """Check a configuration that was read from `origin`. Raises BadInput."""
    try:
        config = Config.model_validate(_tuples(data))
    except ValidationError as error:
        raise BadInput(f"{origin}: {plain(first(error))}") from None
    try:
        check(config)
    except BadInput as error:
        raise BadInput(f"{origin}: {error}") from None
    return config


def limits_of(config: Config) -> dict[str, tuple[int, int]]:
    """The limits of every wager: the file's, and the usual ones for what it leaves out."""
    usual = {wager: USUAL_LIMITS.get(wager, USUAL_LIMIT) for wager in game(config.table.game).families}
    return {**usual, **config.limits}


def house_of(config: Config) -> dict[str, str | int | bool]:
    """The house options of the file, own paytables as text, with the number of seats, which may stand in either
    section.
    """
    house = {name: as_text(value) if isinstance(value, dict) else value for name, value in config.house.items()}
    return {**house, "seats": house.get("seats", config.table.seats)}


def check(config: Config) -> None:
    """What no single value shows: game, house options, limits, and what of the devices, people and faces only fits
    together. Opens no device and no file. Raises BadInput.
    """
    played = game(config.table.game)
    house = played.house(house_of(config))
    if "seats" in config.table.model_fields_set and house.number("seats") != config.table.seats:
        raise BadInput(f"house.seats: {house.number('seats')} seats here, {config.table.seats} in table.seats")
    playable(house_of(config))
    deck_number(config.house, has_shuffler="shuffler" in config.devices or not config.devices)
    if config.deck.second == config.deck.back:
        raise BadInput(f"deck.second: two decks have different backs, both are {config.deck.back!r}")
    played.offers(house, limits_of(config))
    check_devices(config)
    check_people(config)
    check_console(config.console)
    check_bus(config)


def deck_number(house: Mapping[str, object], *, has_shuffler: bool) -> int:
    """How many decks a table has: what the house says, else two where there is a shuffler. Raises BadInput."""
    number = house.get("decks", 2 if has_shuffler else 1)
    if number == 2 and not has_shuffler:
        raise BadInput("house.decks: two decks need a shuffler, which is at one while the other is played; allowed: 1")
    return 1 if number == 1 else 2


def places_of(config: Config, origin: str = "") -> list[Place]:
    """The places of the table and the devices that sit there. Reads their keys. Raises BadInput, naming `origin`."""
    try:
        pins = pins_of(config)
    except BadInput as error:
        raise BadInput(f"{origin}: {error}" if origin else str(error)) from None
    devices = config.devices.items()
    return [Place(name, one.url, one.family, one.serial, one.firmware, pins[name]) for name, one in devices]


def _tuples(value: Any, depth: int = 0) -> Any:
    """TOML has lists only; limits are pairs."""
    match value:
        case dict():
            return {key: _tuples(item, depth + 1) for key, item in value.items()}
        case list() if depth == 2:
            return tuple(value)
        case _:
            return value
