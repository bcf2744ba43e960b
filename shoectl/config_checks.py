"""What of a configuration only fits together, or not: devices and their keys, the bus, the pages, people, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl

from protocols.family import families
from protocols.handshake import Pin
from shoectl.config_errors import allowed_words
from shoectl.config_sections import PATTERNS, TOPIC, Bus, Config, Console, Device
from shoectl.devices.places import Place, occupy
from shoectl.devices.record import Record
from shoectl.errors import BadInput
from shoectl.secret import Secret
from shoectl.transports.network import is_here

LARGEST_PORT = 65535


def check_devices(config: Config) -> None:
    """Families, addresses, security levels. Opens and reads nothing. Raises BadInput."""
    for place, device in config.devices.items():
        if device.family not in families():
            known = allowed_words(device.family, families())
            raise BadInput(f"devices.{place}.family: unknown {device.family!r}{known}")
        _check_level(place, device)
    places = [Place(name, one.url, one.family, one.serial, one.firmware) for name, one in config.devices.items()]
    try:
        occupy(places, cast("Record", None))  # nothing is opened, so nothing is recorded
    except BadInput as error:
        raise BadInput(f"devices: {error}") from None
    ports: dict[tuple[str, str], str] = {}
    for place, device in config.devices.items():
        port, _, options = device.url.partition("?")
        plug = dict(parse_qsl(options)).get("plug", "")  # tells adapters with equal ids apart
        if ports.setdefault((port, plug), device.family) != device.family:
            raise BadInput(f"devices.{place}.url: a device of another family is at {port}")


def _check_level(place: str, device: Device) -> None:
    levels = families()[device.family].levels
    if device.level not in levels:
        allowed = ", ".join(map(str, levels))
        raise BadInput(f"devices.{place}.level: {device.level} is not allowed for {device.family}; allowed: {allowed}")
    if device.level and device.key is None:
        what = f"devices.{place}.key is missing: security level {device.level} needs the key of the device"
        raise BadInput(f'{what}; {{ file = "/path" }} or {{ credential = "name" }}')
    if device.key is not None and not device.level:
        what = f"devices.{place}.key: a key, but devices.{place}.level is 0, which uses none"
        raise BadInput(f"{what}; 1 (authenticated) or 2 (encrypted too)")
    if device.key is None and "key_id" in device.model_fields_set:
        raise BadInput(f"devices.{place}.key_id: the number of a key, but there is no devices.{place}.key")


def pin_of(place: str, device: Device) -> Pin | None:
    """What the link to a device insists on; None for a plain one. Reads the key. Raises BadInput."""
    if device.key is None:
        return None
    try:
        return Pin(device.level, device.key.read_key(), device.key_id)
    except BadInput as error:
        raise BadInput(f"devices.{place}.key: {error}") from None


def pins_of(config: Config) -> dict[str, Pin | None]:
    """The pins of all places. Raises BadInput, also for a key that two devices have."""
    pins: dict[str, Pin | None] = {}
    for place, device in config.devices.items():
        pin = pin_of(place, device)
        twin = next((name for name, other in pins.items() if pin and other and other.key == pin.key), None)
        if twin is not None:
            raise BadInput(f"devices.{place}.key: the same key as devices.{twin}; each device has one of its own")
        pins[place] = pin
    return pins


def check_people(config: Config) -> None:
    """Two persons have two numbers. Raises BadInput."""
    if config.people.dealer == config.people.floor:
        raise BadInput(f"people.floor: {config.people.floor} is the dealer's number; allowed: another one")


def check_console(console: Console | None) -> None:
    """Where the pages may listen. Raises BadInput."""
    if console is None:
        return
    host, _, port = console.listen.rpartition(":")
    if not 0 < int(port) <= LARGEST_PORT:
        raise BadInput(f"console.listen: port {port} is not allowed; 1 to {LARGEST_PORT}")
    _check_pair("console", console.cert, console.key)
    if console.cert is None and not is_here(host.strip("[]")):
        what = f"console.listen: {console.listen!r} is open to others, and there is no TLS"
        raise BadInput(f"{what}; console.cert and console.key, or an address such as 127.0.0.1:{port}")


def check_bus(config: Config) -> None:
    """How the broker is reached, and the name of the topics. Raises BadInput."""
    bus = config.bus
    if bus is None:
        return
    _check_pair("bus", bus.cert, bus.key)
    if bus.password is not None and bus.username is None:
        raise BadInput("bus.username is missing: a password is of somebody")
    if not bus.tls:
        _check_plain(bus)
    if bus.table is None and not re.fullmatch(TOPIC, config.table.name):
        what = f"bus.table is missing: table.name {config.table.name!r} cannot be part of a topic"
        raise BadInput(f"{what}; {PATTERNS[TOPIC]}")


def _check_plain(bus: Bus) -> None:
    if not is_here(bus.host.strip("[]")):
        raise BadInput(
            f"bus.tls: false, but {bus.host!r} is another machine; true, or a broker on this one (127.0.0.1)"
        )
    named = next((name for name in ("ca", "cert") if getattr(bus, name) is not None), None)
    if named is not None:
        raise BadInput(f"bus.{named}: of no use while bus.tls is false; leave it out, or set bus.tls = true")


def _check_pair(section: str, cert: str | None, key: str | None) -> None:
    if (cert is None) != (key is None):
        lack, has = ("key", "cert") if key is None else ("cert", "key")
        raise BadInput(f"{section}.{lack} is missing: {section}.{has} is of no use alone")


# what a configuration names


def check_files(config: Config) -> None:
    """Whether this user can read every file and secret that the configuration names. Raises BadInput."""
    pins_of(config)
    for key, secret in _secrets(config):
        try:
            secret.read()
        except BadInput as error:
            raise BadInput(f"{key}: {error}") from None
    for key, path in _files(config):
        try:
            with path.open("rb") as file:
                file.read(1)
        except OSError as error:
            raise BadInput(f"{key}: {path}: {(error.strerror or str(error)).lower()}") from None


def _secrets(config: Config) -> Iterator[tuple[str, Secret]]:
    """Those that are no keys of devices."""
    if config.bus and config.bus.password:
        yield "bus.password", config.bus.password


def _files(config: Config) -> Iterator[tuple[str, Path]]:
    """Files that have to be there. The register need not: it comes with the first person."""
    for section in ("bus", "console"):
        for name in ("ca", "cert", "key"):
            if path := getattr(getattr(config, section), name, None):
                yield f"{section}.{name}", Path(path)
    if config.people.file and Path(config.people.file).exists():
        yield "people.file", Path(config.people.file)
