"""The dealer's hands and eyes: one pair of hands, which does one movement after another and each only once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from firmware_sim.mechanics import Impossible
from firmware_sim.movements import MOVEMENTS
from firmware_sim.scene import Ended, Movement, Order, Refused, Scene, Task
from firmware_sim.swaps import turned
from firmware_sim.timeline import Timer

Reply = dict[str, Any]
IDS_KEPT = 2000
"""Movements whose end is remembered: more than any table asks for again."""

WAIT = ("draw", "take", "take_out", "take_purged")
"""Movements that wait for a machine, and end where another one is wanted."""

INSIDE = (".shoe", ".rack", ".path", ".infeed", ".output", ".carousel", ".buffer", ".reject")


@dataclass
class _Doing:
    task: Task
    moves: Movement
    answers: list[Callable[[Reply], None]]
    timer: Timer | None = None
    begun: bool = False


@dataclass
class Hands:
    """Does what it is told by `do`; between two movements `idle` may think of another."""

    scene: Scene
    idle: Callable[[Hands], None] = lambda hands: None
    _queue: deque[_Doing] = field(default_factory=deque)
    _thinking: bool = False

    def __post_init__(self) -> None:
        self.scene.world.watch(lambda name: self.notice())
        for machine in self.scene.machines.values():
            machine.changed = self.notice

    @property
    def free(self) -> bool:
        """Whether they do nothing."""
        return not self._queue

    def do(self, order: Order, answer: Callable[[Reply], None] = lambda reply: None) -> None:
        """A movement; `answer` is called when it is finished, at once where its id has been before."""
        id = order.get("id")
        if not isinstance(id, str) or not id:
            answer({"ok": False, "error": "a movement has an id (a text)"})
            return
        kept = self.scene.world.facts.get(f"movement.{id}", {})
        running = next((doing for doing in self._queue if doing.task.id == id), None)
        if "ok" in kept:
            answer(dict(kept))
        elif running is not None:
            running.answers.append(answer)
        elif (movement := self._movement(order)) is None:
            answer({"ok": False, "error": f"no movement {order.get('do')!r}; there are {', '.join(MOVEMENTS)}"})
        else:
            task = Task(order, id, kept.get("moved", 0))
            self.end_draw()
            self._queue.append(_Doing(task, movement(self.scene, task), [answer]))
            self.notice()

    def _movement(self, order: Order) -> Callable[[Scene, Task], Movement] | None:
        """How the machine wants it done, or how everybody does it."""
        do = str(order.get("do"))
        return self.scene.own.get(str(order.get("device")), {}).get(do) or MOVEMENTS.get(do)

    def end_draw(self) -> bool:
        """End a draw that is waiting; one card that is being pulled still comes."""
        waiting = [doing for doing in self._queue if doing.task.order["do"] in WAIT]
        for doing in waiting:
            doing.task.ended = True
        self.notice()
        return bool(waiting)

    def notice(self) -> None:
        """Something has changed: look again, once all that belongs to it has happened."""
        if not self._thinking:
            self._thinking = True
            self.scene.clock.after(0, self._think)

    def _think(self) -> None:
        self._thinking = False
        if not self._queue:
            self.idle(self)
        elif self._queue[0].timer is None:
            self._go_on(self._queue[0])

    def _go_on(self, doing: _Doing) -> None:
        doing.timer = None
        try:
            seconds = next(doing.moves)
        except StopIteration as end:
            self._finish(doing, {"ok": True, "moved": int(end.value)})
        except Ended:
            self._finish(doing, {"ok": False, "error": "ended", "moved": doing.task.moved})
        except (Refused, Impossible) as error:
            self._finish(doing, {"ok": False, "error": str(error)})
        else:
            if seconds is not None:
                doing.timer = self.scene.clock.after(seconds, lambda: self._go_on(doing))

    def _finish(self, doing: _Doing, reply: Reply) -> None:
        self._queue.remove(doing)
        kept = [name for name in self.scene.world.facts if name.startswith("movement.")]
        forgotten = dict.fromkeys(kept[: max(0, len(kept) - IDS_KEPT)])
        self.scene.world.set_facts({**forgotten, f"movement.{doing.task.id}": reply})
        for answer in doing.answers:
            answer(reply)
        self.notice()

    def look(self, place: str, lift: bool = False) -> Reply:
        """What eyes see at a place; `lift` is for the one whose cards they are. Nobody sees into a machine."""
        world = self.scene.world
        hidden = place.endswith(INSIDE)
        cards: list[dict[str, Any]] = []
        for card in world.cards(place):
            up = bool(world.facts.get(f"up.{card.number}") or world.facts.get(turned(card)))
            seen = (up or lift) and not hidden
            cards.append({"up": up, "card": card.text} if seen else {"up": False})
        return {"ok": True, "cards": cards, "count": len(cards)}


def going_round(hands: Hands) -> None:
    """`--person auto`: what a dealer does who needs nobody's word, so that cards go round for ever."""
    order = _wish(hands.scene)
    if order is not None:
        number = hands.scene.world.facts.get("auto", 0) + 1
        hands.scene.world.set(auto=number)
        hands.do({**order, "id": f"auto {number}"})


