"""What a journal, and a device itself, tell of its past: who sat at a place last, and what its counts said."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protocols.message import Event
from protocols.vocabulary import EventCode, Identity, Verdict
from shoectl.journal import Reader
from shoectl.journal.reader import understood
from shoectl.table.evidence import unit_of

COUNTS = (EventCode.SHUFFLE_DONE, EventCode.SHOE_COUNT)


@dataclass(frozen=True)
class Known:
    """The device that sat at a place last, as the journal has it."""

    family: str
    serial: str
    epoch: int
    firmware: str


@dataclass(frozen=True)
class Counted:
    """One verdict of a device (common.md §9). `at` is when the journal got it, in UTC; empty from the device itself."""

    event: str
    seq: int
    epoch: int
    cycle: int
    verdict: str
    counted: int
    expected: int
    at: str = ""

    @property
    def json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def verdict_of(event: Event, epoch: int) -> Counted | None:
    """The verdict that an event tells; None where it tells none."""
    if event.code not in COUNTS:
        return None
    return _verdict(event.code, event.seq, epoch, event.body)


def _verdict(code: int, seq: int, epoch: int, body: Mapping[str, Any], at: str = "") -> Counted:
    number = body["verdict"]
    name = Verdict(number).name.lower() if number in list(Verdict) else f"verdict {number}"
    counted = body["counted" if code == EventCode.SHOE_COUNT else "out"]
    return Counted(EventCode(code).name, seq, epoch, body["cycle"], name, counted, body["expected"], at)


def verdicts(journal: Path, identity: Identity) -> list[Counted]:
    """All verdicts of a device that a journal holds, in order. Raises BadInput, CheckFailed for a damaged one."""
    found, unit = [], unit_of(identity)
    with Reader(journal) as reader:
        for entry in reader.entries():
            if entry.kind != "event":
                continue
            with understood(entry.n):
                body = entry.body
                if body["code"] in COUNTS and body["unit"] == unit:
                    at = datetime.datetime.fromtimestamp(entry.wall / 1e6, datetime.UTC).isoformat(timespec="seconds")
                    found.append(_verdict(body["code"], body["seq"], body["epoch"], body["body"], at))
    return found


def known(journal: Path) -> dict[str, Known]:
    """Who sat last at each place. Raises BadInput, CheckFailed for a damaged journal."""
    found: dict[str, Known] = {}
    with Reader(journal) as reader:
        rounds = reader.rounds()
        for entry in reader.entries(rounds[-1] if rounds else 1):
            with understood(entry.n):
                for told in _attached(entry.kind, entry.body):
                    found[told["place"]] = Known(told["family"], told["serial"], told["epoch"], told["firmware"])
    return found


def _attached(kind: str, body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The devices that an entry tells of: one that came, or all that were there when a round was opened."""
    if kind == "device":
        yield body
    elif kind == "round":
        yield from body["places"]
