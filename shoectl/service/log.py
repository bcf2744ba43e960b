"""Where the log goes: to journald with fields where standard error is its stream, else to standard error or a file.

journald's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): one datagram an entry, `NAME=value` lines, a value with
line breaks as its name, its length (8 bytes, little-endian) and its bytes. Nothing rotates here, nothing is a file.

A line of the log holds no face; what it belongs to stands in fields of its own: ROUND, STEP, DEVICE (the place), FAULT.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from protocols.vocabulary import EventCode
from shoectl.devices.station import Station
from shoectl.faults import FAULTS
from shoectl.table.runner import Runner

JOURNALD: Final = Path("/run/systemd/journal/socket")
LONGEST: Final = 8_192  # bytes of one value
PRIORITIES: Final = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (0, 7))
FIELDS: Final = ("round", "step", "device", "fault")  # attributes of a record that become fields

log = logging.getLogger("shoectl.table")


class JournaldLog(logging.Handler):
    """Sends each record as one datagram; where none is taken, it goes to standard error with its priority."""

    def __init__(self, address: Path = JOURNALD) -> None:
        super().__init__()
        self._address = str(address)
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._line.setblocking(False)

    def emit(self, record: logging.LogRecord) -> None:
        """One record. Never waits and never fails."""
        text = self.format(record)
        try:
            self._line.sendto(datagram(record, text), self._address)
        except OSError:
            with suppress(OSError):
                print(f"<{priority(record.levelno)}>{' '.join(text.split())}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Close the socket."""
        self._line.close()
        super().close()


def priority(level: int) -> int:
    """A level of logging as syslog has it."""
    return next(number for least, number in PRIORITIES if level >= least)


def datagram(record: logging.LogRecord, text: str) -> bytes:
    """A record as journald takes it."""
    fields = {
        "MESSAGE": text,
        "PRIORITY": priority(record.levelno),
        "SYSLOG_IDENTIFIER": "shoectl",
        "LOGGER": record.name,
        "CODE_FILE": record.pathname,
        "CODE_LINE": record.lineno,
        "CODE_FUNC": record.funcName,
    }
    fields |= {name.upper(): value for name in FIELDS if (value := getattr(record, name, None)) is not None}
    return b"".join(_field(name, str(value)) for name, value in fields.items())


def _field(name: str, value: str) -> bytes:
    data = value.encode("utf-8", "backslashreplace")[:LONGEST]
    if b"\n" in data:
        return b"%b\n%b%b\n" % (name.encode(), struct.pack("<Q", len(data)), data)
    return b"%b=%b\n" % (name.encode(), data)


def is_journald(environment: Mapping[str, str], descriptor: int = 2) -> bool:
    """Whether a descriptor leads to journald: $JOURNAL_STREAM names device and inode of the stream it gave."""
    try:
        told = os.fstat(descriptor)
    except OSError:
        return False
    return environment.get("JOURNAL_STREAM", "") == f"{told.st_dev}:{told.st_ino}"


def log_to(file: Path | None) -> None:
    """Where lines go: warnings alone, with SHOECTL_DEBUG everything; `file` while a picture fills the terminal."""
    level = logging.INFO if os.environ.get("SHOECTL_DEBUG") else logging.WARNING
    if file is None and is_journald(os.environ):
        logging.basicConfig(handlers=[JournaldLog()], level=level, format="%(message)s")
        logging.getLogger("shoectl").setLevel(logging.INFO)  # what is worth keeping where nothing scrolls away
        return
    if file is not None:
        file.touch(mode=0o600)
    form = "%(message)s" if file is None else "%(asctime)s %(message)s"
    logging.basicConfig(filename=file, level=level, format=form)


class _Where(logging.Filter):
    """Puts round and step of a table into every record."""

    def __init__(self, table: Runner[Any]) -> None:
        super().__init__()
        self._table = table

    def filter(self, record: logging.LogRecord) -> bool:
        record.round = self._table.round_no
        record.step = self._table.round.number if self._table.round is not None else None
        return True


async def told_in_log(table: Runner[Any], _: Mapping[str, Station]) -> None:
    """Give every line its round and step, and write faults and holds of the table there; for the daemon's group."""
    where = _Where(table)
    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(where)
    told = _Told(table)
    table.listen(told.look)
    try:
        await asyncio.get_running_loop().create_future()  # until cancelled
    finally:
        for handler in handlers:
            handler.removeFilter(where)


class _Told:
    """What was said of a table: faults and holds up to an entry."""

    def __init__(self, table: Runner[Any]) -> None:
        self._table = table
        self._last = table.journal.last

    def look(self) -> None:
        """At each change: say what is new."""
        facts = self._table.facts
        for one in facts.events(None, *FAULTS, after=self._last):
            words = FAULTS[one.event.code]
            extra = {"device": one.place, "fault": EventCode(one.event.code).name}
            log.warning("%s: %s. %s", one.place, words.title, words.do, extra=extra)
        for hold in facts.holds:
            if hold.word is None and hold.entry > self._last:
                log.warning("held: %s", hold.text)
        events, holds = facts.events(after=self._last), facts.holds
        self._last = max([self._last, *(one.entry for one in events), *(one.entry for one in holds)])
