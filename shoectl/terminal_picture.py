"""The picture of a table that the terminal draws: one frame in, one renderable out. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.layout import Layout as Split
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from shoectl.games.steps import at_seat
from shoectl.wording import deck_text, place_name, sentence, waiting_for

RED_SUITS: Final = "hd"
SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
WIDE: Final = 112  # columns from which on devices stand beside the table
ROOMY: Final = 72  # columns from which on everything about a seat has room; below, what matters less goes first
NARROW: Final = {"decided": 44, "won": 51}  # what stands beside a seat's cards from so many columns on
MONEY_STEPS: Final = {"pay": "green", "collect": "red", "return": "cyan"}


@dataclass(frozen=True)
class Frame:
    """What there is to see: the public view, the table's state as JSON, devices as (online, condition), totals."""

    title: str
    view: Mapping[str, Any]
    state: Mapping[str, Any]
    conditions: Mapping[str, tuple[bool, str]]
    identities: Mapping[str, str]
    totals: Mapping[str, int]


def picture(frame: Frame, width: int, height: int) -> RenderableType:
    """The whole screen, `width` columns and `height` lines. Devices stand beside the table where there is room."""
    wide = width >= WIDE
    screen = Split()
    around = 1 if wide else 3
    seats = len(frame.state["seats"]) + 5 + len(_others(frame))
    screen.split_column(
        Split(_head(frame, width), size=1),
        *([] if wide else [Split(_strip(frame), size=2)]),
        Split(name="table", size=seats),
        Split(_now(frame), size=4),
        Split(_recent(frame, height - around - seats - 4 - 2, width), name="recent"),
    )
    if wide:
        screen["table"].split_row(Split(_seats(frame, width), ratio=2), Split(_side(frame), ratio=1))
    else:
        screen["table"].update(_seats(frame, width))
    return screen


def _head(frame: Frame, width: int) -> RenderableType:
    head = Table.grid(expand=True)
    head.add_column(ratio=1, no_wrap=True)
    head.add_column(justify="right", no_wrap=True)
    ends = "   Ctrl-C ends it " if width >= ROOMY else " "
    trouble = frame.view["journal"]  # nothing may move while nothing can be written
    head.add_row(
        Text(f" {trouble}", style="bold white on red") if trouble else Text(f" {frame.title}", style="bold"),
        Text(f"round {frame.view['round']}{ends}", style="dim"),
    )
    return head


def _others(frame: Frame) -> list[str]:
    """Places where cards lie or lay beside the dealer's and the seats'."""
    named = {"dealer", *(at_seat(seat) for seat in frame.state["seats"])}
    return [place for place in frame.view["places"] if place not in named]


def _seats(frame: Frame, width: int) -> Panel:
    view, roomy = frame.view, width >= ROOMY
    columns = _columns(width, max(len(place) for place in ("dealer", *_others(frame))))
    table = Table(box=None, expand=True, padding=(0, 1) if roomy else (0, 1, 0, 0), header_style="dim")
    for name, more in columns.items():
        table.add_column("" if name in ("mark", "place") else name, no_wrap=True, **more)
    step = view["step"] or {}
    turn = step.get("seat") or _turn(step)

    def row(**cells: Text) -> None:
        table.add_row(*(cells.get(name, "") for name in columns))

    for place in ("dealer", *_others(frame)):
        row(mark=_mark(turn == place), place=Text(place, style="bold"), cards=_cards(view, place))
    for seat in frame.state["seats"]:
        wagers = view["wagers"].get(str(seat), {})
        row(
            mark=_mark(turn in (seat, at_seat(seat))),
            place=Text(at_seat(seat), style="bold" if wagers else "dim"),
            cards=_cards(view, at_seat(seat)),
            wagers=_wagers(wagers),
            decided=Text(", ".join(view["decided"].get(str(seat), [])), style="italic"),
            won=_money(frame.totals.get(str(seat), 0)),
        )
    row(place=Text("rack", style="dim"), cards=Text(f"{view['rack']} cards", style="dim"))
    return Panel(table, title="table", title_align="left", border_style="green", padding=(0, 1 if roomy else 0))


def _columns(width: int, longest: int) -> dict[str, dict[str, Any]]:
    """The columns of the seats' table for which there is room; `longest`: letters of a place's name."""
    columns: dict[str, dict[str, Any]] = {
        "mark": {"width": 1},
        "place": {"width": longest if width >= ROOMY else min(longest, 6)},
        "cards": {"width": 17},  # six cards: a seat that bought one
        "wagers": {"ratio": 1},
        "decided": {"width": 14},
        "won": {"width": 6, "justify": "right"},
    }
    if width >= ROOMY:
        return columns
    kept = ("mark", "place", "cards", *(name for name, least in NARROW.items() if width >= least))
    return {name: {"ratio": 1} if name == "cards" else columns[name] for name in kept}


