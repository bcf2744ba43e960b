"""A random walk of person, host, faults and power over a simulated table. Nothing may fall over, no card may be lost.

python -m tests.sim.walk --steps 10000 --seed 7 [--walks 20]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_sim.catalogue import Key, had_by
from firmware_sim.hosts.control import answer_order
from firmware_sim.movements import MOVEMENTS
from protocols.message import Response
from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk

DEVICES = ("alder", "birch")
PLACES = ("rack", "hand", "seat 1", "dealer", "table", "alder.infeed", "birch.mouth", "off")
COMMANDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("alder", "SHUFFLE_START", {"mode": 1, "deck": 0, "expected": 52}),
    ("alder", "SHUFFLE_START", {"mode": 2, "deck": 1, "expected": 0}),
    ("alder", "PRESENT", {"deck": 0, "override_by": 815}),
    ("alder", "RETRACT", {"deck": 0}),
    ("alder", "ABORT", {}),
    ("alder", "CONFIRM_DECK", {"deck": 0, "back": 1, "count": 52}),
    ("birch", "LOAD_BEGIN", {"decks": 1, "expected": 52, "set_id": SET_ID, "cut": 3}),
    ("birch", "LOAD_END", {}),
    ("birch", "ARM", {"round": 1, "lease": 3}),
    ("birch", "ARM", {"round": 1, "lease": 255}),
    ("birch", "DISARM", {}),
    ("birch", "REREAD_OK", {"idx": 1, "card": 1, "op1": 1, "op2": 2}),
    ("birch", "SHOE_CLOSE", {"residual": 0}),
)
NEXT: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "LOADED": (COMMANDS[0], COMMANDS[8]),
    "READY": (COMMANDS[2],),
    "UNLOADED": (COMMANDS[6],),
    "LOADING": (COMMANDS[7],),
    "ENDING": (COMMANDS[9],),
    "EMPTY": (COMMANDS[12],),
    "HOLD": (COMMANDS[11],),
}
"""What a host tells a device in a state."""

DOES: dict[str, tuple[dict[str, Any], ...]] = {
    "EMPTY": ({"do": "feed", "from": "rack"}, {"do": "unload", "to": "rack"}),
    "PRESENTED": ({"do": "take"},),
    "FAULT": ({"do": "take_out"},),
    "LOCKED": ({"do": "take_out"},),
    "DOOR_OPEN": ({"do": "take_out"},),
    "LID_OPEN": ({"do": "close_lid"},),
    "SERVICE": ({"do": "unplug_service"},),
    "LOADING": ({"do": "fill", "from": "hand"},),
    "ARMED": ({"do": "draw", "to": ["table"] * 9},),
    "ENDING": ({"do": "draw", "to": ["table"] * 9},),
    "HOLD": ({"do": "push_back", "from": "table"}, {"do": "move", "from": "table", "to": "rack"}),
    "UNLOADED": ({"do": "move", "from": "table", "to": "rack"},),
}
"""What people do who stand at a device in a state."""

NEW_CARDS = ("bring",)
CARDS_AT_MOST = 400
"""A table on which more have come to lie is swept, or a long walk would end among cards."""


@dataclass
class Walk:
    """One walk, which is the seed's alone."""

    seed: int
    faults: bool = True
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.luck = random.Random(self.seed)
        composition, backs = self.luck.random() < 0.5, self.luck.random() < 0.3
        self.desk = Desk(*DEVICES, seed=self.seed, composition=composition, backs=backs)

    def go(self, steps: int) -> None:
        """So many steps. Raises AssertionError, or whatever fell over; `done` tells how it came to that."""
        for number in range(steps):
            self._step(number)
            self.desk.bench.table.world.check()
        self.desk.run(5)
        for host in self.desk.hosts.values():
            answers = [each for each in host.messages if isinstance(each, Response)]
            assert all(each.result in tuple(Result) for each in answers)

    def _step(self, number: int) -> None:
        kind = self.luck.choices(
            ("sensible", "move", "send", "run", "fault", "cut", "clear", "acknowledge"),
            (60, 8, 8, 25, 8 * self.faults, 1, 8, 9),
        )[0]
        device = self.luck.choice(DEVICES)
        getattr(self, f"_{kind}")(number, device)
        self.desk.run(0.02)

    def _note(self, *words: object) -> None:
        self.done.append(" ".join(map(str, words)))

    def _sensible(self, number: int, device: str) -> None:
        """What somebody would do who wants the cards to go round."""
        state = self.desk.state(device)
        for command in [each for each in NEXT.get(state, ()) if each[0] == device]:
            self._tell(number, *command)
        for order in DOES.get(state, ()):
            self._order({"id": f"s{number}.{order['do']}", "device": device, **order})

    def _tell(self, number: int, name: str, type: str, body: dict[str, Any]) -> None:
        if self.desk.hosts[name].link.up:
            self._note(name, type, body)
            self.desk.send(name, type, id=1 + number % 0xFFFF, **body)
            self.desk.run(0.05)

    def _order(self, order: dict[str, Any]) -> None:
        self._note(order)
        answer_order(self.desk.bench.table, order, lambda reply: None)
        self.desk.run(0.05)

    def _move(self, number: int, device: str) -> None:
        do = self.luck.choice(sorted(MOVEMENTS))
        if do in NEW_CARDS and self.desk.bench.table.world.made > CARDS_AT_MOST:
            return
        to: str | list[str] = self.luck.choices(PLACES, k=3) if do == "draw" else self.luck.choice(PLACES)
        order: dict[str, Any] = {"do": do, "id": f"m{number}", "device": device, "to": to, "deck": 0}
        order |= {"from": self.luck.choice(PLACES), "place": self.luck.choice(PLACES)}
        self._order(order)

    def _send(self, number: int, device: str) -> None:
        name, type, body = self.luck.choice([each for each in COMMANDS if each[0] == device])
        self._tell(number, name, type, body)

    def _run(self, number: int, device: str) -> None:
        seconds = self.luck.choice((0.05, 0.3, 1.5, 4.0))
        self._note("run", seconds)
        self.desk.run(seconds)

    def _fault(self, number: int, device: str) -> None:
        spec = self.any_fault(device)
        self._note("fault", spec)
        self.desk.bench.table.plan.add(spec)

    def any_fault(self, device: str) -> str:
        """One of the catalogue, with keys that may well strike."""
        kind = self.luck.choice(list(had_by(device).values()))
        pairs = [f"{name}={self._value(name, key)}" for name, key in kind.keys_of(device).items() if self._wanted(name)]
        return f"{device}:{kind.name}" + ("@" + ",".join(pairs) if pairs else "")

    def _wanted(self, name: str) -> bool:
        never = ("cycle", "load", "event", "write", "frame", "times", "records", "slots")
        return name not in never and self.luck.random() < 0.5

    def _value(self, name: str, key: Key) -> str | int:
        if key.choices is not None:
            return self.luck.choice(key.choices)
        return self.luck.randint(max(key.least, 0), max(key.least, 0) + (200 if name == "ms" else 6))

    def _cut(self, number: int, device: str) -> None:
        self._note("cut", device)
        self.desk.bench.table.machines[device].power_cut(self.luck.choice((1, 2, 4)))

    def _clear(self, number: int, device: str) -> None:
        machine = self.desk.bench.table.machines[device]
        if self.desk.hosts[device].link.up and machine.device:
            for _, seq in machine.device.faults:
                self.desk.send(device, "CLEAR_FAULT", id=1 + number % 0xFFFF, fault_seq=seq, operator=4711)

    def _acknowledge(self, number: int, device: str) -> None:
        machine = self.desk.bench.table.machines[device]
        if self.desk.hosts[device].link.up and machine.device:
            kind = "EVENT_ACK" if device == "alder" else "ACK_EVENTS"
            self.desk.send(device, kind, upto=machine.device.ring.newest)
            self.desk.hosts[device].events.clear()


def main(words: Sequence[str] | None = None) -> None:
    """From the command line, with progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--walks", type=int, default=1)
    wish = parser.parse_args(words)
    for seed in range(wish.seed, wish.seed + wish.walks):
        walk = Walk(seed)
        try:
            walk.go(wish.steps)
        except BaseException:
            print(f"seed {seed}, step {len(walk.done)}:", *walk.done[-12:], sep="\n  ", flush=True)
            raise
        struck = len(walk.desk.bench.table.plan.fired)
        print(f"seed {seed}: {wish.steps} steps, {struck} faults struck", flush=True)


if __name__ == "__main__":
    main()
