"""Steps as `shoectl settle` prints them. Faces do not come from the steps, which have none, but from the layout and
from the record's answers.
"""

from __future__ import annotations

from typing import Any

from shoectl.cards import Card
from shoectl.games.layout import Layout
from shoectl.games.procedure import Step
from shoectl.games.steps import (
    Announce,
    Arrange,
    Ask,
    Collect,
    Credit,
    Deal,
    Declare,
    Discard,
    GiveBack,
    HoldCards,
    Pay,
    Place,
    RackStub,
    ReadSetting,
    RenewStub,
    Return,
    Reveal,
    Verify,
    at_seat,
    seat_of,
)

Line = dict[str, Any]


class Printed:
    """The lines so far. What a step's answer adds is noted to the last one."""

    def __init__(self, layout: Layout) -> None:
        self.steps: list[Line] = []
        self._layout = layout
        self._last: Line = {}

    def asked(self, step: Step[Any]) -> None:
        """A step has been asked. Those that settle nothing and show nothing (wagers, acknowledgements) have no line."""
        line = self._line(step)
        self._last = {}
        if line is not None:
            self._last = {**line, "rule": step.rule}
            self.steps.append(self._last)

    def note(self, **what: object) -> None:
        """What came of the last step."""
        self._last.update(what)

    def add_card(self, card: Card) -> None:
        """A card that the last step dealt."""
        self._last["cards"] = f"{self._last['cards']} {card}".lstrip()

    def _line(self, step: Step[Any]) -> Line | None:
        match step:
            case Announce(text):
                return {"do": "announce", "text": text}
            case RenewStub(_, cards):
                return {"do": "announce", "text": f"the stub is used up: {cards} cards of the rack become a new one"}
            case Deal(to):
                return {"do": "deal", "to": list(to), "cards": ""}
            case Ask(seat, choices):
                return {"do": "ask", "seat": seat, "choices": [choice.name for choice in choices], "decision": ""}
            case Declare(seat, what):
                return {"do": "ask", "seat": seat, "declare": what, "declared": False}
            case Reveal(place):
                return {"do": "reveal", "place": place, **_whose(place), "cards": ""}
            case Arrange(place, low):
                return {"do": "set", **_whose(place), "place": place, **self._two_hands(place, low)}
            case ReadSetting(seat):
                return {"do": "set", "seat": seat, "place": at_seat(seat), "high": "", "low": ""}
            case HoldCards(seat, why, place):
                return {"do": "hold", "seat": seat, "why": why, "place": place or at_seat(seat)}
            case Verify(seat, wager, what):
                return {"do": "verify", "seat": seat, "wager": wager, "what": what}
            case GiveBack(seat):
                return {"do": "discard", "from": at_seat(seat), "cards": ""}
            case RackStub():
                return {"do": "discard", "from": "stub", "cards": ""}
            case Discard(place):
                faces = (slot.face for slot in self._layout.places.get(place, ()))
                return {"do": "discard", "from": place, "cards": " ".join(str(face) if face else "?" for face in faces)}
            case _:
                return _money(step)

    def _two_hands(self, place: Place, low: tuple[int, ...]) -> Line:
        faces = [str(slot.face) for slot in self._layout.places.get(place, ())]
        high = [face for at, face in enumerate(faces) if at not in low]
        return {"high": " ".join(high), "low": " ".join(faces[at] for at in low)}


def _whose(place: Place) -> Line:
    owner = seat_of(place)
    return {"seat": owner} if owner else {}


def _money(step: Step[Any]) -> Line | None:
    match step:
        case Collect(seat, wager, amount):
            return {"do": "collect", "seat": seat, "wager": wager, "amount": amount}
        case Return(seat, wager, amount):
            return {"do": "return", "seat": seat, "wager": wager, "amount": amount}
        case Pay(seat, wager, amount, stake, odds, won_for):
            line: Line = {"do": step.do, "seat": seat, "wager": wager, "for": won_for, "odds": odds}
            via = {"via": step.via} if isinstance(step, Credit) else {}
            return line | {"stake": stake, "amount": amount} | via
        case _:
            return None
