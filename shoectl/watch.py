"""When a simulated table does not get on any more: nobody would come to help it, so it stops and says why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from shoectl.devices.station import Station
from shoectl.table.openstep import Stop
from shoectl.table.runner import Runner
from shoectl.wording import sentence

STEPS_MOST: Final = 400  # of one round; a round of seven seats has about 120
LOOKS_EVERY_S: Final = 0.5
SHUFFLES_MOST: Final = 6  # of one round; one is the rule, two after a jam


async def watch(runner: Runner[Any], stations: Mapping[str, Station], patience: float) -> None:
    """Stop the table when it stood at one thing for `patience` seconds, or when a round goes round in circles."""
    loop = asyncio.get_running_loop()
    seen, since = _stands_at(runner.view("public")), loop.time()
    while runner.stopped is None:
        await asyncio.sleep(LOOKS_EVERY_S)
        view = runner.view("public")
        if (stop := in_circles(view)) is not None:
            runner.stop(stop)
        elif (now := _stands_at(view)) != seen:
            seen, since = now, loop.time()
        elif loop.time() - since > patience:
            runner.stop(stood_still(view, stations, patience))


def _stands_at(view: Mapping[str, Any]) -> tuple[object, ...]:
    """Where a table stands: the part that is due, and the hold. Alarms and lost links are no progress."""
    step, hold = view["step"], view["hold"]
    return (view["round"], step and tuple(step["ref"].items()), hold and hold["reason"])


def in_circles(view: Mapping[str, Any]) -> Stop | None:
    """The stop of a round that asks for the same again and again, None for any other."""
    asked = [one["step"] for one in view["record"]]
    if sum(step["do"] == "await_shuffle" for step in asked) >= SHUFFLES_MOST:
        said = [step["text"] for step in asked if step["do"] == "announce"]
        return Stop(
            "the deck is not proven",
            said[-1] if said else f"{SHUFFLES_MOST} shuffles proved nothing",
            "have the shuffler looked at, or take it off the table and shuffle by hand",
        )
    if len(asked) >= STEPS_MOST:
        return Stop("the round does not end", f"{len(asked)} steps were asked in it", "shoectl journal show")
    return None


def stood_still(view: Mapping[str, Any], stations: Mapping[str, Station], patience: float) -> Stop:
    """The stop of a table at which nothing happens any more: the hold, the device or the step that it waits for."""
    step, hold = view["step"], view["hold"]
    if view["journal"]:
        return Stop("nothing can be written", view["journal"], "make room on the disk, then start again")
    if step is None:
        return Stop("no step is open", f"nothing happened for {patience:.0f} s", "start again: the journal is whole")
    asks = f"{sentence(step, step['ref']['part'])} [{step['rule']}]"
    if hold:
        return Stop("held", hold["text"], f"end the hold with `shoectl answer`, then: {asks}")
    lost = [f"{name}: {station.condition}" for name, station in stations.items() if not station.online]
    if lost:
        return Stop("a device is not there", "; ".join(lost), "see to the device, then start again with this journal")
    do = "answer it with `shoectl answer`"
    if step["by"] in stations:  # nobody can answer for a device
        do = f"see to the {step['by']}, then start again with this journal"
    return Stop(f"waiting: {asks}", f"nothing happened for {patience:.0f} s", do)
