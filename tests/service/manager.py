"""A service manager, as far as a daemon can tell: it hears what is said to its socket and watches the time."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self


class Manager:
    """A datagram socket and what came in; a process that gives no sign of life in time is ended, as systemd does."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(self.path))
        self.heard: list[str] = []
        self.signs: list[float] = []  # when a sign of life came

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.line.close()

    def environment(self, watchdog: float | None = None) -> Mapping[str, str]:
        told = {"NOTIFY_SOCKET": str(self.path)}
        return told if watchdog is None else {**told, "WATCHDOG_USEC": str(int(watchdog * 1e6))}

    def hear(self, within: float = 0.0) -> list[str]:
        """What was said since; waits for something for so long."""
        fresh: list[str] = []
        while select.select([self.line], [], [], 0.0 if fresh else within)[0]:
            fresh += self.line.recv(4096).decode().splitlines()
        self.signs += [time.monotonic()] * fresh.count("WATCHDOG=1")
        self.heard += fresh
        return fresh

    def until(self, said: str | Callable[[], bool], within: float = 30.0) -> None:
        """Hear until something was said, or holds."""
        end = time.monotonic() + within
        while not (said() if callable(said) else any(one.startswith(said) for one in self.heard)):
            self.hear(0.1)
            assert time.monotonic() < end, f"not within {within} s: {said}; heard {self.heard[-5:]}"

    def watch(self, process: subprocess.Popen[str], watchdog: float, within: float = 30.0) -> float:
        """Watch a ready process; end it when it gives no sign for `watchdog` seconds. Returns how long it gave some."""
        begun = last = time.monotonic()
        self.signs.clear()
        while time.monotonic() - last < watchdog:
            assert time.monotonic() - begun < within, "it gave signs of life to the end"
            assert process.poll() is None, "it ended by itself"
            self.hear(0.05)
            last = max([last, *self.signs])
        os.kill(process.pid, signal.SIGABRT)
        return last - begun
