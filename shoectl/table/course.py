"""The course of play: a table's journal, folded. Live play and replay call the same `take`, so recovery has no code of
its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, NoReturn, Protocol, Self, TypeVar

from shoectl.errors import BadInput, CheckFailed
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure, Role, Round, Step
from shoectl.games.text import answer_from_json, step_digest, step_json
from shoectl.journal import Entry
from shoectl.table.entries import (
    Alarm,
    Amended,
    Attached,
    Evidence,
    Held,
    Hold,
    Intent,
    Interrupted,
    Json,
    RoundOpens,
    StepAsked,
    evidence_refs,
)
from shoectl.table.facts import Facts, awaited
from shoectl.table.record import Passed, Past
from shoectl.table.versions import versions
from shoectl.table.voided import Voided


class Diverged(CheckFailed):
    """The procedure asks for something else than the journal recorded."""


class State(Protocol):
    """What outlives a round: a frozen value, JSON both ways."""

    def check(self) -> None:
        """Raises BadInput where a cycle could not be played with it."""
        ...

    def to_json(self) -> Json:
        """Plain JSON."""
        ...

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The same value again."""
        ...


S = TypeVar("S", bound=State)
Cycle = Callable[[Layout, S], Procedure[S]]


class Course(Generic[S]):
    """A table as its journal tells it: the round under way, its facts, and the entry that the procedure owes next."""

    def __init__(
        self,
        cycle: Cycle[S],
        first: S,
        *,
        carries: Callable[[Evidence], bool] = awaited,
        current: Mapping[str, str] | None = None,
    ) -> None:
        self._cycle = cycle
        self._carries = carries
        self.current = versions() if current is None else current
        self._written: Mapping[str, str] = self.current
        self._began = first  # the state that the round under way began with
        self._asked = 0  # the last step that has its entry
        self.voided_at = 0  # the entry by which the next round in the journal was voided: until then it is only told
        self.round_no = 0
        self.round: Round[S] | None = None
        self.layout = Layout()
        self.facts = Facts()
        self.record: list[Passed] = []
        self.past: Past | None = None
        self.amended: Json = {}  # what is another from the next round on

    @property
    def state(self) -> S:
        """The table's state: the one that this round began with, or the one that it ended with."""
        if self.round is not None and self.round.over and self.round.result is not None:
            return self.round.result
        return self._began

    @property
    def coming(self) -> S:
        """The same, with what is another from the next round on: a round that opens now begins with it."""
        return self.with_changes({}) if self.amended else self.state

    def with_changes(self, changes: Mapping[str, Any]) -> S:
        """The state that the next round would begin with after these changes (their JSON). Raises BadInput."""
        state = self.state
        return type(state).from_json({**state.to_json(), **self.amended, **changes})

    @property
    def other_version(self) -> bool:
        """Whether this round was begun under another version of the rules."""
        return self._written != self.current

    @property
    def over(self) -> bool:
        """Whether no round is under way."""
        return self.round is None or self.round.over

    @property
    def finished(self) -> int:
        """How many rounds were played to their end."""
        return self.round_no if self.over else self.round_no - 1

    @property
    def waiting(self) -> Step[Any] | None:
        """The step that waits for an answer and has its entry."""
        if self.round is None or self.round.step is None or self._asked != self.round.number:
            return None
        return self.round.step

    def due(self) -> RoundOpens | StepAsked | None:
        """The entry that has to be written before anything else can happen; None while an answer is awaited."""
        if self.round is None or self.round.step is None:
            places, units = self.facts.standing()
            carried = self.facts.carried(self._carries)
            alarms = self.facts.carried_alarms()
            return RoundOpens(self.round_no + 1, self.coming.to_json(), carried, places, units, self.current, alarms)
        if self._asked == self.round.number:
            return None
        return StepAsked(self.round.number, step_digest(self.round.step), step_json(self.round.step))

    def take(self, entry: Entry) -> None:
        """One entry happens: just written, or found in the journal. Raises Diverged."""
        body = entry.body
        if entry.n < self.voided_at and entry.kind in ("step", "answer", Interrupted.kind):
            self._told(entry)
            return
        match entry.kind:
            case RoundOpens.kind:
                self._open(entry.n, body)
            case Voided.kind:
                self._void(Voided.from_json(body), played_on=entry.n >= self.voided_at)
            case StepAsked.kind:
                self._ask(entry.n, body)
            case "answer":
                self._answer(entry.n, body)
            case Interrupted.kind:
                self._interrupt(entry.n, body)
            case Evidence.kind:
                self.facts.take_event(Evidence.from_json(body, entry.n))
            case Intent.kind:
                self.facts.take_intent(Intent.from_json(body, entry.n))
            case Attached.kind:
                self.facts.take_device(Attached(**body))
            case Alarm.kind:
                self.facts.take_alarm(Alarm(**body, entry=entry.n))
            case Amended.kind:
                self.amended = {**self.amended, **body["state"]}
            case Hold.kind:
                self.facts.take_hold(Hold(**body, entry=entry.n))
            case Held.kind:
                self.facts.take_held(Held.from_json(body, entry.n))

    def _open(self, n: int, body: Json) -> None:
        opens = RoundOpens.from_json(body)
        if self.round is not None:
            self._same_opening(n, opens)
            nets = {booking.seat: self.layout.net(booking.seat) for booking in self.layout.booked}
            self.past = Past(self.round_no, tuple(self.record), nets)
        self.round_no = opens.number
        self._written = opens.versions
        self._began = began = type(self._began).from_json(opens.state)
        self._asked = 0
        self.amended = {}
        self.record = []
        self.facts = Facts(opens)
        self.layout = Layout()
        told = n < self.voided_at
        self.round = None if told else Round(lambda layout: self._cycle(layout, began), self.layout)

    def _told(self, entry: Entry) -> None:
        """A step, an answer or trouble of a round that was voided later: not asked again, and shown by no face."""
        if entry.kind == StepAsked.kind:
            self._asked = int(entry.body["number"])
        else:
            self.facts.use(evidence_refs(entry.body))

    def _void(self, voided: Voided, *, played_on: bool) -> None:
        """The round is void from here on; `played_on` is not said of one that was voided again later."""
        self.record = []
        self.facts.use(())
        self._written = voided.versions
        self._began = began = type(self._began).from_json(voided.state)
        self.layout = voided.layout()
        if played_on:
            self.round = Round(lambda layout: self._cycle(layout, began), self.layout, after=self._asked)

    def _same_opening(self, n: int, opens: RoundOpens) -> None:
        due = self.due()
        if not isinstance(due, RoundOpens):
            asks = "no step" if due is None else step_text(due.step)
            self._diverged(n, f"round {opens.number} is opened", f"round {self.round_no} is not over, it asks {asks}")
        written, asked = _plain(opens), _plain(due)
        for part in ("number", "state", "evidence", "places", "units", "alarms"):
            if written[part] != asked[part]:
                where = _difference(written[part], asked[part])
                self._diverged(n, f"round {opens.number} is opened with other {part} ({where})", "they differ")

    def _ask(self, n: int, body: Json) -> None:
        due = self.due()
        if not isinstance(due, StepAsked):
            self._diverged(n, _recorded(body), "the procedure asks no new step")
        if (due.number, due.digest) != (body["number"], body["digest"]):
            self._diverged(n, _recorded(body), f"the procedure asks step {due.number}: {step_text(due.step)}")
        assert self.round is not None
        assert self.round.step is not None
        self._asked = due.number
        passes = self.round.step.by is Role.NOBODY
        self.record.append(Passed(due.number, due.step, "passed" if passes else "open"))
        if passes:
            self.round.give()

    def _answer(self, n: int, body: Json) -> None:
        play, step = self._at(n, body)
        try:
            answer = answer_from_json(step.takes, body["answer"])
        except BadInput:
            self._diverged(n, f"an answer of another form ({body['takes']})", f"the step takes {step.takes.__name__}")
        self.facts.use(evidence_refs(body))
        number = play.number
        play.give(answer)
        if play.over or play.number != number:
            self.record[-1] = replace(self.record[-1], outcome="answered")

    def _interrupt(self, n: int, body: Json) -> None:
        play, _ = self._at(n, body)
        self.facts.use(evidence_refs(body))
        self.record[-1] = replace(self.record[-1], outcome=body["trouble"])
        play.throw(Interrupted(**{**body, "evidence": evidence_refs(body)}).irregularity)

    def _at(self, n: int, body: Json) -> tuple[Round[S], Step[Any]]:
        step = self.waiting
        if step is None or self.round is None:
            self._diverged(n, f"step {body['step']} part {body['part']} is settled", "the procedure waits for nothing")
        if (self.round.number, self.round.part) != (body["step"], body["part"]):
            waits = f"step {self.round.number} part {self.round.part}: {step_text(step_json(step))}"
            self._diverged(n, f"step {body['step']} part {body['part']} is settled", f"the procedure waits at {waits}")
        return self.round, step

    def _diverged(self, n: int, recorded: str, asked: str) -> NoReturn:
        told = f"entry {n}, round {self.round_no}: the journal says {recorded}, but {asked}"
        if self.other_version:
            told += (
                f" (the round was played under another version of the rules: {_version(self._written)}; "
                f"this is {_version(self.current)})"
            )
        raise Diverged(told)


def step_text(step: Json) -> str:
    """A step in one line: what, its fields, the rule. Holds no face."""
    fields = ", ".join(f"{name} {value}" for name, value in step.items() if name not in ("do", "rule"))
    return f"{step['do']}{' (' + fields + ')' if fields else ''} by {step['rule']}"


def _recorded(body: Json) -> str:
    return f"step {body['number']}: {step_text(body['step'])}"


def _version(named: Mapping[str, str]) -> str:
    return " ".join(f"{name} {value}" for name, value in named.items())


def _plain(opens: RoundOpens) -> Json:
    return json.loads(json.dumps(opens.to_json()))  # type: ignore[no-any-return]


def _difference(one: Any, other: Any) -> str:
    """Where two values differ, without the values: they may hold faces."""
    match one, other:
        case dict(), dict():
            for name in {**one, **other}:
                if one.get(name) != other.get(name):
                    inner = _difference(one.get(name), other.get(name))
                    return f"{name}.{inner}" if inner else str(name)
        case list(), list():
            return f"{len(one)} against {len(other)}" if len(one) != len(other) else ""
    return ""
