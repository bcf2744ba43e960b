"""What the pit's page shows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shoectl.console.pages.answers import form_of
from shoectl.console.pages.devices import ASK, OK, STOP, Device, Trouble, tiles, troubles
from shoectl.console.pages.fields import Form
from shoectl.console.pages.instruction import Instruction, instruction
from shoectl.console.pages.trouble import Held, held
from shoectl.console.settings import Standing
from shoectl.games import registry
from shoectl.people.roles import FLOOR, Person
from shoectl.status import BusStatus, UpkeepStatus
from shoectl.table.deck_count import policy_of, rounds_left
from shoectl.table.desk import default_by
from shoectl.table.state import TableState

BAR_HEIGHT: Final = 22


@dataclass(frozen=True)
class Wait:
    """One thing that waits for the floor: a hold, a step of its own, a call. `since`: from when on."""

    mark: str
    title: str
    say: str
    text: str = ""
    since: str = ""
    held: Held | None = None
    form: Form | None = None


@dataclass(frozen=True)
class Tile:
    """One tile about the table: a mark with a word, a large figure, facts, a meter."""

    name: str
    tone: str = ""
    mark: str = ""
    state: str = ""
    big: str = ""
    small: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    meter: tuple[int, int] | None = None
    bars: tuple[tuple[int, float, float], ...] = ()
    bars_text: str = ""


@dataclass(frozen=True)
class Page:
    """The whole page."""

    table: str
    game: str
    round: int
    who: str
    ref: str
    key: str
    mark: str
    state: str
    now: Instruction
    waits: tuple[Wait, ...]
    troubles: tuple[Trouble, ...]
    devices: tuple[Device, ...]
    tiles: tuple[Tile, ...]


def page(
    view: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    state: TableState,
    person: Person,
    standing: Standing,
) -> Page:
    """The pit's page, as values."""
    open_step = steps[0] if steps else None
    game = registry.game(state.game)
    now = instruction(view, open_step, state, game)
    waits = _waits(view, open_step, state, person, standing, now)
    ref = str(open_step["ref"]) if open_step else ""
    return Page(
        table=standing.title.partition(" · ")[0],
        game=game.title,
        round=int(view["round"]),
        who=f"{person.role.capitalize()} {person.number}",
        ref=ref,
        key=f"{ref} {view['hold']['reason'] if view['hold'] else ''} {len(waits)}",
        mark=STOP if view["journal"] else ASK if view["hold"] else "",
        state="Nothing can be written" if view["journal"] else "Held" if view["hold"] else now.about or "In play",
        now=now,
        waits=waits,
        troubles=troubles(standing.devices, standing.past),
        devices=tiles(
            standing.devices, standing.past, str(view["step"]["by"]) if view["hold"] and view["step"] else ""
        ),
        tiles=(
            _rounds(standing),
            _count(state, standing),
            _journal(view, standing.upkeep, standing),
            *([_bus(standing.bus)] if standing.bus else []),
        ),
    )


def _waits(
    view: Mapping[str, Any],
    open_step: Mapping[str, Any] | None,
    state: TableState,
    person: Person,
    standing: Standing,
    now: Instruction,
) -> tuple[Wait, ...]:
    """What waits for the floor, the call first."""
    found: list[Wait] = []
    if standing.called is not None:
        found.append(Wait(ASK, "The floor is called", f"{standing.called.name} calls a floorperson.", "To the table."))
    stopped = held(view, open_step, person)
    if stopped is not None:
        since = _clock(standing.past.held) if standing.past.held else ""
        found.append(Wait(ASK, stopped.title, stopped.say, since=since, held=stopped))
    elif open_step is not None and default_by(str(open_step["step"]["do"])) == FLOOR:
        form = form_of(open_step, view, state, person)
        found.append(Wait(ASK, f"{now.rule}, {now.about.lower()}", now.say, form=form))
    return tuple(found)


def _clock(at: float) -> str:
    return time.strftime("%H:%M", time.localtime(at))


def _rounds(standing: Standing) -> Tile:
    hours = standing.past.hours
    most = max((*hours, 1))
    bars = tuple(
        (at * 10, round(BAR_HEIGHT * (1 - count / most), 1), round(BAR_HEIGHT * count / most, 1))
        for at, count in enumerate(hours)
    )
    text = f"Rounds in each of the last {len(hours)} hours: {', '.join(map(str, hours))}"
    return Tile("Rounds an hour", big=str(standing.pace), small="in the last hour", bars=bars, bars_text=text)


def _count(state: TableState, standing: Standing) -> Tile:
    left, every, last = rounds_left(state), policy_of(state).every, standing.past.counted
    told = (
        (
            "Last count",
            f"{last.cards}, in round {last.round} at {_clock(last.at)}, by {last.by}" if last else "none yet",
        ),
        ("Paragraph", f"§ {registry.game(state.game).chapter}.11(h)"),
    )
    if left is None:
        return Tile("Count duty", OK, OK, "Waived, the shuffler counts", facts=told)
    if left == 0:
        return Tile("Count duty", ASK, ASK, "Due now", facts=told, meter=(every, every))
    small = "round to go" if left == 1 else "rounds to go"
    return Tile("Count duty", big=str(left), small=small, facts=told, meter=(every - left, every))


def _journal(view: Mapping[str, Any], upkeep: UpkeepStatus | None, standing: Standing) -> Tile:
    last = f" at {_clock(standing.past.last)}" if standing.past.last else ""
    facts = [("Last entry", f"{view['entry']:,}{last}")]
    if upkeep is not None:
        facts += [
            ("Backup", _clock(upkeep.backup_at) if upkeep.backup_at else "none yet"),
            ("Chain", f"checked {_clock(upkeep.checked_at)}" if upkeep.checked_at else "not checked yet"),
            ("Disk", f"{upkeep.free / 10**9:,.1f} GB free"),
        ]
    if view["journal"]:
        return Tile("Journal", STOP, STOP, str(view["journal"]), facts=tuple(facts))
    if upkeep is not None and upkeep.text:
        return Tile("Journal", ASK, ASK, upkeep.text, facts=tuple(facts))
    return Tile("Journal", OK, OK, "Written", facts=tuple(facts))


def _bus(bus: BusStatus) -> Tile:
    refused = f"{sum(bus.refused.values()):,} commands"
    facts = (("Sent up to", f"{bus.sent:,}"), ("Waiting", f"{bus.waiting:,}"), ("Refused", refused))
    if bus.connected:
        return Tile("Bus", ASK if bus.text else OK, ASK if bus.text else OK, bus.text or "Connected", facts=facts)
    return Tile("Bus", ASK, ASK, bus.text or "Not connected; the table plays on", facts=facts)
