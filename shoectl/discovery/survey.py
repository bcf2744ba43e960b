"""All ports at once: who answers where. A port that another program has is not opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qsl, quote

from protocols.family import families
from shoectl.discovery.ask import Answer, Try, ask, tries, with_options
from shoectl.discovery.attached import Port
from shoectl.discovery.system import System
from shoectl.transports import TransportError

AT_ONCE: Final = 16  # ports that are asked side by side
Progress = Callable[[int, int], None]
"""Tries that are over, and how many there are."""


class State(StrEnum):
    """What came of a port."""

    ANSWERS = "answers"
    SILENT = "silent"
    HELD = "held"
    """Another program has it."""
    REFUSED = "refused"
    """It does not open."""
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Seen:
    """A port and who answers there. `why`: who holds it, or why it does not open."""

    port: Port
    state: State
    answers: tuple[Answer, ...] = ()
    why: str = ""


async def survey(
    system: System,
    ports: Sequence[Port],
    *,
    patience: float = 1.0,
    progress: Progress = lambda done, total: None,
) -> list[Seen]:
    """Ask at every port, side by side. Takes as long as the port that takes longest: some 14 s for a silent line."""
    plans = [tries(port) for port in ports]
    count = Counted(sum(map(len, plans)), progress)
    room, turns = asyncio.Semaphore(AT_ONCE), Turns()

    async def one(port: Port, plan: list[Try]) -> Seen:
        async with turns.of(port), room:
            return await look_at(system, port, plan, count, patience)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(port, plan)) for port, plan in zip(ports, plans, strict=True)]
    return _by_serial([task.result() for task in tasks])


class Turns:
    """Who has to wait for whom: places on one port; devices of a USB/IP server with equal ids, for whoever looks for
    one of them has the others for a moment.
    """

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}

    def of(self, port: Port) -> asyncio.Lock:
        """The turn of a port."""
        base, _, options = port.url.partition("?")
        server = dict(parse_qsl(options)).get("usbip", "")
        if server:
            base = f"{base.split('/')[2]} {server}"
        return self._locks.setdefault(port.node or base, asyncio.Lock())


class Counted:
    """How far a survey is."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done, self._total, self._progress = 0, total, progress
        progress(0, total)

    def over(self, count: int) -> None:
        """So many tries are over, or not needed any more."""
        self._done += count
        self._progress(self._done, self._total)


async def look_at(system: System, port: Port, plan: Sequence[Try], count: Counted, patience: float = 1.0) -> Seen:
    """Try one after the other until somebody answers."""
    left = len(plan)
    try:
        if holder := held_by(system, port):
            return Seen(port, State.HELD, why=holder)
        for one in plan:
            try:
                answers = await ask(one, patience=patience)
            except TransportError as error:
                if left == len(plan):
                    return Seen(port, State.REFUSED, why=str(error))
                answers = []  # it opened before: this rate it does not have
            if answers:
                return Seen(port, State.ANSWERS, tuple(answers))
            count.over(1)
            left -= 1
    finally:
        count.over(left)
    return Seen(port, State.SILENT)


def held_by(system: System, port: Port) -> str:
    """Who has a port of this machine, in words; empty where nobody has it that we may see."""
    if not port.node or not system.there(port.node):
        return ""
    if port.node.rpartition("/")[2] in system.text("/sys/class/tty/console/active").split():
        return "the system's console"
    pid = system.holder(port.node)
    return "" if pid is None else system.process(pid)


def _by_serial(seen: list[Seen]) -> list[Seen]:
    """Devices on the bus that were found by their plug are named by their serial number, where no two share it."""
    urls = [_name(one.port, answer) for one in seen for answer in one.answers]

    def renamed(port: Port, answer: Answer) -> Answer:
        name = _name(port, answer)
        return answer if urls.count(name) > 1 else replace(answer, url=name)

    return [replace(one, answers=tuple(renamed(one.port, answer) for answer in one.answers)) for one in seen]


def _name(port: Port, answer: Answer) -> str:
    """A URL with the serial number, for a device whose plug is its own and has that number (each family's document)."""
    plug = families()[answer.family].line.get("usb")
    if port.usb is None or plug is None or not answer.url.startswith("usb:"):
        return answer.url
    if (port.usb.vendor, port.usb.product) != (plug.vendor, plug.product):
        return answer.url
    base, _, options = with_options(answer.url, plug=None).partition("?")
    return f"{base.rpartition('/')[0] if base.count('/') > 2 else base}/{quote(answer.identity.serial)}" + (
        f"?{options}" if options else ""
    )