def _turn(step: Mapping[str, Any]) -> str | None:
    if step.get("do") in ("deal", "deal_by_hand"):
        part = step["ref"]["part"]
        return str(step["to"][part]) if part < len(step["to"]) else None
    place = step.get("place")
    return str(place) if place else None


def _mark(here: bool) -> Text:
    return Text("▶" if here else "", style="bold yellow")


def _cards(view: Mapping[str, Any], place: str) -> Text:
    """The cards at a place; those that were racked after everybody had seen them stay, dimmed, until the next deal."""
    lying = view["places"].get(place)
    text = Text(style="" if lying else "dim")
    for card in lying or view["shown"].get(place, []):
        face = card.get("card") if card["up"] else None
        if face:
            rank, suit = face[0], face[1]
            text.append(f"{rank}{SUITS[suit]}", style="red" if suit in RED_SUITS else "")
        else:
            text.append("▒▒", style="blue" if lying else "")
        text.append(" ")
    text.rstrip()
    return text


def _wagers(wagers: Mapping[str, int]) -> Text:
    """`ante 10  super→3 5  super→D 5`: what lies there, each side wager with the hand that it is on."""
    text = Text()
    for wager, amount in wagers.items():
        name, _, on = wager.partition(":")
        text.append(f"{name}{'→' + (on if on.isdecimal() else on[:1].upper()) if on else ''} ", style="dim")
        text.append(f"{amount} ", style="bold")
    return text


def _money(amount: int) -> Text:
    return Text(f"{amount:+d}" if amount else "0", style="green" if amount > 0 else "red" if amount < 0 else "dim")


def _strip(frame: Frame) -> RenderableType:
    """The devices and the deck in two lines, where the terminal is narrow."""
    line = Text(no_wrap=True, overflow="ellipsis")
    for name, (online, condition) in frame.conditions.items():
        line.append(" ● ", style="green" if online else "red").append(f"{name} ", style="bold")
        line.append(condition + " ", style="" if online else "red")
    deck = Text(no_wrap=True, overflow="ellipsis")
    deck.append(" deck ", style="bold").append(deck_text(frame.view, frame.state))
    return Group(line, deck)


def _side(frame: Frame) -> Panel:
    rows: list[RenderableType] = []
    for name, (online, condition) in frame.conditions.items():
        line = Text("● ", style="green" if online else "red")
        line.append(f"{name} ", style="bold").append(frame.identities.get(name, ""), style="dim")
        rows += [line, Text(f"  {condition}", style="" if online else "red")]
    rows += [Text(), Text("deck", style="bold"), Text(f"  {deck_text(frame.view, frame.state)}")]
    return Panel(Group(*rows), title="devices", title_align="left", border_style="blue")


def _now(frame: Frame) -> Panel:
    step, hold = frame.view["step"], frame.view["hold"]
    if step is None:
        return Panel(Text("no step is open", style="dim"), title="now", title_align="left")
    part = step["ref"]["part"]
    text = Text()
    text.append(_capital(sentence(step, part)), style="bold")
    text.append(f"   § {step['rule']}", style="dim")
    if hold:
        text.append(f"\nheld: {hold['text']}", style="bold red")
    elif step["do"] in ("deal", "deal_by_hand"):
        text.append("\n" + "█" * part, style="green").append("░" * (len(step["to"]) - part), style="dim")
    else:
        text.append(f"\nwaiting for {waiting_for(step, step['by'])}", style="dim")
    return Panel(text, title="now", title_align="left", border_style="red" if hold else "yellow")


def _recent(frame: Frame, room: int, width: int) -> Panel:
    room = max(1, room)
    past = frame.view["past"]
    lines = [(past["round"], one) for one in (past["record"] if past else [])]
    lines += [(frame.view["round"], one) for one in frame.view["record"]]
    roomy = width >= ROOMY  # below, the paragraph gives way to what is done
    table = Table.grid(padding=(0, 2 if roomy else 1), expand=True)
    table.add_column(style="dim", justify="right", width=9 if roomy else None)
    table.add_column(ratio=1, no_wrap=True)
    if roomy:
        table.add_column(style="dim", justify="right")
    for round_no, one in lines[-room:]:
        step = one["step"]
        cells = (f"{round_no}.{one['number']}", Text(_summary(step), style=MONEY_STEPS.get(step["do"], "")))
        table.add_row(*cells, *([f"§ {step['rule']}"] if roomy else []))
    return Panel(table, title="steps", title_align="left", border_style="dim", padding=(0, 1 if roomy else 0))


def _summary(step: Mapping[str, Any]) -> str:
    if step["do"] == "deal":
        most = len(step["to"])
        return f"deal {most} cards, the first to {place_name(step['to'][0])}" if most > 1 else sentence(step, 0)
    return sentence(step)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
