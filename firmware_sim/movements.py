"""What hands can do, each a generator.

It yields how long the hands take (seconds), or None to wait until something changes, and returns how many cards it
moved. Asked again with the same id after a kill, it goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from firmware_sim.mechanics import STANDARD, SUPPLY, Card
from firmware_sim.mixers import stream
from firmware_sim.scene import BACKS, DEALER, Ended, Movement, Order, Refused, Scene, Task, place_in
from firmware_sim.shoe_body import ShoeBody
from firmware_sim.shuffler_body import ShufflerBody


def feed(scene: Scene, task: Task) -> Movement:
    """All cards of a place into the infeed."""
    body, source = scene.shuffler(task.order), place_in(task.order, "from")
    yield 2.0
    return scene.carry_all(task, scene.world.cards(source), body.infeed)


def take(scene: Scene, task: Task) -> Movement:
    """The presented deck into the hand; waits for one."""
    body = scene.shuffler(task.order)
    while not body.tray and not task.moved:
        if task.ended:
            raise Ended
        yield None
    yield 1.0
    for card in body.presented():
        left = body.tray - 1
        facts: dict[str, Any] = {f"{body.name}.tray": left}
        if left == 0:
            facts[f"passes.{card.deck}"] = scene.world.facts.get(f"passes.{card.deck}", 0) + 1
        scene.carry(task, card, "hand", **facts)
    return task.moved


def take_out(scene: Scene, task: Task) -> Movement:
    """Open the door, everything inside and what fell to the floor into the rack (or to `to`), close the door."""
    body, world, target = scene.shuffler(task.order), scene.world, place_in({"to": "rack", **task.order}, "to")
    world.set_facts({f"{body.name}.door": True})
    body.clean()
    yield 1.0
    for zone in (body.output, body.rack, body.path, body.infeed, "floor"):
        scene.carry_all(task, world.cards(zone), target)
    world.set_facts({f"{body.name}.tray": 0})
    yield 1.0
    world.set_facts({f"{body.name}.door": None})
    return task.moved


def fill(scene: Scene, task: Task) -> Movement:
    """Open the lid, the cards of a place (or so many of them) into the shoe, close the lid.

    The cut card lies behind as many as the display asks for, or `cut` says.
    """
    body, source = scene.shoe(task.order), place_in(task.order, "from")
    world, count = scene.world, task.order.get("count")
    if count is not None and not isinstance(count, int):
        raise Refused("fill: 'count' is a number of cards")
    world.set_facts({f"{body.name}.lid": True})
    yield 0.5
    cards = world.cards(source)
    for card in cards if count is None else cards[: max(count - task.moved, 0)]:
        scene.carry(task, card, body.shoe)
        if task.moved == task.order.get("cut", body.cut_wanted):
            world.move(world.create([0x50], back="other", deck=card.deck)[0], body.shoe, by=DEALER)
    yield 1.0
    world.set_facts({f"{body.name}.lid": None})
    return task.moved


def unload(scene: Scene, task: Task) -> Movement:
    """Open the lid, what is left in shoe and mouth to a place, close the lid."""
    body, target = scene.shoe(task.order), place_in(task.order, "to")
    world = scene.world
    world.set_facts({f"{body.name}.lid": True})
    yield 0.5
    body.clean()
    left = body.left_behind()
    for zone in (body.mouth, body.shoe, body.pocket):
        for card in world.cards(zone):
            if card.text == "cut":
                world.move(card, SUPPLY, by=DEALER)
            elif card is not left:
                scene.carry(task, card, target)
    yield 1.0
    world.set_facts({f"{body.name}.lid": None})
    return task.moved


def draw(scene: Scene, task: Task) -> Movement:
    """Cards one after another to the places named, while the gate is open.

    A card that lies in the mouth, and is not held there, is the next one. `anyway`: at a shoe without gate, whatever
    the lamp says.
    """
    body, targets = scene.mouth(task.order), task.order.get("to")
    if not isinstance(targets, Sequence) or isinstance(targets, str) or not all(isinstance(to, str) for to in targets):
        raise Refused("draw: 'to' lists places")
    while _cards_left(scene, task, body, len(targets)):
        in_reach = body.at_mouth() and body.powered and not body.holding
        may = body.gate_open or (task.order.get("anyway") is True and body.passable)
        drawable = may and not body.empty() and not body.flight and not body.disturbed
        if task.moved < len(targets) and task.ended:
            raise Ended
        if task.ended:
            break
        if task.moved < len(targets) and (in_reach or drawable):
            yield from _draw_one(scene, task, body, targets[task.moved])
        else:
            yield None
    return task.moved


def _cards_left(scene: Scene, task: Task, body: ShoeBody, wanted: int) -> bool:
    """Whether cards are to be drawn, or one may yet slide back: a shoe without power had not read its last card."""
    task.moved = scene.world.facts.get(f"movement.{task.id}", {}).get("moved", task.moved)
    return task.moved < wanted or not body.powered


def _draw_one(scene: Scene, task: Task, body: ShoeBody, target: str) -> Movement:
    if body.at_mouth():
        scene.carry(task, scene.world.cards(body.mouth)[0], target)
        return 1
    flight = body.pull(target, DEALER, task.progress())
    while not flight.over:
        yield None
    task.moved += flight.arrived
    if not scene.hurried:
        yield 0.25 + 1.35 * stream(scene.seed, "hand", task.id, task.moved).random()
    return 1


def move(scene: Scene, task: Task) -> Movement:
    """Named cards, or so many, or all, from place to place in their order."""
    source, target = place_in(task.order, "from"), place_in(task.order, "to")
    cards = _chosen(scene.world.cards(source), task.order.get("cards"), task.moved, source)
    yield 0.3
    return scene.carry_all(task, cards, target)


def _chosen(cards: Sequence[Card], wanted: object, moved: int, source: str) -> list[Card]:
    match wanted:
        case None:
            return list(cards)
        case int():
            if wanted - moved > len(cards):
                raise Refused(f"move: {wanted} cards are wanted, {len(cards)} lie at {source}")
            return list(cards[: max(wanted - moved, 0)])
        case list() | tuple():
            chosen: list[Card] = []
            for face in wanted[moved:]:
                found = next((card for card in cards if card.text == face and card not in chosen), None)
                if found is None:
                    raise Refused(f"move: {face!r} does not lie at {source}")
                chosen.append(found)
            return chosen
        case _:
            raise Refused("move: 'cards' is a list of faces, or a count, or left out")


def turn(scene: Scene, task: Task) -> Movement:
    """Everything at a place face up, or those named by their order there, from 0 (`at`)."""
    place, at = place_in(task.order, "place"), task.order.get("at", [])
    if not isinstance(at, list) or not all(type(one) is int and one >= 0 for one in at):
        raise Refused("turn: 'at' lists which cards of the place, from 0")
    yield 0.2
    cards = scene.world.cards(place)
    if at:
        cards = tuple(cards[one] for one in at if one < len(cards))
    scene.world.set_facts({f"up.{card.number}": True for card in cards})
    return len(cards)


def shuffle(scene: Scene, task: Task) -> Movement:
    """All cards of a place mixed by hand to another; the order is the movement's alone."""
    source, target = place_in(task.order, "from"), place_in(task.order, "to")
    yield 5.0
    return scene.carry_all(task, scene.mixed(task, scene.world.cards(source)), target)


