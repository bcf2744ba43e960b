"""What a journal says of cards: all that were dealt or set aside, and where it cannot tell."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoectl.devices.faces import card_of


def entries(journal: Path) -> list[tuple[int, str, dict[str, Any]]]:
    """All entries of a journal, read with nothing but SQLite."""
    base = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    try:
        rows = base.execute("SELECT n, kind, body FROM entry ORDER BY n").fetchall()
    finally:
        base.close()
    return [(n, kind.decode() if isinstance(kind, bytes) else kind, json.loads(body)) for n, kind, body in rows]


@dataclass(frozen=True)
class Dealt:
    """One card that left the shoe: where it went, and which (None where nobody read it). `load`: in which loading of
    the shoe, from 1 (0: from the hand). `misread`: the shoe's reader took it for another one. `back`: it was pushed
    back into the shoe, and so was never dealt. `left`: no deal made use of it, and the answer that names its draw lays
    nothing down. `stuck`: it lay in the mouth of one that mixes, and went to the rack:
    maybe untold, for a card that was half out as power failed is no draw there. `nth`: in the order of the journal's
    answers.
    """

    place: str
    card: str | None
    load: int = field(default=0, compare=False)
    misread: bool = field(default=False, compare=False)
    stuck: bool = field(default=False, compare=False)
    nth: int = field(default=0, compare=False)
    back: bool = field(default=False, compare=False)
    left: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Forgot:
    """What the shoe had not told here is not to be had: it became another one, its memory blank, it told one event in
    two ways and is believed nothing more, or the table had to stop without it. `most` cards of this loading may have
    been drawn untold: so many were due.
    """

    load: int
    most: int


@dataclass(frozen=True)
class Counted:
    """So many cards of a loading lay on the table without a record: the dealer counted them. `stays`: the loading goes
    on after that, for the shoe mixes.
    """

    load: int
    cards: int
    stays: bool


@dataclass(frozen=True)
class Unasked:
    """A packet of so many cards that was taken and that no deal made use of: the step that gathers the cards names it,
    and whether they went to the rack or to a place first, nobody wrote down. Or a card that was on its way out as power
    failed.
    """

    load: int
    cards: int


Told = Dealt | Forgot | Counted | Unasked
AWAY = ("shoe lost", "shoe refused", "shoe stopped")  # how a hold begins that waits for the shoe to be there


def dealt_by_journal(journal: Path) -> list[Dealt]:
    """Every card that the journal says was dealt or set aside, in order."""
    return [one for one in told_by_journal(journal) if isinstance(one, Dealt)]


def told_by_journal(journal: Path) -> list[Told]:
    """All cards that the journal says were dealt or set aside, and each place where a shoe forgot some, the dealer
    counted them, or a packet was not asked for any more, in the order in which they came.
    """
    teller = _Teller()
    for entry in entries(journal):
        teller.take(*entry)
    return teller.all()


@dataclass
class _Taken:
    """A packet that was taken: at which entry, and how many of its cards no deal has answered. `place`: where it lies,
    as soon as an answer of a deal, or a void, says so.
    """

    entry: int
    load: int
    seat: str
    left: int
    place: str = ""


def _packet_of(answer: Mapping[str, Any], place: str, packets: dict[tuple[Any, ...], _Taken]) -> _Taken | None:
    """The packet that an answer of a deal tells of: the one that it names, or one for its place that is not used up."""
    for ref in answer["evidence"]:
        if taken := packets.get((ref["unit"], ref["epoch"], ref["seq"])):
            return taken
    return next((taken for taken in packets.values() if taken.left and taken.place == place), None)


def _seat_of(number: int) -> str:
    """What a number on the display of a machine stands for."""
    return {0: "dealer", 14: "community", 15: "bonus"}.get(number, f"seat {number}")


class _Teller:
    """Goes through a journal, entry by entry."""

    def __init__(self) -> None:
        self.told: list[tuple[int, Told]] = []  # with the entry that tells when
        self.packets: dict[tuple[Any, ...], _Taken] = {}
        self.step: dict[str, Any] = {}
        self.load = self.part = self.n = 0
        self.shoe: tuple[str, int] | None = None
        self.held, self.mixes = "", False
        self.empty = True  # one that mixes: it was taken out, and not loaded since
        self.drawn: dict[int, int] = {}  # which of them each draw of this loading became
        self.events: dict[tuple[Any, ...], Mapping[str, Any]] = {}  # of draws and returns
        self.gone: list[int] = []  # those that were pushed back into the shoe, and have not come again

    def take(self, n: int, kind: str, body: Mapping[str, Any]) -> None:
        """One entry."""
        self.n = n
        match kind:
            case "round":
                self._over()
            case "void":
                for taken in self.packets.values():
                    taken.place = taken.place or (taken.seat if taken.seat in body["cards"] else "")
            case "step":
                self._asked(body["step"])
            case "event":
                self._happened(body)
            case "answer":
                self._answered(body)
            case "irregularity" if body["place"] == "rack":
                self._tell(Dealt("rack", body["card"], self.load, nth=len(self.told)))
            case "device" if body["place"] == "shoe":
                unit = (body["unit"], body["epoch"])
                if self.shoe not in (None, unit):
                    self._tell(self._forgot())
                self.shoe, self.mixes = unit, body["family"] == "cedar"
                self._opened()
            case "hold":
                self.held = body["reason"]
            case "held":
                self.held = ""
            case "alarm" if body["place"] == "shoe" and "other content" in body["text"]:
                self._tell(self._forgot())

    def all(self) -> list[Told]:
        """What was told, once there is no more."""
        self._back(*self.gone)
        self._over()
        told = self.told + ([(self.n + 1, self._forgot())] if self.held.startswith(AWAY) else [])
        return [one for _, one in sorted(told, key=lambda each: each[0])]

    def _over(self) -> None:
        """A round is over: what no answer tells of its packets."""
        for one in self.packets.values():
            if one.place:
                rest = Dealt(one.place, None, one.load, left=True)
                self.told += [(one.entry, rest)] * one.left
            elif one.left:
                self.told.append((0, Unasked(one.load, one.left)))
        self.packets = {}

    def _asked(self, step: dict[str, Any]) -> None:
        if step["do"] == "take_back":
            lie = [at for at, (_, one) in enumerate(self.told) if isinstance(one, Dealt) and one.place == step["place"]]
            self._back(lie[-1])
        self.step, self.part = step, 0
        self._opened()

    def _happened(self, body: Mapping[str, Any]) -> None:
        if body["name"] in ("CARD_DRAWN", "CARD_RETURNED"):
            self.events[body["unit"], body["epoch"], body["seq"]] = body
        match body["name"]:
            case "PACKET_TAKEN":
                taken = _Taken(self.n, self.load, _seat_of(body["body"]["seat"]), body["body"]["n"])
                self.packets[body["unit"], body["epoch"], body["seq"]] = taken
            case "POWER_UP" if self.mixes and any(zone["err"] for zone in body["body"]["zones"]):
                self._tell(Unasked(self.load, 1))  # a card that was on its way out is not told of
            case "CARD_RETURNED" if body["body"]["idx"] in self.drawn:
                self.gone.append(self.drawn[body["body"]["idx"]])
            case "CARD_DRAWN":  # it came again: as the same card, or its place was opened and takes another one
                self.gone = self.gone[1:]

    def _answered(self, body: Mapping[str, Any]) -> None:
        step = self.step
        if body["takes"].lower() == "drawn":
            self.part = body["part"] + 1
            place, came = step["to"][body["part"]], self.n
            self.drawn[body["answer"]["idx"]] = len(self.told)
            if (taken := _packet_of(body, place, self.packets)) is not None:
                taken.place, taken.left, came = place, taken.left - 1, taken.entry
            self.told.append((came, Dealt(place, body["answer"]["card"], self.load, nth=len(self.told))))
        elif step["do"] == "fill_shoe" and not self.mixes:
            self._loaded()
        elif step["do"] in ("start_shuffle", "take_out"):
            for byte in self._left_over(body["evidence"]):
                card = card_of(byte)
                self._tell(Dealt("rack", None if card is None else str(card), self.load, left=True))
            self.empty |= step["do"] == "take_out"
        elif step["do"] == "count_table":
            self._tell(Counted(self.load, max(0, body["answer"]["cards"] - step["known"]), self.mixes))
            for taken in self.packets.values():
                taken.left = 0  # they were among those counted

    def _opened(self) -> None:
        """One that mixes is loaded as soon as it is asked to open: what lies in its infeed may go in at once."""
        if self.step.get("do") == "open_shoe" and self.mixes and self.empty:
            self._loaded()

    def _loaded(self) -> None:
        self._back(*self.gone)
        self.load, self.drawn, self.gone, self.empty = self.load + 1, {}, [], False

    def _left_over(self, evidence: Sequence[Mapping[str, Any]]) -> list[int]:
        """The draws that an answer names and that stayed out of the shoe, as they were read: not those pushed back, and
        not a card that was dealt, pushed back and drawn once more.
        """
        out: dict[int, int] = {}
        again = 0
        for ref in evidence:
            event = self.events.get((ref["unit"], ref["epoch"], ref["seq"]), {"name": ""})
            if event["name"] == "CARD_RETURNED":
                again += out.pop(event["body"]["idx"], None) is None
            elif event["name"] == "CARD_DRAWN" and again:
                again -= 1
            elif event["name"] == "CARD_DRAWN":
                out[event["body"]["idx"]] = event["body"]["card"]
        return list(out.values())

    def _tell(self, one: Told) -> None:
        self.told.append((self.n, one))

    def _back(self, *which: int) -> None:
        for at in which:
            n, one = self.told[at]
            assert isinstance(one, Dealt)
            self.told[at] = (n, replace(one, back=True))

    def _forgot(self) -> Forgot:
        return Forgot(self.load, len(self.step["to"]) - self.part if self.step["do"] == "deal" else 0)
