"""Enough of udev's language to say what our rules do to a device: matches, assignments, jumps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "udev"
_ITEM = re.compile(r'\s*([A-Z]+)(?:\{([^}]+)\})?\s*(==|!=|\+=|:=|=)\s*"([^"]*)"\s*(?:,|$)')


@dataclass(frozen=True)
class Device:
    """A device as the kernel tells of it. `attributes` are its own; `above` those of each parent, nearest first."""

    subsystem: str
    kernel: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    above: Sequence[Mapping[str, str]] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    action: str = "add"


@dataclass
class Outcome:
    """What the rules made of it. `written`: attributes that were set."""

    group: str = ""
    mode: str = ""
    names: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    key: str
    of: str
    op: str
    value: str


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.rules"))


def read(text: str) -> list[list[Item]]:
    """The rules of a file. Raises AssertionError for a line that is none."""
    rules = []
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        items, at = [], 0
        while at < len(line.rstrip()):
            found = _ITEM.match(line, at)
            assert found is not None, f"no rule: {line[at:]}"
            items.append(Item(found[1], found[2] or "", found[3], found[4]))
            at = found.end()
        rules.append(items)
    return rules


def apply(device: Device, *, others: Sequence[tuple[str, str]] = ()) -> Outcome:
    """All our files, and `others` as (name, text), in the order of their names."""
    outcome = Outcome(properties=dict(device.properties))
    texts = [(file.name, file.read_text(encoding="utf-8")) for file in files()]
    for _, text in sorted([*texts, *others]):
        _apply(read(text), device, outcome)
    return outcome


def _apply(rules: list[list[Item]], device: Device, outcome: Outcome) -> None:
    wanted = ""
    for rule in rules:
        labels = {item.value for item in rule if item.key == "LABEL"}
        if wanted and wanted not in labels:
            continue
        wanted = ""
        parent = _parent(rule, device)
        own = [item for item in rule if item.op in ("==", "!=") and item.key != "ATTRS"]
        if parent is None or not all(_holds(item, device, outcome) for item in own):
            continue
        for item in rule:
            if item.op not in ("==", "!="):
                wanted = _assign(item, device, parent, outcome) or wanted
    assert not wanted, f"no label {wanted}"


def _parent(rule: list[Item], device: Device) -> Mapping[str, str] | None:
    """The device or the first of its parents that has all of a rule's ATTRS."""
    asked = [item for item in rule if item.key == "ATTRS"]
    chain = (device.attributes, *device.above)
    return next((one for one in chain if all(_fits(one.get(i.of, ""), i) for i in asked)), None)


def _fits(told: str, item: Item) -> bool:
    return any(fnmatchcase(told, each) for each in item.value.split("|")) is (item.op == "==")


def _holds(item: Item, device: Device, outcome: Outcome) -> bool:
    match item.key:
        case "ACTION":
            told = device.action
        case "SUBSYSTEM":
            told = device.subsystem
        case "KERNEL":
            told = device.kernel
        case "ENV":
            told = outcome.properties.get(item.of, "")
        case "ATTR":
            told = device.attributes.get(item.of, "")
        case "TEST":
            return (item.value in device.attributes) is (item.op == "==")
        case other:
            raise AssertionError(f"no match is known as {other}")
    return _fits(told, item)


def _assign(item: Item, device: Device, parent: Mapping[str, str], outcome: Outcome) -> str:
    """Carry one out; the label to go to, if it says so."""
    serial = re.sub(r"[^\w#+\-.:=@/]", "_", device.attributes.get("serial") or parent.get("serial", ""))
    value = item.value.replace("$attr{serial}", serial)
    match item.key:
        case "GROUP":
            outcome.group = value
        case "MODE":
            outcome.mode = value
        case "SYMLINK":
            outcome.names.append(value)
        case "ENV":
            outcome.properties[item.of] = value
        case "ATTR":
            outcome.written[item.of] = value
        case "GOTO":
            return value
        case "TAG" | "LABEL":
            pass
        case other:
            raise AssertionError(f"no assignment is known as {other}")
    return ""