def remove(scene: Scene, task: Task) -> Movement:
    """All cards of a place leave the table (or go where `to` says)."""
    source, target = place_in(task.order, "from"), place_in({"to": "off", **task.order}, "to")
    yield 0.5
    return scene.carry_all(task, scene.world.cards(source), target)


def bring(scene: Scene, task: Task) -> Movement:
    """A fresh standard deck from the supply."""
    deck, target = task.order.get("deck"), place_in(task.order, "to")
    if deck not in (0, 1):
        raise Refused("bring: 'deck' is 0 or 1")
    back = place_in({"back": BACKS[deck], **task.order}, "back")
    yield 1.0
    wanted = len(STANDARD) - task.moved
    cards = scene.world.create(STANDARD, back=back, deck=deck)[-wanted:]
    return scene.carry_all(task, cards, target)


def push_back(scene: Scene, task: Task) -> Movement:
    """A card back through the mouth: the one that sticks in it, else the last one of a place."""
    body = scene.mouth(task.order)
    place = body.mouth if body.at_mouth() else place_in(task.order, "from")
    cards = scene.world.cards(place)
    if not cards:
        raise Refused(f"push_back: no card lies at {place}")
    yield 0.5
    body.push_back(cards[-1], DEALER)
    return 1


def clear(scene: Scene, task: Task) -> Movement:
    """Set right what a machine asks for: wipe its sensors, free its motors. In a shuffler that is behind the door, and
    all cards go back into the infeed; a shoe is cleaned from outside.
    """
    body, world = scene.machine(task.order), scene.world
    if isinstance(body, ShufflerBody):
        world.set_facts({f"{body.name}.door": True})
        yield 1.0
        for zone in (body.path, body.rack):
            scene.carry_all(task, world.cards(zone), body.infeed)
        scene.carry_all(task, world.cards(body.output)[body.tray :], body.infeed)
    body.clean()
    yield 1.0
    if isinstance(body, ShufflerBody):
        world.set_facts({f"{body.name}.door": None})
    return task.moved


def flap(part: str, opened: bool, find: Callable[[Scene, Order], Any]) -> Callable[[Scene, Task], Movement]:
    """The movement that opens or shuts a part of a machine."""

    def act(scene: Scene, task: Task) -> Movement:
        body = find(scene, task.order)
        yield 0.3
        scene.world.set_facts({f"{body.name}.{part}": True if opened else None})
        if opened and part == body.flap:
            body.clean()
        return 0

    return act


MOVEMENTS: dict[str, Callable[[Scene, Task], Movement]] = {
    "feed": feed,
    "take": take,
    "take_out": take_out,
    "fill": fill,
    "unload": unload,
    "draw": draw,
    "move": move,
    "turn": turn,
    "shuffle": shuffle,
    "remove": remove,
    "bring": bring,
    "push_back": push_back,
    "clear": clear,
    "open_door": flap("door", True, Scene.shuffler),
    "close_door": flap("door", False, Scene.shuffler),
    "open_lid": flap("lid", True, Scene.shoe),
    "close_lid": flap("lid", False, Scene.shoe),
    "plug_service": flap("service", True, Scene.machine),
    "unplug_service": flap("service", False, Scene.machine),
    "open_case": flap("tamper", True, Scene.machine),
    "close_case": flap("tamper", False, Scene.machine),
}
