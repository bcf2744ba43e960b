"""What hands do at a continuous shuffler in its own way, and what people do there who need nobody's word."""

from __future__ import annotations

from firmware_sim.carousel_body import CarouselBody
from firmware_sim.movements import flap
from firmware_sim.scene import Ended, Movement, Order, Refused, Scene, Task, place_in

SHOWN = "shown"
"""`take` to wherever the display says."""


def _body(scene: Scene, order: Order) -> CarouselBody:
    body = scene.machine(order)
    if not isinstance(body, CarouselBody):
        raise Refused(f"{order.get('device')} is no continuous shuffler")
    return body


def feed(scene: Scene, task: Task) -> Movement:
    """Cards of a place into the infeed: all, or so many (`count`)."""
    body, source = _body(scene, task.order), place_in(task.order, "from")
    count = task.order.get("count")
    if count is not None and not isinstance(count, int):
        raise Refused("feed: 'count' is a number of cards")
    yield 2.0
    cards = scene.world.cards(source)
    return scene.carry_all(task, cards if count is None else cards[: max(count - task.moved, 0)], body.infeed)


def take(scene: Scene, task: Task) -> Movement:
    """The packet in the tray to a place, or to the one that the display shows; waits for it.

    With `for` (a place), waits until the display shows that one. With `count` only so many cards. `places` says which
    places of the table stand for what the display shows, where they have another name ("seat 14").
    """
    body, order = _body(scene, task.order), task.order
    target, wanted, count = place_in({"to": SHOWN, **order}, "to"), order.get("for"), order.get("count")
    names = order.get("places")
    names = names if isinstance(names, dict) else {}
    while not task.moved and (not _in_reach(scene, body) or (wanted is not None and body.packet != wanted)):
        if task.ended:
            raise Ended
        yield None
    yield 0.8
    if not task.moved and body.left_lying():
        return 0
    if target == SHOWN:
        target = names.get(body.packet, body.packet) or "table"
    cards = scene.world.cards(body.output)
    return scene.carry_all(task, cards if count is None else cards[: max(count - task.moved, 0)], target)


def _in_reach(scene: Scene, body: CarouselBody) -> bool:
    return body.powered and not body.delivering and scene.world.count(body.output) > 0


def take_out(scene: Scene, task: Task) -> Movement:
    """What a machine has unloaded, from its output; where cards are left elsewhere, all of them and what fell to the
    floor, through the door. Into the rack, or to `to`. `asked`: wait until it has unloaded and asks for it.
    """
    body, world, target = _body(scene, task.order), scene.world, place_in({"to": "rack", **task.order}, "to")
    while body.delivering or (task.order.get("asked") and not body.asking_out and not task.moved):
        if task.ended:
            raise Ended
        yield None
    inside = [zone for zone in (body.path, body.carousel, body.buffer, body.reject) if world.count(zone)]
    if inside:
        world.set_facts({f"{body.name}.door": True})
        body.clean()
    yield 1.0
    for zone in (body.output, *inside, body.infeed if inside else "", "floor" if inside else ""):
        scene.carry_all(task, world.cards(zone), target)
    yield 1.0
    world.set_facts({f"{body.name}.door": None})
    return task.moved


def take_purged(scene: Scene, task: Task) -> Movement:
    """What lies in the pocket, once it is unlocked: off the table, or to `to`."""
    body, target = _body(scene, task.order), place_in({"to": "off", **task.order}, "to")
    while not body.portal and not task.moved:
        if task.ended:
            raise Ended
        yield None
    yield 0.8
    return scene.carry_all(task, scene.world.cards(body.reject), target)


def clear(scene: Scene, task: Task) -> Movement:
    """Set right what the machine asks for, from outside: sensors wiped, motors freed, a stuck card pushed on."""
    body = _body(scene, task.order)
    yield 1.0
    body.clean()
    scene.carry_all(task, scene.world.cards(body.path), body.carousel)
    yield 1.0
    return task.moved


MOVEMENTS = {
    "feed": feed,
    "take": take,
    "take_out": take_out,
    "take_purged": take_purged,
    "clear": clear,
    "open_door": flap("door", True, Scene.machine),
    "close_door": flap("door", False, Scene.machine),
}


def wish(scene: Scene, name: str) -> Order | None:
    """`--person auto`: set right, take what lies ready, draw what may be drawn, and give back what was dealt."""
    body = _body(scene, {"device": name})
    world = scene.world
    if body.service:
        return {"do": "unplug_service", "device": name}
    if body.door_open:
        return {"do": "close_door", "device": name}
    if body.alarming and (world.count(body.path) or body.causes()):
        return {"do": "clear", "device": name}
    if body.portal and world.count(body.reject):
        return {"do": "take_purged", "device": name}
    if _in_reach(scene, body):
        return {
            "do": "take_out" if body.asking_out else "take",
            "device": name,
            "to": "rack" if body.asking_out else "table",
        }
    if body.gate_open and not body.empty() and body.flight is None and not body.disturbed:
        return {"do": "draw", "device": name, "to": ["table"]}
    if body.powered and not world.count(body.infeed):
        given = next((place for place in ("table", "rack", "hand") if world.count(place)), None)
        wanted = body.feeding if given != "table" else not body.delivering and not body.gate_open
        return {"do": "feed", "device": name, "from": given} if given and wanted else None
    return None
