"""What the entries of a table's journal say. Kinds: round, step, intent, event, answer, irregularity, hold, held,
device, alarm, amend, void, note. The entries between two `round` entries belong to the round that the first of them
opens. Devices and events are in evidence.py, the end of a round that nobody plays on is in voided.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from shoectl.cards import Card
from shoectl.devices.command import Command
from shoectl.games.procedure import Irregularity, Trouble
from shoectl.table.evidence import Attached, Evidence, EvidenceRef, Json, LinkCounted, Unit, frozen, unit_of

__all__ = [
    "Alarm",
    "Amended",
    "Answered",
    "Attached",
    "Evidence",
    "EvidenceRef",
    "Held",
    "Hold",
    "Intent",
    "Interrupted",
    "Json",
    "LinkCounted",
    "RoundOpens",
    "StepAsked",
    "StepRef",
    "Unit",
    "evidence_refs",
    "unit_of",
]


@dataclass(frozen=True, order=True)
class StepRef:
    """One part of one step of one round; what an answer names. Rounds and steps count from 1, parts from 0."""

    round: int
    step: int
    part: int = 0


@dataclass(frozen=True)
class RoundOpens:
    """`round`: everything that play from here on rests on."""

    kind: ClassVar[str] = "round"
    number: int
    state: Json
    evidence: tuple[Evidence, ...]
    places: tuple[Attached, ...]
    units: Mapping[str, Unit]
    versions: Mapping[str, str]
    alarms: tuple[Alarm, ...] = ()

    def to_json(self) -> Json:
        """Its body."""
        return {
            "number": self.number,
            "state": self.state,
            "evidence": [{**one.to_json(), "entry": one.entry} for one in self.evidence],
            "places": [place.to_json() for place in self.places],
            "units": {
                name: {"id": unit.id, "seqs": {str(epoch): seq for epoch, seq in unit.seqs.items()}}
                for name, unit in self.units.items()
            },
            "versions": dict(self.versions),
            "alarms": [asdict(alarm) for alarm in self.alarms],
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> RoundOpens:
        """The opening of a round."""
        return cls(
            int(body["number"]),
            body["state"],
            tuple(Evidence.from_json(one, one["entry"]) for one in body["evidence"]),
            tuple(Attached(**place) for place in body["places"]),
            {
                name: Unit({int(epoch): seq for epoch, seq in unit["seqs"].items()}, unit["id"])
                for name, unit in body["units"].items()
            },
            body["versions"],
            tuple(Alarm(**alarm) for alarm in body.get("alarms", ())),
        )


@dataclass(frozen=True)
class StepAsked:
    """`step`: what the procedure asks now. A step that needs nobody is passed by this entry itself."""

    kind: ClassVar[str] = "step"
    number: int
    digest: str
    step: Json

    def to_json(self) -> Json:
        """Its body."""
        return asdict(self)


@dataclass(frozen=True)
class Intent:
    """`intent`: a command, with the id under which it is sent; durable before its first byte leaves."""

    kind: ClassVar[str] = "intent"
    step: int
    place: str
    unit: str
    id: int
    type: str
    body: Json
    entry: int = 0

    @property
    def command(self) -> Command:
        """What is sent under the id, now or again."""
        return Command(self.type, self.body)

    @classmethod
    def from_json(cls, body: Mapping[str, Any], entry: int) -> Intent:
        """The command of an entry."""
        return cls(**{**body, "body": frozen(body["body"])}, entry=entry)

    def to_json(self) -> Json:
        """Its body."""
        return {name: value for name, value in asdict(self).items() if name != "entry"}


@dataclass(frozen=True)
class Answered:
    """`answer`: what came of a part of a step; `answer` is its text form, `by` who gave it."""

    kind: ClassVar[str] = "answer"
    step: int
    part: int
    takes: str
    answer: Json
    by: str
    evidence: tuple[EvidenceRef, ...] = ()

    def to_json(self) -> Json:
        """Its body."""
        return asdict(self)


@dataclass(frozen=True)
class Interrupted:
    """`irregularity`: trouble, with the step and part that it interrupted."""

    kind: ClassVar[str] = "irregularity"
    step: int
    part: int
    trouble: str
    text: str
    place: str | None
    card: str | None
    evidence: tuple[EvidenceRef, ...] = ()

    @property
    def irregularity(self) -> Irregularity:
        """As it is thrown into the round."""
        return Irregularity(Trouble(self.trouble), part=self.part, text=self.text, place=self.place, card=self.card)

    def to_json(self) -> Json:
        """Its body."""
        return asdict(self)


@dataclass(frozen=True)
class Held:
    """`held`: how people ended a hold. `by`: two names where two are asked; `card`: the face that they saw."""

    kind: ClassVar[str] = "held"
    step: int
    part: int
    reason: str
    how: str
    by: tuple[str, ...]
    card: Card | None = None
    entry: int = 0

    def to_json(self) -> Json:
        """Its body."""
        body = {name: value for name, value in self.__dict__.items() if name != "entry"}
        return {**body, "by": list(self.by), "card": None if self.card is None else str(self.card)}

    @classmethod
    def from_json(cls, body: Mapping[str, Any], entry: int) -> Held:
        """The word of an entry."""
        card = None if body["card"] is None else Card.parse(body["card"])
        by = tuple(body["by"])
        return cls(body["step"], body["part"], body["reason"], body["how"], by, card, entry)


@dataclass(frozen=True)
class Hold:
    """`hold`: the step waits for people. `reason` names it (`unreadable 9`), `text` tells them what to do.

    `word`: what they said, once they did.
    """

    kind: ClassVar[str] = "hold"
    step: int
    part: int
    reason: str
    text: str
    entry: int = 0
    word: Held | None = None

    def to_json(self) -> Json:
        """Its body."""
        return {"step": self.step, "part": self.part, "reason": self.reason, "text": self.text}


@dataclass(frozen=True)
class Alarm:
    """`alarm`: what makes a device's word worthless until somebody has looked."""

    kind: ClassVar[str] = "alarm"
    place: str
    text: str
    entry: int = 0

    def to_json(self) -> Json:
        """Its body."""
        return {"place": self.place, "text": self.text}


@dataclass(frozen=True)
class Amended:
    """`amend`: fields of the table's state (limits, house options, seats) that are others from the next round on."""

    kind: ClassVar[str] = "amend"
    state: Json

    def to_json(self) -> Json:
        """Its body."""
        return {"state": self.state}


def evidence_refs(body: Mapping[str, Any]) -> tuple[EvidenceRef, ...]:
    """The events that an answer or an irregularity rests on."""
    return tuple(EvidenceRef(**ref) for ref in body["evidence"])
