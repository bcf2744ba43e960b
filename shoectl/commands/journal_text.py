"""Entries and traced cards as text, for `shoectl journal`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from shoectl.journal import Entry, Salted
from shoectl.table.course import step_text
from shoectl.table.trace import Trace, Traced, time_text
from shoectl.table.visibility import may_leave
from shoectl.table.voided import void_text

HIDDEN = "(holds a face, and the round is under way)"


def plain(entry: Entry, *, hidden: bool, unsure: bool = False) -> dict[str, Any]:
    """An entry as JSON; the body left out where it is `hidden` and holds a face; `unsure`: its time is."""
    told = {"n": entry.n, "kind": entry.kind, "at": time_text(entry.wall), **({"unsure": True} if unsure else {})}
    if hidden and not may_leave(entry.kind, entry.body):
        return {**told, "hidden": True}
    return {**told, "body": entry.body}


def line(entry: Entry, *, hidden: bool, unsure: bool = False) -> str:
    """An entry in one line for people; a time that is `unsure` has a question mark."""
    body = entry.body
    says = HIDDEN if hidden and not may_leave(entry.kind, body) else _says(entry.kind, body)
    return f"{entry.n:>6}  {time_text(entry.wall)}{'?' if unsure else ' '} {entry.kind:<12} {says}".rstrip()


def export_line(salted: Salted, *, opens: Callable[[Entry], bool]) -> str:
    """An entry as it leaves: hashes always, body and salt unless it holds a face and is not to be opened."""
    entry = salted.entry
    told: dict[str, Any] = {
        "n": entry.n,
        "kind": entry.kind,
        "at": time_text(entry.wall),
        "wall": entry.wall,
        "mono": entry.mono,
        "boot": entry.boot,
        "inner": salted.inner.hex(),
        "link": entry.link.hex(),
    }
    if may_leave(entry.kind, entry.body) or opens(entry):
        told |= {"salt": salted.salt.hex(), "body": entry.body}
    else:
        told["hidden"] = True
    return json_line(told)


def json_line(value: Any) -> str:
    """A value as one line of JSON that any stream takes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode().decode()
    except UnicodeEncodeError:  # half a surrogate pair: not of our writing
        return json.dumps(value)


def _says(kind: str, body: dict[str, Any]) -> str:
    match kind:
        case "round":
            return f"{body['number']}  ({', '.join(f'{name} {value}' for name, value in body['versions'].items())})"
        case "step":
            return f"{body['number']}: {step_text(body['step'])}"
        case "answer":
            said = " ".join(f"{name}={value}" for name, value in body["answer"].items()) or "done"
            return f"{_at(body)}: {said}  by {body['by']}{_rests(body)}"
        case "irregularity":
            card = f" ({body['card']})" if body["card"] else ""
            return f"{_at(body)}: {body['trouble']}{card} {body['text']}{_rests(body)}"
        case "event":
            return f"{body['place']} #{body['seq']} {body['name'] or hex(body['code'])} {_fields(body['body'])}"
        case "intent":
            return f"step {body['step']}: {body['place']} #{body['id']} {body['type']} {_fields(body['body'])}"
        case "hold":
            return f"{_at(body)}: {body['reason']}: {body['text']}"
        case "held":
            card = f", card {body['card']}" if body["card"] else ""
            return f"{_at(body)}: {body['reason']}: {body['how']}, by {' and '.join(body['by']) or 'itself'}{card}"
        case "device":
            return f"{body['place']}: {body['family']} {body['serial']}, boot {body['boot']}, epoch {body['epoch']}"
        case "alarm":
            return f"{body['place']}: {body['text']}"
        case "void":
            return f"round {body['round']}, {void_text(body['by'], body['why'])}"
    return _fields(body)


def _at(body: dict[str, Any]) -> str:
    return f"step {body['step']}.{body['part']}"


def _rests(body: dict[str, Any]) -> str:
    return "".join(f" [{ref['unit']} #{ref['seq']}]" for ref in body["evidence"])


def _fields(body: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in body.items())


def cards(found: Trace) -> Iterator[str]:
    """The cards of a round as a table for people."""
    state = "" if found.cleared else ", under way: faces are shown once they are seen"
    yield f"round {found.round}: {len(found.cards)} cards{f', {found.void}' if found.void else ''}{state}"
    yield f"draw  {'event':<22}  entry  {'dealt':<24} {'to':<10} card  {'seen':<24} rack  note"
    for card in found.cards:
        yield _card(card).rstrip()
    for event in found.unused:
        yield f"{event['draw']:>4}  {event['unit']} #{event['seq']}  drawn and never dealt (entry {event['entry']})"


def _card(card: Traced) -> str:
    event = "-" if card.event is None else f"{card.event['unit']} #{card.event['seq']}"
    where = "-" if card.rack is None else str(card.rack)
    return (
        f"{card.draw or '-':>4}  {event:<22} {card.entry:>6}  {card.at:<24} {card.to:<10} {card.card or '?':<4}  "
        f"{card.seen_at or '-':<24} {where:>4}  {card.note}"
    )
