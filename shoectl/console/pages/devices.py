"""The devices as the pit's page shows them, and their faults in plain words."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.history import VERDICTS, Fault, Past
from shoectl.console.pages.words import capital
from shoectl.faults import CONDITIONS, words_of

Json = Mapping[str, Any]
OK, ASK, STOP = "ok", "ask", "stop"
MARKS: Final = {"proven": OK, "unsure": ASK, "wrong": STOP}
WORDS: Final = {
    "shuffler": {"proven": "proven", "unsure": "not proven", "wrong": "wrong"},
    "shoe": {"proven": "with every card explained", "unsure": "cannot tell", "wrong": "wrong"},
}


@dataclass(frozen=True)
class Device:
    """One tile: what it is, how it is (with a mark), what it does, facts, and its last verdicts as a row of bars."""

    name: str
    tone: str
    mark: str
    state: str
    meter: tuple[int, int] | None
    facts: tuple[tuple[str, str], ...]
    caption: str
    spark: tuple[str, ...]
    spark_text: str


@dataclass(frozen=True)
class Trouble:
    """One open fault: what is wrong, what to do, since when, and its page in the operators' documents."""

    mark: str
    title: str
    do: str
    page: str


def tiles(devices: Sequence[Json], past: Past, held: str = "") -> tuple[Device, ...]:
    """A tile for each device; a hold of the open step is at the place `held`."""
    return tuple(_tile(one, past, str(one["place"]) == held) for one in devices)


def _tile(one: Json, past: Past, held: bool) -> Device:
    place, online, condition = str(one["place"]), bool(one["online"]), str(one["condition"])
    faults = [fault for fault in past.faults if fault.place == place]
    tone = STOP if not online else ASK if held or faults or condition != "online" else OK
    progress = one.get("progress") or {}
    moving = online and bool(progress) and progress["done"] < progress["total"]
    if not online:
        state = _gone(condition)
    elif faults:
        state = words_of(faults[-1].code).title
    elif condition != "online":
        state = capital(condition)
    elif held:
        state = "Held, it moves nothing"
    else:
        state = f"Moving, {progress['done']} of {progress['total']}" if moving else "Ready"
    verdicts = [str(verdict["verdict"]) for verdict in one["verdicts"]]
    return Device(
        name=capital(place),
        tone=tone,
        mark="" if tone == OK else tone,
        state=state,
        meter=(progress["done"], progress["total"]) if moving else None,
        facts=_facts(one, past),
        caption=f"Last {VERDICTS} {'loads' if place == 'shoe' else 'verdicts'}",
        spark=tuple("" if MARKS[verdict] == OK else MARKS[verdict] for verdict in verdicts),
        spark_text=_counted(place, verdicts),
    )


def _facts(one: Json, past: Past) -> tuple[tuple[str, str], ...]:
    place, counters = str(one["place"]), one["counters"]
    unit = f"{capital(str(one['family']))} {one['serial']}".strip()
    done = past.today.get(place, 0)
    what = "loads" if place == "shoe" else "cycles"
    faults = past.today.get(f"{place} faults", 0)
    link = f"{counters.get('reconnects', 0)} reconnects, {counters.get('resends', 0)} resends"
    return (
        ("Unit", unit),
        ("Firmware", str(one["firmware"]) or "unknown"),
        ("Link", link if one["online"] else "down"),
        ("Today", f"{done} {what}, {faults} {'fault' if faults == 1 else 'faults'}"),
    )


def _counted(place: str, verdicts: Sequence[str]) -> str:
    """The verdicts in words: `22 proven, 1 not proven, 1 wrong`."""
    words, found = WORDS.get(place, WORDS["shuffler"]), Counter(verdicts)
    return ", ".join(f"{found[verdict]} {words[verdict]}" for verdict in MARKS if found[verdict]) or "none yet"


def troubles(devices: Sequence[Json], past: Past) -> tuple[Trouble, ...]:
    """Every open fault, those of devices that do not answer first."""
    away = [_away(one) for one in devices if not one["online"]]
    line = CONDITIONS["line"]
    unsteady = [
        Trouble(ASK, f"{capital(str(one['place']))}: {one['condition']}", line.do, line.page)
        for one in devices
        if one["online"] and one["condition"] != "online"
    ]
    return (*away, *unsteady, *map(_fault, past.faults))


def _away(one: Json) -> Trouble:
    words = CONDITIONS["link-lost"]
    return Trouble(STOP, f"{capital(str(one['place']))}: {_gone(str(one['condition'])).lower()}", words.do, words.page)


def _gone(condition: str) -> str:
    """How a device is that is not there: what it was last told as may be older than that."""
    return capital(condition) if condition != "online" else "No answer"


def _fault(fault: Fault) -> Trouble:
    words = words_of(fault.code)
    since = time.strftime("%H:%M", time.localtime(fault.since))
    return Trouble(
        ASK, f"{capital(fault.place)}: {words.title[:1].lower()}{words.title[1:]}, since {since}", words.do, words.page
    )
