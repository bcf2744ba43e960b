"""A shuffler and a shoe in memory: the states, events and command memory of Alder and Birch, without their lines.

A link may go at every request, before it arrives or after it was done; a person may draw at every moment at which the
gate is open.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any

from protocols.family import Family, families
from protocols.message import Event
from protocols.vocabulary import UNREADABLE_CARD, EventCode, Identity, Result, Resume, Verdict, card_byte
from shoectl.cards import STANDARD, Card
from shoectl.devices.command import Command, DeviceLost, Reply
from shoectl.devices.record import Record
from shoectl.devices.totals import Meters, Totals


class Device:
    """What both have: a ring that waits for acknowledgement, sixteen remembered commands, open faults."""

    def __init__(self, family: Family, serial: str) -> None:
        self.family = family
        self.boot = 1
        self.serial = serial
        self.caps = int(family.caps)
        self.ring: list[Event] = []
        self.seq = 0
        self.memory: dict[int, tuple[Command, Reply]] = {}
        self.moved: list[str] = []
        self.open: dict[int, int] = {}  # code -> first seq
        self.news = asyncio.Event()
        self.says: dict[str, int] = {}  # zones in which its sensors see another number of cards than lie there
        self.state = "BOOT"
        self.record(EventCode.POWER_UP, cause=0, prev_state=0, zones=())

    @property
    def identity(self) -> Identity:
        name, code = self.family.name, self.family.code
        return Identity(1, code, 1, 8, self.caps, self.boot, 1, 0, "00" * 32, "test", name, self.serial, "1.0")

    def number(self, state: str) -> int:
        return next(number for number, name in self.family.states.items() if name == state)

    def record(self, code: EventCode, **body: Any) -> int:
        self.seq += 1
        self.ring.append(Event(self.seq, self.boot, self.seq * 100, code, body))
        self.news.set()
        return self.seq

    def enter(self, state: str) -> None:
        if state != self.state:
            self.record(EventCode.STATE, old=self.number(self.state), new=self.number(state))
            self.state = state

    def fault(self, code: EventCode, **body: Any) -> None:
        seq = self.record(code, **body)
        self.open.setdefault(code, seq)

    def command(self, id: int, command: Command) -> Reply:
        """The same id and bytes give the stored reply, nothing moves again."""
        if id in self.memory:
            known, reply = self.memory[id]
            same = (known.type, dict(known.body)) == (command.type, dict(command.body))
            return reply if same else Reply(Result.E_ID_REUSE)
        reply = self.carry_out(id, command)
        self.memory[id] = (command, reply)
        self.memory = dict(list(self.memory.items())[-16:])
        self.moved.append(command.type)
        return reply

    def carry_out(self, id: int, command: Command) -> Reply:
        raise NotImplementedError

    def status(self) -> dict[str, Any]:
        raise NotImplementedError

    def reset(self) -> None:
        """A link reset by the host."""

    def clear(self, body: Mapping[str, Any]) -> Reply:
        code = next((code for code, seq in self.open.items() if seq == body["fault_seq"]), None)
        if code is None or not body["operator"]:
            return Reply(Result.E_PARAM)
        if self.sensed(code):
            return Reply(Result.E_INTERLOCK)
        self.record(EventCode.CLEARED, fault_seq=self.open.pop(code), how=2, who=body["operator"])
        self.cleared()
        return Reply(Result.OK)

    def sensed(self, code: int) -> bool:
        return False

    def cleared(self) -> None:
        """A fault was cleared."""


class Alder(Device):
    """`ends`: how the next cycles end, as changes to SHUFFLE_DONE; a good one when there is none left."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__(families()["alder"], "AL1")
        self.seed = seed
        self.cards: list[Card] = []
        self.zone = "infeed"
        self.cycle = 0
        self.tray = 0xFF
        self.door = False
        self.ends: list[dict[str, Any]] = []
        self.retired = False
        self.finish: Callable[[], None] = lambda: None  # of a shuffle that `lasts`
        self.enter("EMPTY")

    def status(self) -> dict[str, Any]:
        zones = {zone: len(self.cards) if zone == self.zone else 0 for zone in ("infeed", "path", "rack", "output")}
        return {"state": self.number(self.state), "flags": 0, "tray": self.tray, **zones}

    def carry_out(self, id: int, command: Command) -> Reply:
        body = command.body
        match command.type:
            case "CLEAR_FAULT":
                return self.clear(body)
            case "RETIRE_DECK":
                self.retired = True
                return Reply(Result.OK)
            case _ if self.open:
                return Reply(Result.E_FAULT, next(iter(self.open)))
            case "SHUFFLE_START" if self.state == "LOADED":
                return Reply(Result.E_INTERLOCK) if self.retired else self.shuffle(id, body)
            case "PRESENT" if self.state == "READY":
                self.tray = body["deck"]
                self.enter("PRESENTED")
                self.record(EventCode.CMD_DONE, cmd_id=id, result=Result.OK)
                return Reply(Result.ACCEPTED)
            case "CONFIRM_DECK" if self.state == "LOADED":
                self.retired = False
                return Reply(Result.OK)
        return Reply(Result.E_STATE)

    def shuffle(self, id: int, body: Mapping[str, Any]) -> Reply:
        self.cycle += 1
        end = self.ends.pop(0) if self.ends else {}
        if not end.pop("unseen", False):
            origin = end.pop("origin", 0)
            self.record(EventCode.SHUFFLE_STARTED, cycle=self.cycle, mode=1, deck=body["deck"], origin=origin)
        if end.pop("gap", False):
            self.seq += 1
        if end.pop("restart", False):
            self.boot += 1
        self.finish = lambda: self.shuffled(id, end)
        if end.pop("lasts", False):
            self.enter("FEEDING")
        else:
            self.finish()
        return Reply(Result.ACCEPTED, None, {"cycle": self.cycle})

    def shuffled(self, id: int, end: Mapping[str, Any]) -> None:
        for state in ("FEEDING", "MIXING", "VERIFYING"):
            self.enter(state)
        self.zone = "output"
        done = {"cycle": self.cycle, "in": 52, "out": 52, "expected": 52, "verdict": 1, "flags": 0, **end}
        self.record(EventCode.SHUFFLE_DONE, **done)
        random.Random(f"{self.seed} {self.cycle}").shuffle(self.cards)
        if done["verdict"] in (Verdict.SHORT, Verdict.OVER):
            self.fault(EventCode.COUNT_MISMATCH, **{"in": done["in"], "out": done["out"], "expected": 52})
        self.enter("READY" if done["verdict"] in (Verdict.OK, Verdict.NOT_A_SHUFFLE) else "LOCKED")
        self.record(EventCode.CMD_DONE, cmd_id=id, result=Result.OK)

    # people

    def feed(self, cards: list[Card]) -> None:
        if cards and self.state == "EMPTY":
            self.cards, self.zone = list(cards), "infeed"
            self.record(EventCode.DECK_LOADED, deck=0, back=0, count=len(cards))
            self.enter("LOADED")

    def take(self) -> list[Card]:
        cards, self.cards = self.cards, []
        self.record(EventCode.DECK_TAKEN, deck=0, back=0, count=len(cards))
        self.tray = 0xFF
        self.enter("EMPTY")
        return cards

    def take_out(self) -> list[Card]:
        self.record(EventCode.DOOR, open=1)
        self.enter("DOOR_OPEN")
        cards, self.cards, self.tray = self.cards, [], 0xFF
        self.record(EventCode.DOOR, open=0)
        self.enter("LOCKED" if self.open else "EMPTY")
        return cards

    def cleared(self) -> None:
        if not self.open:
            self.enter("EMPTY")


