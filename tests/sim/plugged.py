"""Desk for the families that hang on USB: a host that acknowledges a Dogwood's events, and attaches anew after a power
cut, for a USB device without power is gone from the bus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from firmware_sim.hosts.memory import Bench
from protocols.message import Event, Request, Response
from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk

OPERATOR = 4711


class Acknowledging(Bench):
    """A bench whose hosts acknowledge each event of a device that sends one at a time."""

    def _turn(self) -> None:
        before = {id(host): len(host.events) for host in self.hosts}
        super()._turn()
        for host in self.hosts:
            fresh = host.events[before[id(host)] :]
            events = [event.message for event in fresh if isinstance(getattr(event, "message", None), Event)]
            if events and host.line == "dogwood" and host.link.up:
                host.link.send(Request("ACK", 0, {"upto": events[-1].seq}), self.now)


class Plugged(Desk):
    """One device on its own plug."""

    def __init__(self, device: str, *faults: str, first_id: int = 1, **setup: Any) -> None:
        self.device = device
        self.bench = Acknowledging(device, faults=tuple(f"{device}:{fault}" for fault in faults), **setup)
        self.hosts = {device: self.bench.attach(device)}
        self._ids = count(first_id)
        self._earlier: list[Event] = []
        self.rest()

    def rest(self) -> None:
        """Wait until the link stands and the device is at home."""
        assert self.bench.until(lambda: self.hosts[self.device].link.up, 10)
        assert self.bench.until(lambda: self.state() not in ("OFF", "BOOT", "HOMING"), 10)
        self.run(0.3)

    def state(self, device: str = "") -> str:
        return super().state(device or self.device)

    def events(self, device: str = "") -> list[Event]:
        fresh = [each for each in self.hosts[self.device].messages if isinstance(each, Event)]
        found = {(event.seq, event.boot): event for event in (*self._earlier, *fresh)}
        return [found[key] for key in sorted(found)]

    def told(self, start: Any = 0, begin: int = 0) -> list[str]:  # type: ignore[override]
        return super().told(self.device, start if isinstance(start, int) else begin)

    def mark(self, device: str = "") -> int:
        return super().mark(self.device)

    def last(self, name: str, of: str = "") -> dict[str, Any]:
        return super().last(self.device, of or name)

    def tell(self, type: str, id: int | None = None, **body: Any) -> Response:
        """A request to the device and its answer."""
        return self.ask(self.device, type, id, **body)

    def result_of(self, type: str, id: int | None = None, **body: Any) -> Result:
        return Result(self.tell(type, id, **body).result)

    def wait(self, *names: str, seconds: float = 300.0) -> None:
        self.settle(self.device, *names, seconds=seconds)

    def hands(self, do: str, **order: Any) -> int:
        return self.do(do, device=self.device, **order)

    def replug(self) -> None:
        """Take the host off the bus and attach a new one."""
        self._earlier = self.events()
        if self.hosts[self.device] in self.bench.hosts:
            self.bench.detach(self.hosts[self.device])
        self.hosts[self.device] = self.bench.attach(self.device)

    def cut(self, cause: int = 1) -> None:
        """Pull the plug, put it back, attach anew."""
        self.bench.machine(self.device).power_cut(cause)
        self.come_back()

    def come_back(self) -> None:
        self.bench.until(lambda: self.state() != "OFF", 5)
        self.replug()
        self.rest()

    def clear_all(self) -> None:
        for fault in self.tell("FAULTS").body["faults"]:
            self.tell("CLEAR_FAULT", fault_seq=fault["seq"], operator=OPERATOR)

    # a Cedar's passages

    def loaded(self, *, decks: int = 1, expected: int = 52) -> None:
        """A load from the infeed to READY, or wherever it ends."""
        assert self.result_of("LOAD_BEGIN", profile=0, decks=decks, expected=expected, set_id=SET_ID) is Result.OK
        assert self.result_of("LOAD_END") is Result.ACCEPTED
        self.wait("CMD_DONE")

    def counted(self) -> dict[str, Any]:
        assert self.result_of("INVENTORY") is Result.ACCEPTED
        self.wait("CMD_DONE")
        return self.last("SHOE_COUNT")

    def plan(self, *packets: tuple[int, int], round: int = 7) -> int:
        """Begin to deliver; the id."""
        listed = tuple({"seat": seat, "n": n} for seat, n in packets)
        return self.send(self.device, "DELIVER_PLAN", round=round, packets=listed)

    # a Dogwood's

    def shoe(self, *, source: str = "rack", cards: int = 52, decks: int = 1, cut: int | None = None) -> None:
        self.hands("fill", **{"from": source}, **({} if cut is None else {"cut": cut}))
        assert self.result_of("LOAD", decks=decks, expected=cards) is Result.OK

    def drawn(self, to: Sequence[str], **order: Any) -> int:
        moved = self.hands("draw", to=list(to), **order)
        self.run(0.3)
        return moved


def cedar(*faults: str, **setup: Any) -> Plugged:
    """A Cedar with a deck in its infeed."""
    return Plugged("cedar", *faults, **setup)


def ready(*faults: str, **setup: Any) -> Plugged:
    """The same, loaded."""
    desk = cedar(*faults, **setup)
    desk.loaded()
    assert desk.state() == "READY"
    return desk
