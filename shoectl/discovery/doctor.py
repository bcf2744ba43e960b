"""The doctor: every check on every place of a table, or on whatever is attached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote, urlsplit

from protocols.family import families
from shoectl.devices.places import Place
from shoectl.discovery import checks_node, checks_usb
from shoectl.discovery.ask import Answer
from shoectl.discovery.attached import Port, attached, given, twins
from shoectl.discovery.bus import UsbDevice, usb_devices
from shoectl.discovery.checks_device import device, key
from shoectl.discovery.finding import HOPELESS, Demand, Finding, Subject
from shoectl.discovery.history import Known
from shoectl.discovery.survey import Counted, Progress, Turns
from shoectl.discovery.system import System
from shoectl.transports import split_url
from shoectl.transports.usb_find import wanted

CHECKS: Final[tuple[Callable[[System, Subject], Iterator[Finding]], ...]] = (
    checks_node.node,
    checks_node.rules_there,
    checks_node.permission,
    checks_node.rights,
    checks_node.busy,
    checks_node.lock_file,
    checks_node.reports,
    checks_usb.the_library,
    checks_usb.modem_service,
    checks_usb.latency,
    checks_usb.awake,
)
"""What is checked of each subject without opening anything."""


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong, and who answers where."""

    findings: tuple[Finding, ...]
    well: tuple[tuple[Subject, Answer], ...] = ()


def places_of(
    system: System,
    places: Sequence[Place],
    known: Mapping[str, Known] | None = None,
    demands: Mapping[str, Demand] | None = None,
) -> list[Subject]:
    """The places of a table; `known` and `demands` by place."""
    ports, devices = attached(system), usb_devices(system)
    found = []
    for place in places:
        url = urlsplit(place.url)
        port = _with_device(given(place.url, system, ports), devices)
        path = unquote(url.path) if url.scheme in ("serial", "hid") else ""
        last, demand = (known or {}).get(place.name), (demands or {}).get(place.name, Demand())
        family = families()[place.family]
        found.append(Subject(place.name, port, path, family, place.serial, place.firmware, last, demand))
    return found


def _with_device(port: Port, devices: Iterable[UsbDevice]) -> Port:
    """A USB URL with the device that it names, where that is one of this machine."""
    if not port.url.startswith("usb:") or "usbip=" in port.url:
        return port
    want = wanted(split_url(port.url))
    ids = (want.vendor, want.product)
    fitting = [
        one for one in devices if (one.vendor, one.product) == ids and checks_usb.fits(one, want.serial, want.plug)
    ]
    return replace(port, usb=fitting[0], node=fitting[0].node) if len(fitting) == 1 else port


def ports_as_subjects(ports: Sequence[Port]) -> list[Subject]:
    """Ports that are just there."""
    return [Subject("", port, port.path) for port in ports]


async def diagnose(
    system: System,
    subjects: Sequence[Subject],
    *,
    asks: bool = True,
    patience: float = 1.0,
    progress: Progress = lambda done, total: None,
) -> Diagnosis:
    """Check everything; ask the devices that can be asked, those on different ports side by side."""
    if not subjects:
        do = "plug a device in and switch it on; --url and --usbip name others"
        return Diagnosis((Finding("nothing-attached", "this machine", "nothing that may be ours is attached", do),))
    devices = usb_devices(system)
    still = {subject: list(_still(system, subject, devices)) for subject in subjects}
    findings = list(_machine(system, subjects, devices))
    well: list[tuple[Subject, Answer]] = []
    count = Counted(len(subjects), progress)
    turns = Turns()

    async def one(subject: Subject) -> tuple[list[Answer], list[Finding]]:
        taken = frozenset(
            key(other.port.url, other.family.name) for other in subjects if other is not subject and other.family
        )
        async with turns.of(subject.port):
            told = await device(subject, taken, patience)
        count.over(1)
        return told

    async with asyncio.TaskGroup() as group:
        asked = {
            subject: group.create_task(one(subject))
            for subject, found in still.items()
            if asks and not any(each.reason in HOPELESS for each in found)
        }
    for subject, found in still.items():
        answers, wrong = asked[subject].result() if subject in asked else ([], [])
        findings += found + wrong
        well += [(subject, answer) for answer in answers if not wrong]
    return Diagnosis(tuple(dict.fromkeys(findings)), tuple(well))


def _still(system: System, subject: Subject, devices: Sequence[UsbDevice]) -> Iterator[Finding]:
    """What is found without opening the port."""
    yield from checks_usb.on_the_bus(system, subject, devices)
    for check in CHECKS:
        yield from check(system, subject)
    yield from _shared_name(system, subject)


def _shared_name(system: System, subject: Subject) -> Iterator[Finding]:
    """Whether the name that a place uses may stand for another adapter tomorrow."""
    by_plug = "/by-path/" in subject.path or "plug=" in subject.port.url
    others = twins(subject.port, attached(system))
    if not subject.place or subject.scheme == "usb" or by_plug or not others or subject.port.usb is None:
        return
    device = subject.port.usb
    at = ", ".join(other.usb.plug for other in others if other.usb)
    names = [port.path for port in attached(system) if port.node == subject.port.node]
    what = f"{device.ids} {device.serial or 'without a serial number'} is there twice (also at {at})"
    yield subject.finding("twins", what, f"use the name by its plug: {', '.join(names)}")


def _machine(system: System, subjects: Sequence[Subject], devices: Sequence[UsbDevice]) -> Iterator[Finding]:
    """What is wrong with devices on the bus that have no node because of it; not with those named by usb://.

    Where every place has its node, the rest of the machine is nobody's business.
    """
    nodes = [one for one in subjects if one.scheme in ("serial", "hid")]
    if any(one.place for one in subjects) and all(system.there(one.path) for one in nodes):
        return
    without = {one.port.usb.folder for one in subjects if one.place and one.scheme == "usb" and one.port.usb}
    for each in devices:
        if each.folder not in without:
            yield from checks_usb.drivers(system, each)
            yield from checks_usb.braille(system, each)
