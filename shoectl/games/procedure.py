"""The heart: steps that are asked, answers that are given, and the round that carries a procedure along.

A procedure is a generator that yields steps and is sent answers. It does no I/O, knows no clock and no device, and
draws no random number. Two calls move a round, `give` and `throw`; live play, recovery, `settle`, tests and audit use
these two and no third.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from shoectl.games.layout import Layout


class Role(StrEnum):
    """Whose hands carry a step out."""

    NOBODY = "nobody"  # shown, written and passed
    PEOPLE = "people"
    SHOE = "shoe"
    SHUFFLER = "shuffler"


@dataclass(frozen=True)
class Answer:
    """What came of a step, or of one part of it."""


@dataclass(frozen=True)
class Done(Answer):
    """It was done; nothing more to say."""


A = TypeVar("A", bound=Answer)
R = TypeVar("R")


@dataclass(frozen=True)
class Step(Generic[A]):
    """One thing that the rules prescribe now. `rule` is the paragraph, as `671a.11(c)(1)`.

    A step carries places, counts and amounts, never a face: it may be shown to anybody.
    """

    rule: str = field(kw_only=True)
    do: ClassVar[str] = "step"
    by: ClassVar[Role] = Role.NOBODY
    takes: ClassVar[type[Answer]] = Done

    @property
    def parts(self) -> int:
        """How many answers it takes: one, or one for each card of a deal."""
        return 1

    def rest(self, part: int) -> Step[A]:
        """What is still asked for when trouble came before `part` was answered."""
        return self

    def __iter__(self) -> Generator[Step[Any], Answer, A]:
        answer: Any = yield self
        return answer  # type: ignore[no-any-return]


Procedure = Generator[Step[Any], Answer, R]


class Trouble(StrEnum):
    """Kinds of irregularity: events that change what the rules prescribe."""

    EARLY_DRAW = "early draw"
    EXTRA_CARD = "extra card"
    EXPOSED_CARD = "exposed card"
    RETURNED_CARD = "returned card"  # a card that was dealt is pushed back into the shoe, where it is the next one
    DUPLICATE_CARD = "duplicate card"
    FOREIGN_CARD = "foreign card"
    UNKNOWN_CARD = "unknown card"
    MISREAD_CARD = "misread card"  # a card that lies face up is none of those that the shoe read for its place
    RECORD_LOST = "record lost"  # a shoe that forgot its deck: nobody knows what was drawn since its last word
    WRONG_COUNT = "wrong count"
    DEVICE_FAILED = "device failed"
    DEVICE_RESTARTED = "device restarted"
    STUB_EXHAUSTED = "stub exhausted"
    WITHDRAWN = "withdrawn"


class Irregularity(Exception):
    """Trouble that the house does not ride out. `part` is the part of the step it interrupted, `place` where a card
    concerned lies; `card` goes with it when its face is known (kept in the journal, never shown before its time).
    """

    def __init__(
        self,
        kind: Trouble,
        *,
        part: int = 0,
        text: str = "",
        place: str | None = None,
        card: str | None = None,
    ) -> None:
        super().__init__(f"{kind}: {text}" if text else str(kind))
        self.kind = kind
        self.part = part
        self.text = text
        self.place = place
        self.card = card

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Irregularity) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.kind, self.part, self.text, self.place, self.card)


@dataclass(frozen=True)
class Void:
    """The stretch is void: the trouble is thrown into it, or `thrown`, which is what somebody made of the trouble."""

    thrown: Irregularity | None = None


@dataclass(frozen=True)
class GoOn:
    """Set right and go on: the remedies are asked first, in their order, then what was interrupted, again."""

    remedies: tuple[Step[Any], ...] = ()


@dataclass(frozen=True)
class Decide:
    """Somebody decides: `step` is asked, and its answer tells what the trouble does."""

    step: Step[Any]
    judge: Callable[[Any], Void | GoOn]


Consequence = Callable[[Irregularity, Step[Any]], Void | GoOn | Decide]


@dataclass(frozen=True)
class _Owed:
    """A step that is asked, or will be. `judge`: its answer tells what `trouble` does to the step that comes next."""

    step: Step[Any]
    judge: Callable[[Any], Void | GoOn] | None = None
    trouble: Irregularity | None = None

    def rest(self, part: int) -> _Owed:
        return replace(self, step=self.step.rest(part))


def guarded(procedure: Procedure[R], consequence: Consequence) -> Procedure[R]:
    """A stretch of a procedure under one policy: what trouble does to it.

    Needed because a generator cannot be resumed where something was thrown. Stretches stand side by side,
    never one inside another.
    """
    owed: list[_Owed] = []  # what comes before the procedure may go on
    try:
        now = _Owed(next(procedure))
        while True:
            try:
                answer = yield now.step
            except Irregularity as met:
                trouble, said = met, consequence(met, now.step)
                owed.insert(0, now.rest(met.part))
            else:
                if now.judge is None or now.trouble is None:
                    now = owed.pop(0) if owed else _Owed(procedure.send(answer))
                    continue
                trouble, said = now.trouble, now.judge(answer)
            match said:
                case GoOn(remedies):
                    owed[:0] = [_Owed(remedy) for remedy in remedies]
                    now = owed.pop(0)
                case Decide(step, judge):
                    now = _Owed(step, judge, trouble)
                case Void(thrown):
                    owed.clear()
                    now = _Owed(procedure.throw(thrown or trouble))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class Round(Generic[R]):
    """One procedure under way: the open step, its number, the part that is due, the layout, the result.

    `number` counts the steps of this round from 1, or on from those that it had before (`after`).
    """

    def __init__(self, play: Callable[[Layout], Procedure[R]], layout: Layout, *, after: int = 0) -> None:
        self.layout = layout
        self.number = after
        self.part = 0
        self.step: Step[Any] | None = None
        self.result: R | None = None
        self._procedure = play(layout)
        self._move(next, self._procedure)

    @property
    def over(self) -> bool:
        """Whether the procedure has returned."""
        return self.step is None

    def give(self, answer: Answer | None = None) -> None:
        """Answer the part that is due (None passes a step that needs nobody): lay it on the table, then go on.

        The caller has checked the answer (`layout.check`). Raises TypeError for an answer of the wrong class.
        """
        step = self._open()
        if answer is None and step.by is not Role.NOBODY:
            raise TypeError(f"step {self.number} ({step.do}) takes {step.takes.__name__}")
        given = Done() if answer is None else answer
        if not isinstance(given, step.takes):
            raise TypeError(f"step {self.number} ({step.do}) takes {step.takes.__name__}, not {type(given).__name__}")
        self.layout.apply(step, self.part, given)
        self.part += 1
        if self.part >= step.parts:
            self._move(self._procedure.send, given)

    def throw(self, trouble: Irregularity) -> None:
        """Interrupt the open step: lay down what the trouble concerns, then let the guard decide."""
        self._open()
        self.layout.interrupt(trouble)
        self._move(self._procedure.throw, trouble)

    def _open(self) -> Step[Any]:
        if self.step is None:
            raise LookupError("the round is over: no step is open")
        return self.step

    def _move(self, move: Callable[[Any], Step[Any]], told: object) -> None:
        try:
            self.step = move(told)
        except StopIteration as end:
            self.step, self.result = None, end.value
        else:
            self.number += 1
        self.part = 0


def drive(game: Round[R], hands: Callable[[Round[R]], Answer], seen: Callable[[Step[Any]], None] | None = None) -> R:
    """Play a round to its end: steps that need nobody are passed, the others answered by `hands`.

    `seen` is called with each step as it is asked. Raises whatever `layout.check` refuses.
    """
    number = 0
    while (step := game.step) is not None:
        if seen is not None and game.number != number:
            seen(step)
        number = game.number
        if step.by is Role.NOBODY:
            game.give()
            continue
        answer = hands(game)
        game.layout.check(step, game.part, answer)
        game.give(answer)
    return game.result  # type: ignore[return-value]
