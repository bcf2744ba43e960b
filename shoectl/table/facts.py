"""What the journal says beyond the procedure: evidence not yet used, commands of the open step, holds, devices.

Hands read it; only `Course` (which folds entries) writes it. Each round has its own, begun by its `round` entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from protocols.family import Verb, families
from protocols.vocabulary import EventCode
from shoectl.table.entries import Alarm, Attached, Evidence, EvidenceRef, Held, Hold, Intent, RoundOpens, StepRef, Unit

S = TypeVar("S")

REMEMBERED = 16  # commands that a device remembers (common.md §6)

# Evidence that some step may await in a later round than it came in; anything else dies with its round.
AWAITED = frozenset(
    {
        EventCode.CARD_DRAWN,
        EventCode.CMD_DONE,
        EventCode.SHUFFLE_STARTED,
        EventCode.SHUFFLE_DONE,
        EventCode.COMPOSITION,
        EventCode.DECK_TAKEN,
        EventCode.DECK_LOADED,
    }
)


# What makes a deck that lies in a shuffler unproven, whenever it is handed on.
TOUCHED = frozenset({EventCode.POWER_UP, EventCode.DOOR, EventCode.SERVICE_PORT})


def awaited(evidence: Evidence) -> bool:
    """Whether unused evidence goes on into the next round, where nothing else is said."""
    return evidence.event.code in AWAITED


class Facts:
    """The facts of a table: what is carried over from the last round, and what this round's entries added."""

    def __init__(self, opens: RoundOpens | None = None) -> None:
        """From what a `round` entry says; empty for a table that has played none."""
        self.holds: list[Hold] = []  # of the open part, oldest first
        self._evidence: list[Evidence] = list(opens.evidence) if opens else []
        self._used: set[EvidenceRef] = set()
        self._intents: list[Intent] = []
        self._alarms: list[Alarm] = list(opens.alarms) if opens else []
        self._attached: list[Attached] = []
        self._places: dict[str, Attached] = {one.place: one for one in opens.places} if opens else {}
        self._units: dict[str, Unit] = dict(opens.units) if opens else {}

    # evidence

    def events(self, place: str | None = None, *codes: int, after: int = 0) -> list[Evidence]:
        """Events of this round and unused ones from before, oldest first: of a place, of some codes, of entries after
        a number. Used ones are among them.
        """
        return [
            one
            for one in self._evidence
            if (place is None or one.place == place) and (not codes or one.event.code in codes) and one.entry > after
        ]

    def unused(self, place: str | None = None, *codes: int) -> list[Evidence]:
        """The same, of which no answer and no irregularity has made use."""
        return [one for one in self.events(place, *codes) if one.ref not in self._used]

    def used(self, ref: EvidenceRef) -> bool:
        """Whether an answer or an irregularity rests on it already."""
        return ref in self._used

    def find(self, ref: EvidenceRef) -> Evidence | None:
        """An event of this round, or an unused one from before."""
        return next((one for one in self._evidence if one.ref == ref), None)

    # commands

    def intents(self, step: int | None = None) -> list[Intent]:
        """Commands of a step (None: of the whole round), oldest first."""
        return [one for one in self._intents if step is None or one.step == step]

    def remembered(self, intent: Intent) -> bool:
        """Whether its device can still tell what became of it: no more than 15 commands were given to it since."""
        later = [one for one in self._intents if one.unit == intent.unit and one.entry > intent.entry]
        return len(later) < REMEMBERED

    def last_id(self, unit: str) -> int:
        """The last command id given to a device; 0 if it never had one."""
        return self._units.get(unit, Unit()).id

    # devices

    def attached(self, place: str) -> Attached | None:
        """The device that occupies a place, as it was when it last took it."""
        return self._places.get(place)

    def attachments(self, place: str | None = None) -> list[Attached]:
        """Every time a device took a place in this round, oldest first (a restart shows in `boot`)."""
        return [one for one in self._attached if place is None or one.place == place]

    def last_seq(self, unit: str, epoch: int) -> int:
        """The last durable event of a device; 0 if there is none in that epoch."""
        return self._units.get(unit, Unit()).seqs.get(epoch, 0)

    def alarms(self, place: str | None = None) -> list[Alarm]:
        """Alarms of this round, oldest first."""
        return [one for one in self._alarms if place is None or one.place == place]

    # holds

    @property
    def hold(self) -> Hold | None:
        """The newest hold of the open part, answered (`word`) or not; None where there is none."""
        return self.holds[-1] if self.holds else None

    # writing

    def take_event(self, evidence: Evidence) -> None:
        """An event became an entry."""
        self._evidence.append(evidence)
        unit = self._units.get(evidence.unit, Unit())
        last = max(evidence.event.seq, unit.seqs.get(evidence.epoch, 0))
        self._units[evidence.unit] = replace(unit, seqs={**unit.seqs, evidence.epoch: last})

    def take_intent(self, intent: Intent) -> None:
        """A command became an entry."""
        self._intents.append(intent)
        self._units[intent.unit] = replace(self._units.get(intent.unit, Unit()), id=intent.id)

    def take_device(self, attached: Attached) -> None:
        """A device took its place."""
        self._attached.append(attached)
        self._places[attached.place] = attached

    def take_alarm(self, alarm: Alarm) -> None:
        """An alarm became an entry."""
        self._alarms.append(alarm)

    def take_hold(self, hold: Hold) -> None:
        """A hold was opened."""
        self.holds.append(hold)

    def take_held(self, held: Held) -> None:
        """A hold was answered."""
        self.holds = [
            replace(hold, word=held) if hold.reason == held.reason and hold.word is None else hold
            for hold in self.holds
        ]

    def use(self, refs: Iterable[EvidenceRef]) -> None:
        """An answer or an irregularity rests on these; the part that they settled waits for nobody any more."""
        self._used.update(refs)
        self.holds = []

    def carried(self, carries: Callable[[Evidence], bool] = awaited) -> tuple[Evidence, ...]:
        """Unused evidence that goes on into the next round.

        What came before evidence of the same device that was used is settled with it (the start of a shuffle whose
        end was judged), or the list would grow for ever. A draw is never settled but by being used.

        Of a shuffle that is not judged yet everything goes on: its proof needs every event from its start to its end.
        Of a shuffler, what hands or a power cut may have done to a deck that lies in it.
        """
        settled: dict[tuple[str, int], int] = {}
        for one in self._evidence:
            if one.ref in self._used:
                settled[one.unit, one.epoch] = max(one.event.seq, settled.get((one.unit, one.epoch), 0))
        begun: dict[tuple[str, int], int] = {}
        for one in self.unused():
            key = (one.unit, one.epoch)
            if one.event.code == EventCode.SHUFFLE_STARTED and one.event.seq > settled.get(key, 0):
                begun.setdefault(key, one.event.seq)

        def needed(one: Evidence) -> bool:
            in_shuffle = one.event.seq > begun.get((one.unit, one.epoch), one.event.seq)
            return carries(one) or in_shuffle or (one.event.code in TOUCHED and self._shuffles(one.place))

        return tuple(
            one
            for one in self.unused()
            if needed(one)
            and (one.event.code == EventCode.CARD_DRAWN or one.event.seq > settled.get((one.unit, one.epoch), 0))
        )

    def carried_alarms(self) -> tuple[Alarm, ...]:
        """Alarms that came since a shuffle began which is not judged yet: they go on with it."""
        begun = {
            one.place: one.entry for one in reversed(self.carried()) if one.event.code == EventCode.SHUFFLE_STARTED
        }
        return tuple(one for one in self._alarms if one.place in begun and one.entry > begun[one.place])

    def _shuffles(self, place: str) -> bool:
        attached = self._places.get(place)
        family = None if attached is None else families().get(attached.family)
        return family is not None and bool({Verb.SHUFFLE, Verb.FEED} & family.verbs.keys())

    def standing(self) -> tuple[tuple[Attached, ...], Mapping[str, Unit]]:
        """Devices on their places, and where the journal stands with each device that it ever met."""
        return tuple(self._places.values()), dict(self._units)


def ref_text(ref: StepRef) -> str:
    """A part of a step in words."""
    return f"round {ref.round}, step {ref.step}, part {ref.part}"
