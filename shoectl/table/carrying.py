"""What the simulated dealer's hands do for each step: a movement under the id of the step, in the order of steps."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from protocols.family import Verb, families
from shoectl.games.deck_steps import IN_BOX
from shoectl.games.procedure import Step
from shoectl.games.steps import RACK
from shoectl.games.text import step_json
from shoectl.table import carrying_mixing
from shoectl.table.control import Ask, Order, Reply
from shoectl.table.players import luck_of
from shoectl.table.setting_right import movements, place_of
from shoectl.table.state import TableState, Where

log = logging.getLogger("shoectl.table.simulated")

HAND, OFF, RENEWED = "hand", "off", "renewed"
STUB = "stub"  # as the session calls what is left in the dealer's hands
CARDS = 52
EXPOSED = "exposed card"  # as a record says how a deal ended that met one
LEFTOVERS = ("dealer", "community", "bonus", "burn", "table")
CUT = "cut"  # the upper part of a deck that is being cut


class Carrier:
    """One pair of hands. `piles`: what was laid into the rack in this round, where from and how many, in order.

    `late`: somebody else answers for the dealer, so his hands do what he has acknowledged.
    """

    def __init__(self, ask: Ask, late: bool = False) -> None:
        self._ask = ask
        self._late = late
        self._carried: tuple[int, int] = (0, 0)  # round and step up to which everything lies as the record says
        self.opened: tuple[int, int] | None = None  # the open step whose cards were moved
        self._came_up = False  # the last deal met a card that came face up
        self._names: dict[str, str] = {}
        self._taken = -1  # the deck that was taken from the shuffler last
        self._coming: dict[int, tuple[tuple[int, int], Mapping[str, Any]]] = {}
        self._feeding: object = None  # what is fed into a shoe that mixes, and watches its tray meanwhile
        self._mixes: set[str] = set()  # devices that are shuffler and shoe in one
        self.start: Callable[[Coroutine[Any, Any, None]], object] = lambda work: work.close()
        self.piles: list[tuple[str, int]] = []

    # what the steps want

    async def carry(self, view: Mapping[str, Any], state: TableState) -> None:
        """Carry out what was settled since, and what the open step wants before it can be."""
        step = view["step"]
        at = None if step is None else (int(step["ref"]["round"]), int(step["ref"]["step"]))
        new, self.opened = at != self.opened, at  # first of all: who draws for an older step must see that it is over
        if new and isinstance(self._feeding, asyncio.Task):  # or it would take a packet of the next deal from the tray
            self._feeding.cancel()
        if past := view.get("past"):
            await self._record(int(past["round"]), past["record"], state)
        await self._record(int(view["round"]), view["record"], state)
        if new and at is not None:
            await self._open(at, step, state, view["places"])

    async def _record(self, round_no: int, record: Sequence[Mapping[str, Any]], state: TableState) -> None:
        for one in record:
            at, step = (round_no, int(one["number"])), one["step"]
            if at <= self._carried:
                continue
            if self._carried[0] != round_no:
                self.piles = []
            if step["do"] == "take_deck":
                self._taken = int(step["deck"])
            if step["do"] == "deal":
                self._came_up = one["outcome"] == EXPOSED
            if one["outcome"] in ("passed", "answered"):
                await self._settled(at, step, state)
            self._carried = at

    async def _settled(self, at: tuple[int, int], step: Mapping[str, Any], state: TableState) -> None:
        match step["do"]:
            case "discard":
                source = HAND if step["place"] == STUB else str(step["place"])
                reply = await self.move(id_of(at), {"do": "move", "from": source, "to": RACK})
                self.piles.append((str(step["place"]), int(reply.get("moved", 0))))
            case "set_aside":
                place, lies = str(step["place"]), await self.faces(str(step["place"]), lift=True)
                card = lies[step["at"] : step["at"] + 1]
                reply = await self.move(id_of(at), {"do": "move", "from": place, "to": RACK, "cards": card})
                self.piles.append((EXPOSED, int(reply.get("moved", 0))))
            case "give":  # moved before it was answered; the same id tells how many they were
                place = f"seat {step['seat']}"
                reply = await self.move(id_of(at), {"do": "move", "from": place, "to": RACK, "cards": 0})
                self.piles.append((place, int(reply.get("moved", 0))))
            case "reveal" if self._late:
                await self.turn(at, str(step["place"]), step["at"])
            case "bring_deck" if self._late:  # he may have said that there is none: it comes when it is wanted
                self._coming[step["deck"]] = (at, step)
            case _ if self._late:
                await self.prepare(at, step, state)

    async def _open(
        self, at: tuple[int, int], step: Mapping[str, Any], state: TableState, lies: Mapping[str, Any]
    ) -> None:
        """Devices answer these steps; people's hands do them."""
        id = id_of(at)
        if (brought := self._coming.pop(step.get("deck", -1), None)) is not None:
            await self.prepare(*brought, state)
        match step["do"]:
            case "feed_shuffler":
                await self.gather(id, state)
                self.piles = []
                device, box = await self.name_of("shuffler"), state.deck_of(step["deck"]).where is Where.BOX
                if box:  # under one id for ever: there is one such box
                    order = {"do": "bring", "deck": step["deck"], "back": step["back"], "to": IN_BOX}
                    await self.move(f"box {step['deck']}", order)
                for place in dict.fromkeys((IN_BOX, step["place"]) if box else (step["place"],)):
                    await self.move(f"{id}.{place}", {"do": "feed", "device": device, "from": place})
            case "fill_shoe" | "feed_discards" if await self.name_of("shoe") in self._mixes:
                self._feeding = self.start(carrying_mixing.feed(self, at, str(step.get("place", RACK)), state))
            case "take_out" if await self.name_of("shuffler") in self._mixes:
                await self.gather(id, state)
                self.start(carrying_mixing.unload(self, at, str(step["place"])))
            case "take_deck":
                self.start(self.until_done(at, {"do": "take", "device": await self.name_of("shuffler")}))
            case "take_out":
                device, to = await self.name_of("shuffler"), step["place"]
                await self.move(id, {"do": "take_out", "device": device, "to": to})
                if to == RACK and self._has_in_hand(step["deck"], state):
                    await self.move(f"{id}.hand", {"do": "move", "from": HAND, "to": RACK})
            case "fill_shoe":
                await self.move(id, {"do": "fill", "device": await self.name_of("shoe"), "from": HAND})
            case "empty_shoe":
                await self.move(id, {"do": "unload", "device": await self.name_of("shoe"), "to": step["place"]})
                if step["place"] == RACK:  # a deck that never came into it
                    await self.move(f"{id}.hand", {"do": "move", "from": HAND, "to": RACK})
            case "deal" if state.by_packets:
                self.start(carrying_mixing.take_packets(self, at))
            case "deal" if shoe := await self.name_of("shoe"):
                if self._came_up:
                    await self._exposed(id, {place: lies.get(place, ()) for place in step["to"]})
                if state.option("card_drawn_in_error") != "next_card":
                    await self.move(f"{id}.mouth", {"do": "move", "from": await self.mouth(), "to": RACK})
                self.start(self.until_done(at, {"do": "draw", "device": shoe, "to": list(step["to"])}))

    def _has_in_hand(self, deck: int, state: TableState) -> bool:
        """Whether the deck that is to be taken out is the one in his hands; nobody tells of a round that was voided."""
        held = state.other is not None and state.other.where in (Where.HAND, Where.HELD)
        return deck == self._taken or (self._taken < 0 and not held)

    async def _exposed(self, id: str, places: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Cards that came face up, and were not to, go to the rack before the deal goes on."""
        for place, told in places.items():
            up = await self.faces(place, lift=False)
            if cards := up[sum(bool(card["up"]) for card in told) :]:
                reply = await self.move(f"{id}.{place}", {"do": "move", "from": place, "to": RACK, "cards": cards})
                self.piles.append((EXPOSED, int(reply.get("moved", 0))))

    async def until_done(self, at: tuple[int, int], order: Order, what: str = "") -> None:
        """A movement that waits for a device. Another one ends it; while its step is open it goes on after that."""
        id, moved = id_of(at) + what, 0
        while True:
            rest = {**order, "to": order["to"][moved:]} if order["do"] == "draw" else order
            reply = await self.move(id, rest)
            if reply.get("ok") or reply.get("error") != "ended" or at != self.opened:
                return
            moved += int(reply.get("moved", 0))
            id += "+"

    async def gather(self, id: str, state: TableState) -> None:
        """Whatever still lies about from a round that was interrupted goes to the rack first. Where there are two decks
        the hand may hold the other one.
        """
        hand = (HAND,) if state.other is None and (await self._places()).get(HAND) else ()
        for place in (*await self._lying(), *hand):
            await self.move(f"{id}.{place}", {"do": "move", "from": place, "to": RACK})

    async def _lying(self) -> dict[str, int]:
        """How many cards lie at each place of the table."""
        places = await self._places()
        seats = (one for one in places if one.startswith("seat "))
        return {place: places[place] for place in (*seats, *LEFTOVERS) if places.get(place)}

    async def prepare(self, at: tuple[int, int], step: Mapping[str, Any], state: TableState) -> None:
        """What people have to do before they may say that a step is done."""
        id = id_of(at)
        match step["do"]:
            case "shuffle_by_hand":
                await self.gather(id, state)
                await self.move(id, {"do": "shuffle", "from": RACK, "to": HAND})
            case "cut_deck":
                cards = luck_of(0, *at).randint(step["least"], CARDS - step["least"])
                await self.move(f"{id}.cut", {"do": "move", "from": HAND, "to": CUT, "cards": cards})
                await self.move(id, {"do": "move", "from": CUT, "to": HAND})
            case "count":
                await self.gather(id, state)
            case "remove_deck":
                await self.gather(id, state)
                await self.move(id, {"do": "remove", "from": step["place"], "to": OFF})
            case "bring_deck":
                order = {"do": "bring", "deck": step["deck"], "back": step["back"], "to": step["place"]}
                await self.move(id, order)
            case "renew_stub":
                await self._renew(id, step["origins"])

    async def _renew(self, id: str, origins: Sequence[str]) -> None:
        """The cards that came from these places, out of the rack, shuffled, are the new stub."""
        cards = await self.faces(RACK, lift=True)
        at, taken = max(0, len(cards) - sum(count for _, count in self.piles)), []
        for origin, count in self.piles:
            if origin in origins:
                taken += cards[at : at + count]
            at += count
        await self.move(f"{id}.take", {"do": "move", "from": RACK, "to": RENEWED, "cards": taken})
        await self.move(id, {"do": "shuffle", "from": RENEWED, "to": HAND})
        self.piles = [pile for pile in self.piles if pile[0] not in origins]

    async def give_up(self, at: tuple[int, int], place: str, cards: Sequence[object], what: str = "") -> int:
        """Cards that a player gives up go to the rack, face down. Returns how many, the same when asked again."""
        named = [str(card) for card in cards]
        reply = await self.move(id_of(at) + what, {"do": "move", "from": place, "to": RACK, "cards": named})
        return int(reply.get("moved", len(named)))

    async def turn(self, at: tuple[int, int], place: str, cards: Sequence[int] = ()) -> None:
        """Cards of a place face up: those named, in the order dealt, from 0; else all."""
        await self.move(id_of(at), {"do": "turn", "place": place, "at": list(cards)})

    async def deal_by_hand(self, at: tuple[int, int], part: int, place: str) -> None:
        """The top card of the deck in the dealer's hands."""
        await self.move(f"{id_of(at)}.p{part}", {"do": "move", "from": HAND, "to": place, "cards": 1})

    async def set_right(self, id: str, reason: str, text: str, step: Step[Any]) -> None:
        """Do at a device what a hold asks for."""
        device = await self.name_of(place_of(reason, step))
        orders = movements(reason, text, step, str(step_json(step).get("place", RACK))) if device else ()
        for n, order in enumerate(orders):
            await self.move(f"{id}.{n}", {**order, "device": device})

    async def push_back(self, id: str) -> None:
        """The card that sticks in the shoe's mouth, into the shoe again."""
        await self.move(id, {"do": "push_back", "device": await self.name_of("shoe"), "from": "table"})

    # eyes

    async def faces(self, place: str, *, lift: bool) -> list[str]:
        """The cards at a place that can be seen; `lift` for the one whose cards they are."""
        reply = await self._ask({"look": place, "lift": lift})
        return [str(card["card"]) for card in reply.get("cards", ()) if "card" in card]

    async def count_cards(self, place: str) -> int:
        """How many cards the dealer counts at a place."""
        return int((await self._ask({"look": place})).get("count", 0))

    async def count_table(self) -> int:
        """How many cards the dealer counts on the whole table."""
        return sum((await self._lying()).values())

    async def at_mouth(self) -> list[str]:
        """What two persons see who look at the card in the shoe's mouth."""
        return await self.faces(await self.mouth(), lift=True)

    async def mouth(self) -> str:
        """Where a card lies that came out of the shoe and that nobody has taken yet."""
        shoe = await self.name_of("shoe")
        return f"{shoe}.{'output' if shoe in self._mixes else 'mouth'}"

    async def _places(self) -> dict[str, int]:
        return dict((await self._ask({"state": True})).get("places", {}))

    async def name_of(self, role: str) -> str:
        """What the simulator calls the shuffler or the shoe, the first one of several; "" where there is none."""
        if not self._names:
            devices = (await self._ask({"state": True})).get("devices", ())
            verbs = {one["name"]: families()[one["family"]].verbs for one in devices}
            found = {name: "shoe" if Verb.ARM in can else "shuffler" for name, can in verbs.items()}
            self._names = {role: name for name, role in reversed(found.items())}
            self._mixes = {name for name, can in verbs.items() if Verb.FEED in can}
            for name in self._mixes:
                self._names.setdefault("shuffler", name)
        return self._names.get(role, "")

    async def move(self, id: str, order: Order) -> Reply:
        """One movement; what goes wrong with it is said."""
        reply = await self._ask({**order, "id": id})
        if not reply.get("ok") and reply.get("error") != "ended":
            log.warning("simulated hands: %s %s: %s", order["do"], id, reply.get("error"))
        return reply


def id_of(at: tuple[int, int]) -> str:
    """By what a step's movement is known, so that it is done once."""
    return f"r{at[0]}.s{at[1]}"
