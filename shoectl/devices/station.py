"""A place of the table and the device that occupies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.family import Family, Verb
from protocols.vocabulary import Identity
from shoectl.devices.command import Command, Reply
from shoectl.devices.record import Record
from shoectl.errors import BadInput


class Station:
    """Keeps one place of the table occupied by one device."""

    def __init__(self, name: str, url: str, family: Family, record: Record, *, serial: str | None = None) -> None:
        self.name = name
        self.family = family
        self.identity: Identity | None = None
        self.online = False
        self.condition = "not started"

    def type_of(self, verb: Verb) -> str:
        """The message type by which this family says a verb. Raises BadInput where it cannot."""
        try:
            return self.family.verbs[verb]
        except KeyError:
            raise BadInput(f"{self.name}: a {self.family.name} cannot {verb.replace('_', ' ')}") from None

    async def run(self) -> None:
        """Open, identify, deliver, and open again after a loss, for ever. For the daemon's task group."""
        raise NotImplementedError

    async def ready(self) -> None:
        """Return once the link is up, the device identified and its event ring read to the end."""
        raise NotImplementedError

    async def command(self, id: int, command: Command) -> Reply:
        """Send an S or M command under an id that is durable already. Raises DeviceLost."""
        raise NotImplementedError

    async def ask(self, what: Verb | str, body: Mapping[str, Any] | None = None) -> Reply:
        """Send a question (class Q) by verb or message type. Raises DeviceLost."""
        raise NotImplementedError

    async def fate(self, id: int) -> tuple[str, int] | None:
        """What became of a command: its type and result; None if it never ran. Raises DeviceLost."""
        raise NotImplementedError

    async def catch_up(self) -> None:
        """Return when every event that the device had recorded at the call is in the journal. Raises DeviceLost."""
        raise NotImplementedError

    async def status(self) -> Mapping[str, Any]:
        """The STATUS body. Raises DeviceLost."""
        raise NotImplementedError

    async def faults(self) -> list[tuple[int, int]]:
        """Open faults as (first seq, code), oldest first. Raises DeviceLost."""
        raise NotImplementedError
