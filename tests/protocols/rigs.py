"""Small firmware on the device end, and benches made of it: what a link test needs of the code above the link."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from protocols.birch.datasheet import DATA_MAX
from protocols.events import encode_event, events_that_fit
from protocols.link import Down, Link, LinkEvent, Received, Side, Up
from protocols.message import Event, Request, Response
from protocols.vocabulary import Resume
from tests.protocols.cables import HARMS, Bench, Cable, Harmful, Luck
from tests.protocols.golden import family


def state_event(seq: int) -> Event:
    return Event(seq, 1, seq * 10, 2, {"old": seq % 7, "new": seq % 5})


@dataclass
class Firmware:
    """Remembers what it was asked, answers OK, keeps a ring of events; pushes it where the family pushes."""

    link: Link
    pushes: bool
    ring: list[Event] = field(default_factory=list)
    newest: int = 0
    asked: list[Request] = field(default_factory=list)
    epoch: int = 1

    def __post_init__(self) -> None:
        self.link.resume = self.resume

    def resume(self) -> Resume:
        oldest = self.ring[0].seq if self.ring else self.newest + 1
        return Resume(1, 1, self.epoch, 0, oldest, self.newest)

    def record(self, now: float) -> Event:
        self.newest += 1
        event = state_event(self.newest)
        self.ring.append(event)
        if self.pushes and self.link.up:
            self.link.send(event, now)
        return event

    def __call__(self, event: LinkEvent, now: float) -> None:
        match event:
            case Up() if self.pushes:
                for each in self.ring:
                    self.link.send(each, now)
            case Received(Request() as request):
                if request.type not in ("POLL", "READ_EVENTS"):
                    self.asked.append(request)
                if not request.broadcast:
                    self.link.send(Response(request.type, request.id, 0, self._body(request)), now)
            case _:
                pass

    def _body(self, request: Request) -> dict[str, Any]:
        match request.type:
            case "POLL":
                ctr = (self.newest - 1) % 255 + 1 if self.newest else 0
                return {"ctr": ctr, "state": 2, "flags": 0x20 if self.ring else 0, "recent": ()}
            case "READ_EVENTS":
                due = [event for event in self.ring if event.seq >= request.body["from"]]
                fit = events_that_fit([encode_event(event) for event in due], request.body["max"], DATA_MAX - 2)
                return {"events": tuple(due[:fit])}
            case "ACK_EVENTS" | "EVENT_ACK":
                self.ring = [event for event in self.ring if event.seq > request.body["upto"]]
                return {}
            case "CONFIG_GET":
                return {"value": request.body["key"]}
            case _:
                return {}


def bench(name: str, to_device: Cable | None = None, to_host: Cable | None = None, **options: Any) -> Bench:
    """Both ends of a family, joined, not yet open. Events are read from the first on."""
    device = family(name).make_link(Side.DEVICE)
    host = family(name).make_link(Side.HOST, **options)
    host.read_events_after(0)
    firmware = Firmware(device, pushes=name == "alder")
    return Bench(host, device, firmware, to_device or Cable(), to_host or Cable())


def harmful(name: str, kind: str, seed: int, rate: float, worst: int, clean: int) -> Bench:
    """A bench whose cables do harm of one kind, or of all kinds in turn."""
    rng = random.Random(seed)
    luck = Luck(rng, rate, worst, clean)

    def any_harm(rng: random.Random, data: bytes) -> list[bytes]:
        return rng.choice(list(HARMS.values()))(rng, data)

    harm = HARMS.get(kind, any_harm)
    return bench(name, Harmful(luck, harm), Harmful(luck, harm))


def firmware(rig: Bench) -> Firmware:
    assert isinstance(rig.firmware, Firmware)
    return rig.firmware


def heard_events(rig: Bench) -> list[int]:
    return [e.message.seq for e in rig.at_host if isinstance(e, Received) and isinstance(e.message, Event)]


def answers(rig: Bench) -> list[int]:
    return [e.message.id for e in rig.at_host if isinstance(e, Received) and isinstance(e.message, Response)]


def downs(rig: Bench) -> list[str]:
    return [e.reason for e in rig.at_host + rig.at_device if isinstance(e, Down)]