class Birch(Device):
    """`unreadable`: draw indices whose face it cannot read; `slips`: draws behind which one card more comes out."""

    def __init__(self) -> None:
        super().__init__(families()["birch"], "BI1")
        self.cards: list[Card] = []
        self.drawn: list[Card] = []  # of this loading, in the order drawn
        self.idx = 0
        self.lease = 0
        self.armed = False
        self.lid = False
        self.lid_was_open = False
        self.hold = 0
        self.unreadable: set[int] = set()
        self.slips: set[int] = set()
        self.back: set[int] = set()
        self.counts = 0  # added to what it counts at the end
        self.enter("UNLOADED")

    def status(self) -> dict[str, Any]:
        flags = (not self.lid) | (self.lease > 0) << 1 | bool(self.open) << 2
        drawn = self.idx - len(self.back)
        counts = {"shoe": len(self.cards), "mouth": 0, "drawn": drawn, "hold_idx": self.hold}
        return {"state": self.number(self.state), "flags": flags, "lease": self.lease, **counts}

    def carry_out(self, id: int, command: Command) -> Reply:
        body = command.body
        match command.type:
            case "DISARM":
                self.shut()
                return Reply(Result.OK)
            case "CLEAR_FAULT":
                return self.clear(body)
            case "REREAD_OK" if self.state == "HOLD":
                return self.reread(body)
            case "LOAD_END" if self.state == "LOADING":
                return Reply(Result.E_INTERLOCK) if self.lid else self.loaded()
            case "SHOE_CLOSE" if self.state in ("LOADED", "EMPTY"):
                return self.close(id)
            case "ARM" | "LOAD_BEGIN" if self.open:
                return Reply(Result.E_FAULT, next(iter(self.open)))
            case "LOAD_BEGIN" if self.state in ("UNLOADED", "EMPTY"):
                self.enter("LOADING")
                return Reply(Result.OK, None, {"cycle": 1})
            case "ARM" if self.state in ("LOADED", "ARMED"):
                self.lease, self.armed = body["lease"], True
                self.enter("ARMED")
                return Reply(Result.OK)
        return Reply(Result.E_STATE)

    def loaded(self) -> Reply:
        self.idx, self.lease, self.armed, self.hold = 0, 0, False, 0
        self.drawn, self.back = [], set()
        self.enter("LOADED")
        return Reply(Result.OK, None, {"est": len(self.cards)})

    def close(self, id: int) -> Reply:
        counted = len(self.cards) + self.idx - len(self.back) + self.counts
        verdict = Verdict.OK if counted == 52 else Verdict.SHORT if counted < 52 else Verdict.OVER
        body = {"expected": 52, "counted": counted, "unread": 0, "verdict": int(verdict), "flags": 0}
        self.record(EventCode.SHOE_COUNT, cycle=1, **body)
        self.enter("UNLOADED")
        self.record(EventCode.CMD_DONE, cmd_id=id, result=Result.OK)
        return Reply(Result.ACCEPTED)

    def reread(self, body: Mapping[str, Any]) -> Reply:
        if body["idx"] != self.hold or body["op1"] == body["op2"]:
            return Reply(Result.E_PARAM)
        self.record(EventCode.CARD_RESOLVED, **body)
        self.end_hold(2)
        return Reply(Result.OK)

    def end_hold(self, how: int) -> None:
        self.hold = 0
        self.record(EventCode.CLEARED, fault_seq=self.open.pop(EventCode.UNREADABLE), how=how, who=0)
        self.enter("LOADED")

    def shut(self) -> None:
        self.lease = 0
        if self.state == "ARMED":
            self.enter("LOADED")

    def reset(self) -> None:
        self.shut()

    def restart(self, lost: int = 0) -> None:
        """Power goes and comes; `lost` cards vanish meanwhile."""
        zones = ({"count": len(self.cards) - lost, "err": 0}, {"count": 0, "err": 0}, {"count": self.idx, "err": 0})
        was, self.boot = self.number(self.state), self.boot + 1
        self.lease = 0
        self.record(EventCode.POWER_UP, cause=1, prev_state=was, zones=zones)
        self.state = "BOOT"
        self.enter("LOADED")

    # people

    def pull(self, *, force: bool = False) -> bool:
        """Draw a card, if the gate is open (or through it)."""
        if not self.cards or self.hold or self.lid or not (force or (self.lease and self.state == "ARMED")):
            return False
        card = self.cards.pop(0)
        self.drawn.append(card)
        self.idx += 1
        if self.idx in self.unreadable:
            self.hold, self.lease = self.idx, 0
            self.record(EventCode.CARD_DRAWN, idx=self.idx, card=UNREADABLE_CARD, quality=0, dwell_ms=300)
            self.fault(EventCode.UNREADABLE, card=UNREADABLE_CARD, idx=self.idx)
            self.enter("HOLD")
            return True
        self.record(EventCode.CARD_DRAWN, idx=self.idx, card=card_byte(str(card)), quality=250, dwell_ms=300)
        if self.lease:
            self.lease -= 1
            if not self.lease:
                self.enter("LOADED" if self.cards else "EMPTY")
        elif self.armed:
            self.fault(EventCode.OVERDRAW, idx=self.idx, gate=0)
        else:
            self.fault(EventCode.EARLY_DRAW, idx=self.idx)
        if self.idx in self.slips and not self.lease:
            self.slips.discard(self.idx)
            self.pull(force=True)
        return True

    def push_back(self) -> None:
        """The card that could not be read goes back into the shoe."""
        self.cards.insert(0, self.drawn.pop())
        self.back.add(self.hold)
        self.record(EventCode.CARD_RETURNED, idx=self.hold)
        self.end_hold(0)

    def fill(self, cards: list[Card]) -> None:
        self.record(EventCode.LID, open=1)
        self.cards = list(cards)
        self.record(EventCode.LID, open=0)

    def open_lid(self) -> None:
        """Somebody opens the lid while a deck is dealt from it."""
        self.record(EventCode.LID, open=1)
        self.lease = 0
        self.enter("LID_OPEN")

    def close_lid(self) -> None:
        self.record(EventCode.LID, open=0)
        self.enter("LOADED")

    def unload(self) -> list[Card]:
        self.record(EventCode.LID, open=1)
        cards, self.cards = self.cards, []
        self.record(EventCode.LID, open=0)
        return cards


