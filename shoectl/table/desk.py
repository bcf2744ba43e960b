"""The desk of a table: what every face may ask of it, and how persons answer, whichever face they speak through.

A face only translates: the local socket its lines, the console its forms, the bus its commands. Here a step is found by
its name (`round.step.part`, as listed), the person is checked (people.py), and JSON becomes an answer. Whatever is
refused is a ShoectlError whose text holds no face that is not shown; nothing was written then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shoectl.cards import Card
from shoectl.errors import BadInput
from shoectl.games.procedure import Step
from shoectl.games.steps import Reveal
from shoectl.games.text import answer_from_json, step_json
from shoectl.table.entries import Json, StepRef
from shoectl.table.holds import CARD, GIVE_UP
from shoectl.table.people import FLOORS, check_person, check_word, words_for
from shoectl.table.reports import report
from shoectl.table.runner import Runner
from shoectl.wording import sentence

_OF_THE_FLOOR: Final = frozenset(step.do for step in FLOORS)


def default_by(do: str) -> str:
    """Who answers a step when the caller does not say: the floorperson his own steps, the dealer all others."""
    return "floor" if do in _OF_THE_FLOOR else "dealer"


def says(how: str) -> str:
    """Who says a word that ends a hold when the caller does not: the floorperson gives up, the dealer goes on."""
    return "floor" if how == GIVE_UP else "dealer"


class Desk:
    """Where the persons of one table answer. `by` is `dealer`, `floor`, an operator number, or `seat N`."""

    def __init__(self, runner: Runner[Any]) -> None:
        self.runner = runner

    def steps(self) -> list[Json]:
        """The step that waits: its name, sentence, JSON, who carries it out, what an answer has to hold; the words that
        end its hold, where it is held. `unread`: how many of the cards that it turns up nobody has read, so that all
        of them have to be entered.
        """
        now = self.runner.open
        if now is None:
            return []
        ref, step = now.ref, now.step
        hold = next((hold for hold in reversed(self.runner.facts.holds) if hold.word is None), None)
        return [
            {
                "ref": f"{ref.round}.{ref.step}.{ref.part}",
                "by": str(step.by),
                "text": sentence(step_json(step), ref.part),
                "rule": step.rule,
                "step": step_json(step),
                "takes": answer_fields(step.takes),
                "words": list(words_for(hold)) if hold else [],
                "unread": self._unread(step),
            }
        ]

    def _unread(self, step: Step[Any]) -> int:
        if not isinstance(step, Reveal):
            return 0
        slots = self.runner.course.layout.places.get(step.place, [])
        turned = [slots[at] for at in step.at] if step.at else slots
        return sum(slot.face is None for slot in turned)

    async def answer(self, name: str, given: Mapping[str, Any], *, by: str | None = None) -> int:
        """Answer the open step. Returns the number of the entry, durable by then.

        Raises ShoectlError: no such step or not open any more, another one's to answer, not allowed, not written.
        """
        ref = ref_of(name)
        step = self.runner.at(ref).step
        who = by or default_by(step.do)
        check_person(step, self.runner.state, who)
        return await self.runner.answer(ref, answer_from_json(step.takes, given), by=who)

    async def end_hold(self, name: str, how: str, *, by: Sequence[str] = (), card: object = None) -> int:
        """Say a word to the hold of the open step. Returns the number of the entry. Raises ShoectlError."""
        ref, seen = ref_of(name), card_of(card)
        who = tuple(by) or (() if how == CARD else (says(how),))
        hold = self.runner.facts.hold
        reason = None
        if hold is not None and self.runner.open is not None and self.runner.open.ref == ref:
            reason = hold.reason
            check_word(hold, self.runner.state, self.runner.course.layout, how, who, seen)
        return await self.runner.give_held(ref, how, by=who, card=seen, reason=reason)

    async def report(self, name: str, what: str, place: str, *, by: str = "dealer", card: object = None) -> int:
        """Report what only people can see. Returns the number of the entry. Raises ShoectlError."""
        return await report(self.runner, ref_of(name), what, place, by=by, card=card_of(card))


def ref_of(name: str) -> StepRef:
    """A step by its name, as 12.7.0; the part may be left out where there is one only. Raises BadInput."""
    try:
        numbers = [int(part) for part in name.split(".")]
    except ValueError:
        numbers = []
    match numbers:
        case [round_no, step]:
            return StepRef(round_no, step)
        case [round_no, step, part]:
            return StepRef(round_no, step, part)
    raise BadInput(f"{name!r} is no step; a step is named round.step.part, as 12.7.0")


def card_of(given: object) -> Card | None:
    """The card that somebody names, if one is named. Raises BadInput."""
    return None if given is None else Card.parse(given if isinstance(given, str) else "")


KINDS: Final = {
    "tuple[Card, ...]": 'cards, as "As Kd"',
    "Card | None": 'a card, as "As", or null',
    "tuple[tuple[int, str, int], ...]": '[[seat, "wager", amount], ...]',
    "int": "a whole number",
    "bool": "true or false",
    "str": "text",
}


def answer_fields(takes: type[Any]) -> dict[str, str]:
    """The fields of an answer class, with what each may be in words; optional ones say so."""
    return {
        f.name: KINDS.get(str(f.type), str(f.type)) + ("" if f.default is dataclasses.MISSING else "; may be left out")
        for f in dataclasses.fields(takes)
    }
