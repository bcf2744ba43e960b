"""Word to the service manager: datagrams to the socket that $NOTIFY_SOCKET names (sd_notify(3)).

Nothing is said where there is none, and a manager that does not take what it is told never holds up the table.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, Self

STATUS_MOST: Final = 200  # characters: it is one line of `systemctl status`


class Notify:
    """A service manager that wants to hear of this process, or nobody.

    `watchdog` is how often it wants a sign of life, in seconds; None where it wants none.
    """

    def __init__(self, address: str = "", watchdog: float | None = None) -> None:
        self.watchdog = watchdog
        self._address = "\0" + address[1:] if address.startswith("@") else address

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """The one that started this process, by its environment."""
        address = environment.get("NOTIFY_SOCKET", "")
        every, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        meant = bool(address) and every.isdecimal() and int(every) > 0 and pid in ("", str(os.getpid()))
        return cls(address if address[:1] in ("/", "@") else "", int(every) / 1e6 if meant else None)

    def __bool__(self) -> bool:
        return bool(self._address)

    def ready(self) -> None:
        """The table is up."""
        self._tell("READY=1")

    def status(self, text: str) -> None:
        """How it is, in a line for people. Holds no face."""
        self._tell(f"STATUS={' '.join(text.split())[:STATUS_MOST]}")

    def alive(self) -> None:
        """Every task has gone on since the last time."""
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1")

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """The configuration is read again in the block."""
        self._tell(f"RELOADING=1\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")
        try:
            yield
        finally:
            self._tell("READY=1")

    def _tell(self, lines: str) -> None:
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
            line.sendto(lines.encode(), self._address)
