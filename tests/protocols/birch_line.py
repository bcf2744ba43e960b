"""A Birch host link whose other end is the test."""

from __future__ import annotations

from typing import Any

from protocols.birch.host import BirchHost
from protocols.birch.vector import decode_frame, encode_frame
from protocols.link import LinkEvent, Side, Up
from protocols.message import Request
from protocols.vocabulary import Resume

RESUME = Resume(1, 3, 1, 1, 1, 0)
ARM = Request("ARM", 7, {"round": 1, "lease": 2})
QUIET: dict[str, Any] = {"ctr": 0, "state": 2, "flags": 0, "recent": []}
BYTE = 10 / 38_400


def reply(type: str, toggle: int, src: int = 3, **fields: Any) -> bytes:
    head = {"dst": 1, "src": src, "toggle": toggle, "kind": "reply", "type": type}
    return encode_frame({**head, **fields}, None)


def synced(toggle: int = 0) -> bytes:
    return reply("SYNC", toggle, result=0, **RESUME.body)


class Wire:
    """A host link whose other end is the test. `say` waits until the link says something."""

    def __init__(self, **options: Any) -> None:
        self.link = BirchHost(**{"adapter_delay": 0.0, **options})
        self.now = 0.0
        self.events: list[LinkEvent] = []
        self.raw = b""
        self.link.open(self.now)

    def say(self, within: float = 5.0) -> dict[str, Any]:
        end = self.now + within
        while not (data := self.link.output(self.now)):
            due = self.link.deadline()
            assert due is not None
            assert due <= end, "nothing was said"
            self.now = max(due, self.now)
            self.events += self.link.tick(self.now)
        self.raw = data
        return decode_frame(data, Side.HOST)

    def hear(self, data: bytes, after: float = 0.004) -> list[LinkEvent]:
        self.now += after
        events = self.link.receive(data, self.now)
        self.events += events
        return events

    def up(self) -> Wire:
        assert self.say()["type"] == "SYNC"
        assert self.hear(synced()) == [Up(RESUME)]
        return self

    def answer(self, type: str, **fields: Any) -> list[LinkEvent]:
        """Say the next command, which is of that type, and hear its right answer."""
        said = self.say()
        assert said["type"] == type
        return self.hear(reply(type, said["toggle"], **fields))

    def heard(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def manual() -> Wire:
    return Wire(interval=None).up()