def _wish(scene: Scene) -> Order | None:
    count = scene.world.count
    trouble = _trouble(scene)
    if trouble is not None:
        return trouble
    for name, wish in scene.wishes.items():
        order = wish(scene, name)
        if order is not None:
            return order
    for name, shoe in scene.shoes.items():
        if (shoe.gate_open and not shoe.empty() and shoe.flight is None and not shoe.disturbed) or (
            shoe.at_mouth() and shoe.powered and not shoe.holding
        ):
            return {"do": "draw", "device": name, "to": ["table"]}
        if shoe.wanted and not count(shoe.shoe):
            if count("hand"):
                return {"do": "fill", "device": name, "from": "hand", "count": shoe.wanted}
            if count("rack") and not scene.shufflers:
                return {"do": "shuffle", "from": "rack", "to": "hand"}
    for name, shuffler in scene.shufflers.items():
        if shuffler.tray and not count("hand"):
            return {"do": "take", "device": name}
        order = _give_back(scene, name, shuffler.inviting and not count(shuffler.infeed))
        if order is not None:
            return order
    if scene.shoes and not scene.shufflers:
        return _gather(scene)
    return None


def _trouble(scene: Scene) -> Order | None:
    """What stands open is shut; a shuffler that asks for it is emptied."""
    for name, shoe in scene.shoes.items():
        if shoe.lid_open:
            return {"do": "close_lid", "device": name}
        if shoe.service:
            return {"do": "unplug_service", "device": name}
    for name, shuffler in scene.shufflers.items():
        if shuffler.service:
            return {"do": "unplug_service", "device": name}
        if shuffler.door_open or (shuffler.alarming and any(shuffler.zones())):
            return {"do": "take_out", "device": name}
    return None


def _give_back(scene: Scene, shuffler: str, inviting: bool) -> Order | None:
    """Into an empty shuffler: the deck in the hand where there is no shoe, else all that was dealt from it."""
    if not inviting:
        return None
    if not scene.shoes and scene.world.count("hand"):
        return {"do": "feed", "device": shuffler, "from": "hand"}
    if scene.world.count("hand"):
        return None
    gathering = _gather(scene)
    if gathering is not None:
        return gathering
    if scene.world.count("rack") and all(shoe.unlocked for shoe in scene.shoes.values()):
        return {"do": "feed", "device": shuffler, "from": "rack"}
    return None


def _gather(scene: Scene) -> Order | None:
    """What was dealt, and what is left in an unlocked shoe, to the rack."""
    for name, shoe in scene.shoes.items():
        if shoe.unlocked and (scene.world.count(shoe.shoe) or shoe.at_mouth()):
            return {"do": "unload", "device": name, "to": "rack"}
    done = all(shoe.unlocked for shoe in scene.shoes.values())
    if done and scene.world.count("table"):
        return {"do": "move", "from": "table", "to": "rack"}
    return None
