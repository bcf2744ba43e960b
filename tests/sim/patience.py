"""A host that does not give up: shuffles a deck and deals a few cards, and sets right what goes wrong on the way."""

from __future__ import annotations

from typing import Any

from protocols.message import Response
from protocols.vocabulary import EventCode, Result, card_byte
from tests.sim.desk import SET_ID, Desk

OPERATOR = 4711


class Patient(Desk):
    """Desk with second tries. `rounds` of asking end in an AssertionError: nothing may be a dead end."""

    def insist(self, device: str, type: str, **body: Any) -> Response:
        """An answer, whatever becomes of line and power: the same id again where none comes."""
        host, carries = self.hosts[device], self.bench.machine(device).unit.family.carries_id(type)
        id = next(self._ids) if carries or device == "alder" else 0
        for _ in range(12):
            self.bench.until(lambda: host.link.up and self.state(device) not in ("OFF", "BOOT", "HOMING"), 70)
            start = len(host.messages)
            if host.link.up:
                self.send(device, type, id=id, **body)
            self.bench.until(lambda start=start: self._answer(device, type, id, start) is not None, 8)
            answer = self._answer(device, type, id, start)
            if answer is not None and answer.result != Result.E_BUSY:
                return answer
            self.run(0.5)
        raise AssertionError(f"{device} never answers {type}")

    def _answer(self, device: str, type: str, id: int, start: int) -> Response | None:
        fresh = self.hosts[device].messages[start:]
        found = [each for each in fresh if isinstance(each, Response) and (each.type, each.id) == (type, id)]
        return found[0] if found else None

    def catch_up(self, device: str) -> None:
        """Acknowledge what came, so that the ring has room."""
        self.run(0.3)
        if self.events(device):
            kind = "EVENT_ACK" if device == "alder" else "ACK_EVENTS"
            self.insist(device, kind, upto=self.events(device)[-1].seq)

    def clear_faults(self, device: str) -> None:
        for fault in self.insist(device, "FAULTS").body["faults"]:
            if fault["code"] == EventCode.FW_INTEGRITY:
                self.do("plug_service", device=device)
                self.do("unplug_service", device=device)
                self.run(3)
            elif fault["code"] != EventCode.UNREADABLE or device == "alder":
                self.insist(device, "CLEAR_FAULT", fault_seq=fault["seq"], operator=OPERATOR)

    # the shuffler

    def proven(self, expected: int = 52) -> None:
        """Cycles until one leaves the deck READY."""
        for _ in range(8):
            self.catch_up("alder")
            if self.state("alder") == "READY" and self.last("alder", "SHUFFLE_DONE")["verdict"] == 1:
                return
            self._set_right()
            if self.state("alder") == "LOADED":
                self.insist("alder", "SHUFFLE_START", mode=1, deck=0, expected=expected)
                self.bench.until(lambda: self.state("alder") in ("READY", "FAULT", "LOCKED", "SERVICE"), 150)
            self.run(5)
        raise AssertionError(f"no proven deck: {self.state('alder')} {self.told('alder')[-12:]}")

    def _set_right(self) -> None:
        if self.bench.machine("alder").body.service:
            self.do("unplug_service", device="alder")
            self.run(3)
        if self.state("alder") == "LOADED" and len(self.cards("alder.infeed")) == 52:
            self.clear_faults("alder")
            return
        self.do("take_out", device="alder")
        self._whole_deck()
        self.run(1)
        self.clear_faults("alder")
        self.run(1)
        if self.state("alder") == "EMPTY":
            self.do("feed", device="alder", **{"from": "rack"})
            self.run(1)

    def _whole_deck(self) -> None:
        """What people do who have counted and looked: 52 cards, each once, face down, with one back."""
        world = self.bench.table.world
        lying = world.cards("rack")
        if len({card.face for card in lying}) == 52 == len(lying) and len({card.back for card in lying}) == 1:
            return
        self.do("remove", **{"from": "rack"})
        self.do("bring", deck=0, to="rack")

    def handed_over(self) -> None:
        """A proven deck in the hand."""
        for _ in range(8):
            self.proven()
            self.insist("alder", "PRESENT", deck=0, override_by=0)
            self.bench.until(lambda: self.state("alder") not in ("READY", "OFF"), 5)
            self.run(1)
            if self.bench.machine("alder").body.tray:
                self.do("take", device="alder")
                return
        raise AssertionError("no deck was presented")

    # the shoe

    def dealt(self, cards: int, source: str = "rack") -> None:
        """Load, deal so many cards to the table, close and unload."""
        self.clear_faults("birch")
        self.catch_up("birch")
        self._loaded(source)
        for _ in range(60):
            on_table = len(self.cards("table"))
            if on_table >= cards or self.state("birch") == "EMPTY":
                break
            if self.state("birch") == "UNLOADED":
                self.do("unload", device="birch", to=source)
                self._loaded(source)
            self._some_more(cards - on_table)
        self.run(1)
        for _ in range(20):
            if self.insist("birch", "SHOE_CLOSE", residual=52 - cards).result == Result.ACCEPTED:
                break
            self._settle_shoe()
        self.run(2)

    def _loaded(self, source: str) -> None:
        for _ in range(8):
            if self.state("birch") not in ("UNLOADED", "EMPTY", "LOADING"):
                return
            self.insist("birch", "LOAD_BEGIN", decks=1, expected=52, set_id=SET_ID, cut=0)
            if self.cards(source):
                self.do("fill", device="birch", **{"from": source})
            self.run(3)
            self.clear_faults("birch")
            self.insist("birch", "LOAD_END")
        raise AssertionError(f"never loaded: {self.state('birch')} {self.told('birch')[-9:]}")

    def _some_more(self, wanted: int) -> None:
        self._settle_shoe()
        if self.insist("birch", "ARM", round=1, lease=min(wanted, 25)).result == Result.OK:
            self.bench.do({"do": "draw", "device": "birch", "to": ["table"] * wanted}, 3.0)
            self.bench.table.hands.end_draw()
            self.run(0.5)

    def _settle_shoe(self) -> None:
        self.catch_up("birch")
        self.bench.until(lambda: self.state("birch") != "OFF", 5)
        if self.bench.machine("birch").body.lid_open:
            self.do("close_lid", device="birch")
        if self.bench.machine("birch").body.service:
            self.do("unplug_service", device="birch")
            self.run(3)
        hold = self.insist("birch", "STATUS").body
        if hold["hold_idx"] and self.state("birch") == "HOLD":
            (seen,) = self.bench.table.hands.look("birch.mouth", lift=True)["cards"][:1] or ({"card": "As"},)
            card = card_byte(seen["card"])
            self.insist("birch", "REREAD_OK", idx=hold["hold_idx"], card=card, op1=1, op2=2)
        self.do("clear", device="birch")
        self.clear_faults("birch")
        self.run(0.3)
