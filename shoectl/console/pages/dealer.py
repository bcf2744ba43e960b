"""What the dealer's page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoectl.console.pages.answers import form_of
from shoectl.console.pages.fields import Form
from shoectl.console.pages.instruction import Instruction, instruction
from shoectl.console.pages.seats import Place, Seat, Table
from shoectl.console.pages.strip import Cell, strip
from shoectl.console.pages.tape import Paragraph, tape
from shoectl.console.pages.trouble import Held, Report, held, report
from shoectl.console.pages.words import span, wager_label
from shoectl.console.settings import Standing
from shoectl.people.roles import DEALER, FLOOR, Person
from shoectl.table.state import TableState


@dataclass(frozen=True)
class Heading:
    """The top bar: the table's name, what is played, the paragraphs or the limits, who is signed in."""

    table: str
    game: str
    round: int
    tape: tuple[Paragraph, ...]
    limits: str
    who: str
    called: str
    acts: bool


@dataclass(frozen=True)
class Page:
    """The whole page. `ref`: the open step by its name; `key`: what the form is of, so that it is left alone while
    nothing about it changes; `sheet`: the form lies over the page, which rests; `plain`: it is one button.
    """

    heading: Heading
    title: str
    ref: str
    key: str
    now: Instruction
    held: Held | None
    form: Form | None
    sheet: bool
    report: Report | None
    seats: tuple[Seat, ...]
    places: tuple[Place, ...]
    strip: tuple[Cell, ...]
    plain: bool


SHEETS = ("count", "count_table")


def page(
    view: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    state: TableState,
    person: Person,
    standing: Standing,
) -> Page:
    """The dealer's page, as values."""
    table, open_step = Table(view, state), steps[0] if steps else None
    stopped = held(view, open_step, person)
    form = form_of(open_step, view, state, person) if open_step and stopped is None else None
    do = str(view["step"]["do"]) if view["step"] else ""
    ref = str(open_step["ref"]) if open_step else ""
    now = instruction(view, open_step, state, table.game)
    return Page(
        heading=_heading(view, state, person, standing, table, do),
        title=f"Round {view['round']}: {stopped.title if stopped else now.say}",
        ref=ref,
        key=f"{ref} {view['hold']['reason'] if stopped else ''}",
        now=now,
        held=stopped,
        form=form,
        sheet=form is not None and do in SHEETS,
        report=report(view, person),
        seats=table.seats(),
        places=table.others(),
        strip=strip(view, state, standing.devices),
        plain=form is not None and not (now.sums or form.fields or do in SHEETS),
    )


def _heading(
    view: Mapping[str, Any], state: TableState, person: Person, standing: Standing, table: Table, do: str
) -> Heading:
    limits = [f"{wager_label(name)} {span(*amounts)}" for name, amounts in state.limits.items()]
    return Heading(
        table=standing.title.partition(" · ")[0],
        game=table.game.title,
        round=int(view["round"]),
        tape=tape(table.game.paragraphs, view),
        limits=" · ".join(limits) if do == "wagers" else "",
        who=f"{person.role.capitalize()} {person.number}",
        called=standing.called.name if standing.called else "",
        acts=person.may(DEALER) or person.may(FLOOR),
    )
