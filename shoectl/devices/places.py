"""From the places of a table, as a configuration names them, to stations. Places on one port share its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from protocols.family import Family, families
from protocols.handshake import Pin
from shoectl.devices.line import Line
from shoectl.devices.record import Record
from shoectl.devices.station import Station
from shoectl.errors import BadInput
from shoectl.transports import Transport, open_transport, split_url

SHARED = ("serial", "tcp", "rfc2217", "usb")  # schemes whose port may have several devices behind it
HALF_DUPLEX_GAP_S = 0.005  # the line is quiet that long before another device is spoken to (birch.md §1)


@dataclass(frozen=True)
class Place:
    """A place of the table: its name (`shoe`), where its device is, its family; serial and firmware version if set.

    `pin`: the security level that the link insists on, and the key of the device; None for a plain link.
    """

    name: str
    url: str
    family: str
    serial: str | None = None
    firmware: str | None = None
    pin: Pin | None = None


def occupy(
    places: Sequence[Place], record: Record, *, make: Callable[[str], Transport] = open_transport
) -> dict[str, Station]:
    """A station for each place, by name. Raises BadInput for a wrong URL, an unknown family, an address used twice."""
    stations: dict[str, Station] = {}
    lines: dict[str, tuple[Line, set[Any]]] = {}
    for place in places:
        family = _family(place)
        port, options = port_and_options(place.url, family)
        gap = HALF_DUPLEX_GAP_S if family.line.get("half_duplex") else 0.0
        line, taken = lines.setdefault(port, (Line(port, gap, make), set()))
        mark = options.get("address")
        if mark in taken:
            what = f"address {mark}" if mark is not None else "the port"
            raise BadInput(f"{place.name}: {what} of {port} is used by another place")
        taken.add(mark)
        make(port)  # says now what is wrong with the URL; opens nothing
        if place.pin is not None:
            options = {**options, "pin": place.pin}
        stations[place.name] = Station(
            place.name, family, line, record, serial=place.serial, firmware=place.firmware, options=options
        )
    return stations


def port_and_options(url: str, family: Family) -> tuple[str, Mapping[str, Any]]:
    """The URL of the port alone, with the family's line rate if it names none, and the options for the link."""
    parts = split_url(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    address = query.get("address")
    if parts.scheme in SHARED:
        query.pop("address", None)  # several addresses are one port
    if parts.scheme in ("serial", "usb", "rfc2217") and "baud" in family.line:
        query.setdefault("baud", str(family.line["baud"]))
    options: dict[str, Any] = {}
    if query.get("baud", "").isdecimal():
        options["baud"] = int(query["baud"])  # so that the link knows how long a frame is on the wire
    port = url.partition("?")[0] + (f"?{urlencode(query)}" if query else "")
    allowed = family.line.get("addresses")
    if allowed is None and address is not None:
        raise BadInput(f"{url!r}: the family {family.name} has no addresses")
    if allowed is not None:
        options["address"] = _address(url, address, family)
    return port, options


def _address(url: str, text: str | None, family: Family) -> int:
    allowed = family.line["addresses"]
    number = int(text) if text is not None and text.isdecimal() else None
    if text is None:
        number = family.line.get("address")
    if number is None or number not in allowed:
        raise BadInput(f"{url!r}: address is a whole number from {min(allowed)} to {max(allowed)}")
    return number


def _family(place: Place) -> Family:
    known = families()
    if place.family not in known:
        raise BadInput(f"{place.name}: unknown family {place.family!r}; known: {', '.join(known)}")
    return known[place.family]
