"""What a run came to, counted from its journal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from shoectl.games.steps import PlaceWagers
from shoectl.journal import Entry, Reader, understood
from shoectl.table.entries import Json


def summary(entries: Iterable[Entry]) -> Json:
    """Totals of a journal: `rounds` opened (the last one only once its wagers were taken), `cards_dealt`, `shuffles`
    that ended (by a device or by hand), `counts` (answers that say how many cards a deck has: shuffler, shoe or
    dealer), `net` of each seat in the smallest unit.
    """
    totals = {"rounds": 0, "cards_dealt": 0, "shuffles": 0, "counts": 0}
    net: dict[int, int] = {}
    steps: dict[int, Json] = {}
    waits = False  # the last round, for its wagers
    for entry in entries:
        with understood(entry.n):
            match entry.kind:
                case "round":
                    totals["rounds"] += 1
                    waits = True
                case "step":
                    body = entry.body
                    steps[body["number"]] = step = body["step"]
                    if (gain := _gain(step)) is not None:
                        net[step["seat"]] = net.get(step["seat"], 0) + gain
                case "answer":
                    body = entry.body
                    do = str(steps[body["step"]]["do"])
                    waits = waits and do != PlaceWagers.do
                    for name in _counted(do, body["answer"]):
                        totals[name] += 1
    totals["rounds"] -= waits
    return {**totals, "net": {str(seat): net[seat] for seat in sorted(net)}}


def summary_of(path: Path) -> Json:
    """The totals of a journal file, and its `journal` path. A daemon may be writing it."""
    with Reader(path) as reader:
        return {**summary(reader.entries()), "journal": str(path)}


def _gain(step: Json) -> int | None:
    match step["do"]:
        case "collect":
            return -int(step["amount"])
        case "pay" | "credit":
            return int(step["amount"]) - (int(step["stake"]) if step["keeps_stake"] else 0)
        case "return":
            return 0
    return None


def _counted(do: str, answer: Json) -> tuple[str, ...]:
    match do:
        case "deal":
            return ("cards_dealt",)
        case "await_shuffle":
            return ("shuffles", "counts") if answer["counted"] else ("shuffles",)
        case "shuffle_by_hand":
            return ("shuffles",)
        case "count" | "close_shoe":
            return ("counts",)
    return ()