Hook = Callable[["Station"], None]


class Station:
    """What hands ask of a station, over one of these devices; something may happen `before` and `after` a request."""

    def __init__(self, name: str, device: Device, record: Record) -> None:
        self.name = name
        self.device = device
        self.family = device.family
        self.online = False
        self.condition = "online"
        self.before: Hook = lambda station: None
        self.after: Hook = lambda station: None
        self.durable = 0
        self.away = 0.0  # how long the link stays away the next time that it goes, in seconds
        self._record = record
        self._reading = asyncio.Lock()
        self._up = asyncio.Event()

    @property
    def identity(self) -> Identity | None:
        return self.device.identity if self.online else None

    def type_of(self, verb: Any) -> str:
        return self.family.verbs[verb]

    async def run(self) -> None:
        """Attach, deliver what there is, and whatever comes; attach again after the link was lost."""
        while True:
            away, self.away = self.away, 0.0
            await asyncio.sleep(away)
            oldest = self.device.ring[0].seq if self.device.ring else self.device.seq + 1
            resume = Resume(1, self.device.boot, 1, 0, oldest, self.device.seq)
            self.device.reset()
            name = self.family.name
            self.durable = await self._record.attached(self.name, self.device.identity, resume, name)
            await self._read()
            self.online = True
            self._up.set()
            self._record.changed(self.name)
            while self.online:
                await self.device.news.wait()
                await self._read()

    async def _read(self) -> None:
        async with self._reading:
            self.device.news.clear()
            events = [event for event in self.device.ring if event.seq > self.durable]
            if events and events[0].seq > self.durable + 1 and self.durable:
                await self._record.alarm(self.name, "events were lost")
            if events:
                await self._record.evidence(self.name, self.device.identity, events)
                self.durable = events[-1].seq

    def lose(self) -> None:
        """The link goes, and comes back at once."""
        self.online = False
        self._up.clear()
        self.device.news.set()
        self._record.changed(self.name)
        raise DeviceLost

    async def ready(self) -> None:
        while not self.online:
            await self._up.wait()

    async def _request(self, work: Callable[[], Any]) -> Any:
        if not self.online:
            raise DeviceLost
        self.before(self)
        result = work()
        self.after(self)
        return result

    async def command(self, id: int, command: Command) -> Reply:
        reply: Reply = await self._request(lambda: self.device.command(id, command))
        return reply

    async def fate(self, id: int) -> tuple[str, int] | None:
        def look() -> tuple[str, int] | None:
            known = self.device.memory.get(id)
            return None if known is None else (known[0].type, known[1].result)

        found: tuple[str, int] | None = await self._request(look)
        return found

    async def catch_up(self) -> None:
        await self._request(lambda: None)
        await self._read()

    async def status(self) -> Mapping[str, Any]:
        body: Mapping[str, Any] = await self._request(self.device.status)
        return body

    async def totals(self) -> Totals:
        """Made of STATUS, as the real one; a test may have the device lie (`Device.says`)."""
        status: Mapping[str, Any] = await self._request(self.device.status)
        zones = {zone: status[zone] for zone in self.family.zones} | self.device.says
        newest, meters = self.device.seq, Meters(0, 0, 0, 0, 0, 0, 0)
        state, faults = self.family.states[status["state"]], tuple(sorted(self.device.open))
        return Totals(state, zones, 1, newest + 1, newest, faults, status.get("lease"), 0, meters)

    async def faults(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = await self._request(
            lambda: sorted((seq, code) for code, seq in self.device.open.items())
        )
        return found


def fresh_deck() -> list[Card]:
    return list(STANDARD)
