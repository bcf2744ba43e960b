"""A small device over the device side of a link: it says what it is told to say, and remembers what it was asked.

It is no firmware: no states, no mechanics. It keeps an event ring and the command store, the two things on which a
station depends, and lets a test change each answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from protocols.events import encode_event
from protocols.family import Family, Verb, families
from protocols.link import Link, LinkEvent, Received, Side, Up
from protocols.message import Event, Request, Response
from protocols.vocabulary import EventCode, Identity, Result, Resume

OK, ACCEPTED, BUSY = Result.OK, Result.ACCEPTED, Result.E_BUSY
Answer = tuple[int, Mapping[str, Any]]
ROOM = {"alder": 200 - 5, "birch": 240 - 2}  # bytes for events in one answer


def identity_of(family: Family, serial: str, **changes: Any) -> Identity:
    plain = Identity(
        proto=1, family=family.code, hw_rev=1, flags=8, caps=int(family.caps), boot=3, epoch=1, key_id=0,
        fw_sha256="00" * 32, maker="Example", model=family.name.title(), serial=serial, fw_version="1.0",
    )  # fmt: skip
    return replace(plain, **changes)


@dataclass
class Device:
    """One scripted device. `answers` overrides what a message type is answered; None keeps silent."""

    family: Family
    identity: Identity
    address: int | None = None
    answers: dict[str, Callable[[Request], Answer | None]] = field(default_factory=dict)
    ring: list[Event] = field(default_factory=list)
    newest: int = 0
    asked: list[Request] = field(default_factory=list)
    store: dict[int, Answer] = field(default_factory=dict)
    done: list[Request] = field(default_factory=list)
    acknowledged: int = 0
    synced: int = 0

    def event(self, code: int = EventCode.DOOR, **body: Any) -> Event:
        """Record an event, and push it where the family pushes."""
        self.newest += 1
        event = Event(self.newest, self.identity.boot, 1000 + self.newest, code, body or {"open": self.newest % 2})
        self.ring.append(event)
        if self._link is not None and self._link.up and self.family.name == "alder":
            self._send(event)
        return event

    def lose(self, count: int) -> None:
        """Events that found no slot: their numbers are used up."""
        self.newest += count

    @property
    def sent(self) -> list[str]:
        """Types of the S and M commands that came."""
        return [request.type for request in self.asked if self.family.carries_id(request.type)]

    def resume(self) -> Resume:
        """Where the ring stands."""
        oldest = self.ring[0].seq if self.ring else self.newest + 1
        return Resume(self.identity.proto, self.identity.boot, self.identity.epoch, 0, oldest, self.newest)

    # the wire

    _link: Link | None = None
    _say: Callable[[bytes], None] | None = None
    _timer: asyncio.TimerHandle | None = None

    def power_on(self, say: Callable[[bytes], None] | None = None) -> None:
        """Start; no effect while it is on."""
        self._say = say or self._say
        if self._link is None:
            options = {} if self.address is None else {"address": self.address}
            self._link = self.family.make_link(Side.DEVICE, resume=self.resume, **options)
            self._link.open(self._now)
            self._pump()

    def power_off(self) -> None:
        """Stop."""
        self._link = None
        if self._timer is not None:
            self._timer.cancel()

    def restart(self) -> None:
        """Off and on again: the next boot."""
        self.power_off()
        self.identity = replace(self.identity, boot=self.identity.boot + 1)
        self.event(EventCode.POWER_UP, cause=1, prev_state=2, zones=())
        self.power_on()

    def received(self, data: bytes) -> None:
        """Bytes from the wire."""
        if self._link is not None:
            self._take(self._link.receive(data, self._now))

    def _take(self, events: list[LinkEvent]) -> None:
        for event in events:
            match event:
                case Up():
                    self.synced += 1
                    if self.family.name == "alder":
                        for retained in self.ring:
                            self._send(retained)
                case Received(Request() as request):
                    self.asked.append(request)
                    self._answer(request)
        self._pump()

    def _send(self, message: Event | Response) -> None:
        if self._link is not None:
            self._link.send(message, self._now)
            self._pump()

    def _pump(self) -> None:
        if self._link is None:
            return
        data = self._link.output(self._now)
        if self._say is not None:
            self._say(data)
        if self._timer is not None:
            self._timer.cancel()
        at = self._link.deadline()
        if at is not None:
            self._timer = asyncio.get_running_loop().call_at(max(at, self._now + 0.0005), self._tick)

    def _tick(self) -> None:
        if self._link is not None:
            self._take(self._link.tick(self._now))

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # what it says

    def _answer(self, request: Request) -> None:
        stored = self.store.get(request.id) if self.family.carries_id(request.type) else None
        answer = stored or self.answers.get(request.type, self._plain)(request)
        if answer is None:
            return
        result, body = answer
        if self.family.carries_id(request.type) and result != BUSY:
            self.store[request.id] = answer
            if stored is None:
                self.done.append(request)
        self._send(Response(request.type, request.id, result, body))

    def answer_now(self, request: Request, result: int, **body: Any) -> None:
        """Answer late."""
        self._send(Response(request.type, request.id, result, body))

    def _plain(self, request: Request) -> Answer:
        verbs = {type: verb for verb, type in self.family.verbs.items()}
        match verbs.get(request.type):
            case Verb.IDENT:
                return OK, self.identity.body
            case Verb.READ_EVENTS:
                return self._read(request.body["from"], request.body["max"])
            case Verb.ACK_EVENTS:
                self.acknowledged = max(self.acknowledged, request.body["upto"])
                self.ring = [event for event in self.ring if event.seq > self.acknowledged]
                return OK, {}
            case Verb.RESULT:
                return self._fate(request.body["of"])
            case Verb.FAULTS:
                return OK, {"faults": ()}
            case Verb.LOADED:
                return OK, {"est": 0xFFFF}
            case _ if request.type == "POLL":
                ctr = (self.newest - 1) % 255 + 1 if self.newest else 0
                return OK, {"ctr": ctr, "state": 2, "flags": 32 if self.ring else 0, "recent": ()}
            case _:
                return OK, {}

    def _read(self, first: int, most: int) -> Answer:
        if first > self.newest + 1:
            return Result.E_PARAM, {}
        room, found = ROOM[self.family.name], []
        for event in [event for event in self.ring if event.seq >= first][:most]:
            room -= 1 + len(encode_event(event))
            if room < 0:
                break
            found.append(event)
        return OK, {"events": tuple(found)}

    def _fate(self, id: int) -> Answer:
        if id not in self.store:
            return Result.E_UNKNOWN_ID, {}
        type = next(request.type for request in self.done if request.id == id)
        return OK, {"of_type": self.family.type_codes[type], "of_result": self.store[id][0]}


def alder(serial: str = "AL000117", **changes: Any) -> Device:
    family = families()["alder"]
    return Device(family, identity_of(family, serial, **changes))


def birch(serial: str = "BR000342", address: int = 3, **changes: Any) -> Device:
    family = families()["birch"]
    return Device(family, identity_of(family, serial, **changes), address)
