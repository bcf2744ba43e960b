"""A host that does not give up, for Cedar and Dogwood: whatever happens on the way, the passage comes to its end."""

from __future__ import annotations

from typing import Any

from protocols.message import Response
from protocols.vocabulary import EventCode, Result, card_byte
from tests.sim.desk import SET_ID
from tests.sim.plugged import OPERATOR, Plugged

ROUNDS = 30


class Patient(Plugged):
    """Plugged with second tries."""

    def rest(self) -> None:
        """Nothing is awaited here: `present` looks again and again."""
        self.bench.until(self.standing, 8)
        self.run(0.2)

    def standing(self) -> bool:
        return self.hosts[self.device].link.up and self.state() not in ("OFF", "BOOT", "HOMING")

    def present(self) -> None:
        """The device is there and talks."""
        for _ in range(6):
            self.bench.until(lambda: self.state() != "OFF", 5)
            device = self.bench.machine(self.device).device
            if self.standing() and device is self._known:
                return
            self._known = device
            self.replug()
            self.rest()
        raise AssertionError(f"{self.device} does not come back: {self.state()}")

    _known: Any = None

    def insist(self, type: str, **body: Any) -> Response:
        """An answer, the same id again where none comes."""
        id = next(self._ids)
        for _ in range(10):
            self.present()
            host = self.hosts[self.device]
            start = len(host.messages)
            if host.link.up:
                self.send(self.device, type, id=id, **body)

            def answers(host: Any = host, start: int = start) -> list[Response]:
                return [each for each in host.messages[start:] if isinstance(each, Response) and each.type == type]

            self.bench.until(lambda: bool(answers()) or self.state() == "OFF", 6)
            if answers() and answers()[-1].result != Result.E_BUSY:
                return answers()[-1]
            self.run(0.5)
        raise AssertionError(f"{self.device} never answers {type}")

    def goes(self, type: str, wait: float = 200.0, **body: Any) -> bool:
        """Whether a command was taken and has come to an end."""
        if self.insist(type, **body).result not in (Result.OK, Result.ACCEPTED):
            return False
        self.bench.until(lambda: self.idle() or self.state() == "OFF", wait)
        self.run(0.3)
        self.present()
        return True

    def idle(self) -> bool:
        device = self.bench.machine(self.device).device
        return device is not None and not device.moving() and not device.nvram.get("open")

    def acknowledge_all(self) -> None:
        if self.device == "cedar" and self.events():
            self.insist("EVENT_ACK", upto=self.events()[-1].seq)

    def set_right(self) -> None:
        """What people do who look at the machine, and faults cleared."""
        self.present()
        self.acknowledge_all()
        body = self.bench.machine(self.device).body
        if body.service:
            self.hands("unplug_service")
            self.run(3)
            self.present()
        self.bench.do({"do": "close_door" if self.device == "cedar" else "close_lid", "device": self.device}, 5)
        self.bench.do({"do": "clear", "device": self.device}, 8)
        self.run(0.2)
        for fault in self.insist("FAULTS", **({"from": 0} if self.device == "dogwood" else {})).body["faults"]:
            if fault["code"] == EventCode.FW_INTEGRITY:
                self.hands("plug_service")
                self.hands("unplug_service")
                self.run(3)
            else:
                self.insist("CLEAR_FAULT", fault_seq=fault["seq"], operator=OPERATOR)

    def whole_deck(self, place: str) -> None:
        world = self.bench.table.world
        lying = world.cards(place)
        if len({card.face for card in lying}) == 52 == len(lying) and len({card.back for card in lying}) == 1:
            return
        self.do("remove", **{"from": place})
        self.do("bring", deck=0, to=place)

    # Cedar

    def swept(self) -> None:
        """Packets and draws that lie about go to the rack."""
        self.bench.table.hands.end_draw()
        self.run(0.2)
        if self.cards("cedar.output") and self.state() not in ("DELIVERING", "PURGING", "OFF"):
            self.bench.do({"do": "take", "device": "cedar", "to": "rack"}, 5)
            self.bench.table.hands.end_draw()
        for place in ("seat 1", "seat 2", "seat 3", "table"):
            self.do("move", **{"from": place, "to": "rack"})
        self.run(0.2)

    def proven(self) -> None:
        """A load that an inventory has found right."""
        for _ in range(ROUNDS):
            self.set_right()
            match self.state():
                case "READY" | "LOCKED" if self.goes("INVENTORY") and self._says_ok():
                    return
                case "READY" | "LOCKED":
                    self.swept()
                    self.set_right()
                    self.goes("UNLOAD_ALL")
                case "UNLOADED":
                    self._load()
                case "LOADING":
                    self.goes("LOAD_END")
                case "REJECT_PENDING":
                    self._purge()
                case _:
                    self.swept()
                    self.run(3)
        raise AssertionError(f"never proven: {self.state()} {self.told()[-14:]}")

    def _says_ok(self) -> bool:
        counts = [event for event in self.events() if event.name == "SHOE_COUNT"]
        return self.state() == "READY" and bool(counts) and counts[-1].body["verdict"] == 1

    def _load(self) -> None:
        self.hands("take_out", to="rack")
        self.do("move", **{"from": "cedar.infeed", "to": "rack"})
        self.do("move", **{"from": "floor", "to": "rack"})
        self.run(0.3)
        self.whole_deck("rack")
        self.set_right()
        self.hands("feed", **{"from": "rack"})
        self.goes("LOAD_BEGIN", profile=0, decks=1, expected=52, set_id=SET_ID)
        self.goes("LOAD_END")

    def _purge(self) -> None:
        lies = len(self.cards("cedar.reject"))
        if self.insist("PURGE_REJECT", expected=lies, who=OPERATOR).result == Result.ACCEPTED:
            self.bench.do({"do": "take_purged", "device": "cedar", "to": "rack"}, 3)
            self.bench.table.hands.end_draw()
            self.run(0.3)

    def round(self) -> bool:
        """Two packets and three draws, then all back; whether nothing came between."""
        self.insist("DELIVER_PLAN", round=1, packets=({"seat": 1, "n": 3}, {"seat": 2, "n": 3}))
        for seat in ("seat 1", "seat 2"):
            for _ in range(2):
                if not self.cards(seat):
                    self.bench.do({"do": "take", "device": "cedar", "to": seat, "for": seat}, 6)
                    self.bench.table.hands.end_draw()
            self.run(0.2)
        self.present()
        if self.insist("SHOE_ARM", round=1, lease=8).result == Result.OK:
            self.bench.do({"do": "draw", "device": "cedar", "to": ["seat 3"] * 8}, 5)
            self.bench.table.hands.end_draw()
            self.run(0.4)
        self.present()
        if self.state() == "ARMED":
            self.insist("STOP")
        whole = [len(self.cards(f"seat {n}")) for n in (1, 2, 3)] == [3, 3, 8]
        self.swept()
        return whole

    # Dogwood

    def dealt(self, cards: int) -> None:
        """So many cards on the table, out of a shoe loaded as often as it takes."""
        for _ in range(ROUNDS):
            if len(self.cards("table")) >= cards:
                return
            self.set_right()
            match self.state():
                case "UNLOADED" | "EMPTY" | "RETIRED":
                    self._fill()
                case "HOLD":
                    self._name()
                case "LOADED" | "ARMED" | "ENDING":
                    self._draw(cards - len(self.cards("table")))
                case _:
                    self.run(3)
        raise AssertionError(f"never dealt: {self.state()} {self.told()[-12:]}")

    def _fill(self) -> None:
        if not self.cards("dogwood.shoe"):
            self.hands("fill", **{"from": "rack"})
            self.run(0.3)
        self.goes("LOAD", decks=1, expected=52)

    def _name(self) -> None:
        (seen,) = self.bench.table.hands.look("dogwood.mouth", lift=True)["cards"][:1] or ({"card": "As"},)
        idx = [event.body["idx"] for event in self.events() if event.name == "UNREADABLE"][-1]
        card = card_byte(seen["card"]) if len(seen["card"]) == 2 else 1
        self.insist("REREAD", idx=idx, card=card, op1=1, op2=2)

    def _draw(self, wanted: int) -> None:
        if self.insist("ARM", round=1, lease=min(wanted, 25)).result == Result.OK:
            self.bench.do({"do": "draw", "device": "dogwood", "to": ["table"] * wanted}, 4.0)
            self.bench.table.hands.end_draw()
            self.run(0.5)
