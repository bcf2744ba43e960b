"""A host's desk for tests of the simulator: real links on in-memory cables, requests, answers, events by name."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from firmware_sim.hosts.memory import Bench
from protocols.message import Event, Progress, Request, Response
from protocols.vocabulary import Result

SET_ID = "00" * 8


class Desk:
    """One bench with a host's link on each device. Events are not acknowledged unless a test does it."""

    def __init__(self, *devices: str, first_id: int = 1, **setup: Any) -> None:
        self.bench = Bench(*devices, **setup)
        self.hosts = {device: self.bench.attach(device) for device in devices}
        self._ids = count(first_id)
        assert self.bench.until(lambda: all(host.link.up for host in self.hosts.values()))
        if "alder" in devices:
            assert self.bench.until(lambda: self.state("alder") != "HOMING", 5)
        self.bench.run(0.2)

    # requests

    def send(self, device: str, type: str, id: int | None = None, **body: Any) -> int:
        """Send a request; its id. A command gets a new one unless it is given."""
        family = self.bench.machine(device).unit.family
        if id is None:
            id = next(self._ids) if family.carries_id(type) or family.name == "alder" else 0
        self.bench.send(self.hosts[device], Request(type, id, body))
        return id

    def ask(self, device: str, type: str, id: int | None = None, **body: Any) -> Response:
        """Send a request and wait for its answer."""
        before = len(self.hosts[device].messages)
        id = self.send(device, type, id, **body)

        def answers() -> list[Response]:
            fresh = self.hosts[device].messages[before:]
            return [each for each in fresh if isinstance(each, Response) and (each.type, each.id) == (type, id)]

        assert self.bench.until(lambda: bool(answers()), 5), f"no answer to {type}"
        return answers()[0]

    def result(self, device: str, type: str, id: int | None = None, **body: Any) -> Result:
        """The result of a request."""
        return Result(self.ask(device, type, id, **body).result)

    def run(self, seconds: float) -> None:
        self.bench.run(seconds)

    def settle(self, device: str, *names: str, seconds: float = 200.0) -> None:
        """Let time pass until events of these names have come, in this order, after what came before."""
        start = len(self.events(device))

        def came() -> bool:
            wanted = list(names)
            for event in self.events(device)[start:]:
                if wanted and event.name == wanted[0]:
                    wanted.pop(0)
            return not wanted

        assert self.bench.until(came, seconds), f"{names} did not come: {self.told(device, start)}"
        self.run(0.1)

    # what came

    def events(self, device: str) -> list[Event]:
        """All events that the host has, each once, in order of seq."""
        found = {event.seq: event for event in self.hosts[device].messages if isinstance(event, Event)}
        return [found[seq] for seq in sorted(found)]

    def progress(self, device: str) -> list[Progress]:
        return [each for each in self.hosts[device].messages if isinstance(each, Progress)]

    def told(self, device: str, start: int = 0) -> list[str]:
        """Events as short text: `STATE LOADED FEEDING`, `CMD_DONE 3 OK`, `JAM`."""
        return [self._text(device, event) for event in self.events(device)[start:]]

    def _text(self, device: str, event: Event) -> str:
        states = self.bench.machine(device).unit.family.states
        match event.name:
            case "STATE":
                return f"STATE {states[event.body['old']]} {states[event.body['new']]}"
            case "CMD_DONE":
                return f"CMD_DONE {event.body['cmd_id']} {Result(event.body['result']).name}"
            case "DOOR" | "LID" | "SERVICE_PORT":
                return f"{event.name} {'open' if event.body['open'] else 'shut'}"
            case _:
                return str(event.name)

    def last(self, device: str, name: str) -> dict[str, Any]:
        """The body of the last event of a name."""
        self.run(0.2)
        return dict([event for event in self.events(device) if event.name == name][-1].body)

    def mark(self, device: str) -> int:
        self.run(0.2)
        return len(self.events(device))

    def state(self, device: str) -> str:
        """The device's state, as it is."""
        machine = self.bench.machine(device)
        return "OFF" if machine.device is None else machine.unit.family.states[machine.device.state]

    def acknowledge(self, device: str) -> None:
        """Acknowledge all events that came."""
        events = self.events(device)
        kind = "EVENT_ACK" if device == "alder" else "ACK_EVENTS"
        assert self.result(device, kind, upto=events[-1].seq) is Result.OK

    def power_cut(self, device: str, cause: int = 1) -> None:
        """Pull the plug, put it back, and have the host's link stand again."""
        self.bench.machine(device).power_cut(cause)
        boot = self.bench.machine(device).device
        assert boot is None
        assert self.bench.until(lambda: self.state(device) != "OFF", 5)
        host, link = self.hosts[device], self.bench.machine(device).device.link
        assert self.bench.until(lambda: link.up and link.counters.resets > 0 and host.link.up, 10)
        self.run(0.3)

    # common passages

    def do(self, do: str, **order: Any) -> int:
        """A movement of the hands; how many cards it moved."""
        reply = self.bench.do({"do": do, **order})
        assert reply["ok"], reply
        self.run(0.1)
        return int(reply["moved"])

    def shuffle(self, *, expected: int = 52, mode: int = 1, deck: int = 0) -> int:
        """A whole cycle; the id of its command."""
        id = self.send("alder", "SHUFFLE_START", mode=mode, deck=deck, expected=expected)
        self.settle("alder", "SHUFFLE_DONE", "CMD_DONE")
        return id

    def present(self, deck: int = 0, override_by: int = 0) -> None:
        assert self.result("alder", "PRESENT", deck=deck, override_by=override_by) is Result.ACCEPTED
        self.run(0.2)
        assert self.state("alder") == "PRESENTED"

    def load(self, *, source: str = "rack", cards: int = 52, decks: int = 1, cut: int = 0) -> None:
        assert self.result("birch", "LOAD_BEGIN", decks=decks, expected=cards, set_id=SET_ID, cut=cut) is Result.OK
        self.do("fill", device="birch", **{"from": source})
        assert self.result("birch", "LOAD_END") is Result.OK

    def arm(self, lease: int, round: int = 1) -> Result:
        return self.result("birch", "ARM", round=round, lease=lease)

    def draw(self, to: Iterable[str]) -> int:
        moved = self.do("draw", device="birch", to=list(to))
        self.run(0.3)
        return moved

    def faces(self, device: str = "birch") -> list[int]:
        """The faces that were drawn, in order."""
        return [event.body["card"] for event in self.events(device) if event.name == "CARD_DRAWN"]

    def cards(self, place: str) -> list[str]:
        return [card.text for card in self.bench.table.world.cards(place)]
