"""`shoesim` as a process, and a host at its ports: for tests."""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from protocols.family import families
from protocols.link import Link, Received, Side
from protocols.message import Event, Message, Request, Response

COMMAND = [sys.executable, "-m", "firmware_sim"]
PATIENCE = 20.0


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


@contextmanager
def shoesim(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A running simulator and its ready line."""
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield process, json.loads(line)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE)
        process.stdout.close()
        process.stderr.close()


class Port:
    """A host's link on a real descriptor."""

    def __init__(self, family: str, file: int | socket.socket, **options: Any) -> None:
        self.link: Link = families()[family].make_link(Side.HOST, **options)
        self.messages: list[Message] = []
        self.file = file
        self.selector = selectors.DefaultSelector()
        self.selector.register(file, selectors.EVENT_READ)
        self.link.open(time.monotonic())
        self.link.read_events_after(0)

    def until(self, reached: Any, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, [type(each).__name__ for each in self.messages]
            self.turn()

    def turn(self) -> None:
        number = self.file if isinstance(self.file, int) else self.file.fileno()
        now = time.monotonic()
        events = self.link.tick(now)
        data = self.link.output(now)
        if data:
            os.write(number, data)
        if self.selector.select(0.002):
            events += self.link.receive(os.read(number, 4096), time.monotonic())
        self.messages += [event.message for event in events if isinstance(event, Received)]

    def ask(self, type: str, id: int, **body: Any) -> Response:
        self.link.send(Request(type, id, body), time.monotonic())

        def answers() -> list[Response]:
            return [each for each in self.messages if isinstance(each, Response) and (each.type, each.id) == (type, id)]

        self.until(answers)
        return answers()[0]

    def names(self) -> list[str | None]:
        return [each.name for each in self.messages if isinstance(each, Event)]

    def close(self) -> None:
        self.selector.close()
        if isinstance(self.file, int):
            os.close(self.file)
        else:
            self.file.close()


@contextmanager
def terminal(family: str, path: str, **options: Any) -> Iterator[Port]:
    port = Port(family, os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), **options)
    try:
        port.until(lambda: port.link.up)
        yield port
    finally:
        port.close()


class Control:
    """A client of the control socket."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")

    def __call__(self, **order: Any) -> dict[str, Any]:
        self.file.write(json.dumps(order) + "\n")
        self.file.flush()
        answer: dict[str, Any] = json.loads(self.file.readline())
        return answer

    def close(self) -> None:
        self.file.close()
        self.socket.close()
