"""A table's configuration: one TOML file, strict. A typo is one line that says file, key and what is allowed."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast, get_args
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError

from protocols.family import families
from shoectl.config_sections import Config, Place
from shoectl.devices.places import Place as Occupied
from shoectl.devices.places import occupy
from shoectl.devices.record import Record
from shoectl.errors import BadInput
from shoectl.games.own_paytables import as_text
from shoectl.games.registry import game
from shoectl.games.table_options import playable

# Least and most of wagers that a configuration says nothing of, in the smallest unit. A choice of this program.
USUAL_LIMITS: Final = {"ante": (10, 500)}
USUAL_LIMIT: Final = (5, 100)


def load(path: Path) -> Config:
    """Read and check a configuration file. Raises BadInput with one line: file, key, what is allowed."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: not valid TOML: {error}") from None
    return parse(data, str(path))


def parse(data: Mapping[str, Any], origin: str) -> Config:
    """Check a configuration that was read from `origin`. Raises BadInput."""
    try:
        config = Config.model_validate(_tuples(data))
    except ValidationError as error:
        raise BadInput(f"{origin}: {_first(error)}") from None
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
    """What no single value shows: game, house options, limits, families and addresses. Touches no device."""

    played = game(config.table.game)
    house = played.house(house_of(config))
    if "seats" in config.table.model_fields_set and house.number("seats") != config.table.seats:
        raise BadInput(f"house.seats: {house.number('seats')} seats here, {config.table.seats} in table.seats")
    playable(house_of(config))
    deck_number(config.house, has_shuffler="shuffler" in config.devices or not config.devices)
    if config.deck.second == config.deck.back:
        raise BadInput(f"deck.second: two decks have different backs, both are {config.deck.back!r}")
    played.offers(house, limits_of(config))
    for place, device in config.devices.items():
        if device.family not in families():
            raise BadInput(f"devices.{place}.family: unknown {device.family!r}{_allowed(device.family, families())}")
    try:
        occupy(places_of(config), cast("Record", None))  # nothing is opened, so nothing is recorded
    except BadInput as error:
        raise BadInput(f"devices: {error}") from None
    ports: dict[tuple[str, str], str] = {}
    for place, device in config.devices.items():
        port, _, options = device.url.partition("?")
        plug = dict(parse_qsl(options)).get("plug", "")  # tells adapters with equal ids apart
        if ports.setdefault((port, plug), device.family) != device.family:
            raise BadInput(f"devices.{place}.url: a device of another family is at {port}")


def deck_number(house: Mapping[str, object], *, has_shuffler: bool) -> int:
    """How many decks a table has: what the house says, else two where there is a shuffler. Raises BadInput."""
    number = house.get("decks", 2 if has_shuffler else 1)
    if number == 2 and not has_shuffler:
        raise BadInput("house.decks: two decks need a shuffler, which is at one while the other is played; allowed: 1")
    return 1 if number == 1 else 2


def places_of(config: Config) -> list[Occupied]:
    """The places of the table and the devices that sit there."""
    return [Occupied(name, one.url, one.family, one.serial, one.firmware) for name, one in config.devices.items()]


def _tuples(value: Any, depth: int = 0) -> Any:
    """TOML has lists only; limits are pairs."""
    match value:
        case dict():
            return {key: _tuples(item, depth + 1) for key, item in value.items()}
        case list() if depth == 2:
            return tuple(value)
        case _:
            return value


def _first(error: ValidationError) -> str:
    """The first thing wrong, as `key: what; allowed is what`."""
    found = error.errors(include_url=False)[0]
    path = [str(part) for part in found["loc"] if part != "[key]"]
    key = ".".join(path)
    if path[0] == "house" and len(path) > 1:
        allowed = "a word, a whole number, true, false or the lines of a paytable"
        return f"house.{path[1]}: {found['input']!r} is not allowed; {allowed}"
    if isinstance(found["loc"][-1], int):
        return f"{'.'.join(path[:-1])}: a pair [least, most] of whole numbers is needed"
    match found["type"]:
        case "extra_forbidden":
            return f"unknown key {key!r}{_allowed(path[-1], _keys(path[:-1]))}"
        case "missing":
            return f"{key} is missing"
        case "literal_error" if path[-1] in get_args(Place) or path[0] != "devices":
            return f"{key}: {found['input']!r} is not allowed; allowed: {found['ctx']['expected']}"
        case "literal_error":
            return f"unknown key {key!r}{_allowed(path[-1], get_args(Place))}"
        case "too_long" | "too_short" | "tuple_type":
            return f"{key}: a pair [least, most] of whole numbers is needed"
        case _:
            message = found["msg"][0].lower() + found["msg"][1:]
            return f"{key}: {found['input']!r} is not allowed; {message.removeprefix('input ')}"


def _keys(path: list[str]) -> list[str]:
    """The keys that the section at a path allows."""
    section: Any = Config
    for part in path:
        field = section.model_fields.get(part) if hasattr(section, "model_fields") else None
        kinds = [field.annotation, *get_args(field.annotation)] if field else [section, *get_args(section)]
        section = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        if section is None and field:
            section = field.annotation
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, BaseModel) else []


def _allowed(word: str, words: Any) -> str:
    near = difflib.get_close_matches(word, list(words), n=1)
    meant = f", did you mean {near[0]!r}?" if near else ";"
    return f"{meant} allowed: {', '.join(words)}"
