"""`shoectl answer`: a table worked without a page."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from shoectl.config import load
from shoectl.errors import BadInput
from shoectl.socket_client import ask
from shoectl.strict_json import loads
from shoectl.table_files import socket_to_reach
from shoectl.wording import sentence, waiting_for

ENDS_HOLD: Final = {
    "card": '{"held": "card", "card": "9c", "by": ["dealer", "floor"]}',
    "go on": '{"held": "go on"}',
    "give up": '{"held": "give up"}',
}


@click.command()
@click.argument("step", required=False, metavar="[STEP")
@click.argument("answer", required=False, metavar="JSON]")
@click.option("--by", help="Who answers; the dealer, or the floor where a step is his.")
@click.option("--config", "config", type=click.Path(path_type=Path), help="The table's configuration, for its socket.")
@click.option("--socket", "socket", type=click.Path(path_type=Path), help="The daemon's socket.")
@click.option("--json", "as_json", is_flag=True, help="The daemon's reply, as one JSON value.")
def answer(
    step: str | None, answer: str | None, by: str | None, config: Path | None, socket: Path | None, as_json: bool
) -> None:
    """List the open steps, or answer one.

    \b
    shoectl answer
    shoectl answer 12.7 '{"choice": "bet"}'
    shoectl answer 12.9 '{"cards": "As Ah Kd 9c 8s"}'
    shoectl answer 12.3 '{"held": "card", "card": "9c", "by": ["dealer", "floor"]}'
    shoectl answer 12.5 '{"report": "exposed", "at": "seat 2", "card": "9c"}'

    A step is named round.step.part, as listed. `held` ends a hold: how, by whom, and the card where one was asked for.
    `report` interrupts the step: a card at a place was seen before its time ("exposed"; which one may be left out), a
    place has a "wrong number" of cards, or other cards are turned up there than can be ("misread"). A step that is not
    open any more, or an answer that the rules do not allow, is exit code 2.
    """
    path = socket_to_reach(socket, load(config) if config else None)
    if step is None:
        reply = ask(path, {"list": True})
        click.echo(json.dumps(reply) if as_json else _listing(reply))
        return
    if answer is None:
        raise click.UsageError("an answer is a JSON object, as '{\"choice\": \"bet\"}' or '{}'")
    reply = ask(path, _request(step, answer, by))
    click.echo(json.dumps(reply) if as_json else f"taken: {step}")


def _request(step: str, answer: str, by: str | None) -> dict[str, Any]:
    given = loads(answer)
    if not isinstance(given, dict):
        raise BadInput('the answer is a JSON object, as {"choice": "bet"} or {}')
    if "held" in given:
        return {"held": step, "how": given["held"], "by": given.get("by") or by, "card": given.get("card")}
    if "report" in given:
        told = {"what": given["report"], "at": given.get("at"), "card": given.get("card")}
        return {"report": step, "by": given.get("by") or by, **told}
    return {"answer": step, "with": given, "by": by}


def _listing(reply: Mapping[str, Any]) -> str:
    view = reply["view"]
    lines = []
    for step in reply["steps"]:
        lines += [f"    {sentence(one['step'])}  [{one['step']['rule']}]" for one in _before(view["record"])]
        lines.append(f"{step['ref']}  {step['text']}  [{step['rule']}]")
        if view.get("hold"):
            lines.append(f"    held: {view['hold'].get('text')}")
        lines += [f"    {line}" for line in _how(step)]
    if view.get("journal"):
        lines.append(f"the table waits: {view['journal']}")
    return "\n".join(lines) or "no step is open"


def _before(record: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What was to be announced, collected, paid or racked since somebody last answered."""
    passed = list(itertools.takewhile(lambda one: one["outcome"] == "passed", reversed(record)))
    return passed[::-1]


def _how(step: Mapping[str, Any]) -> list[str]:
    """What an answer holds, or who gives it; of a step that is held, what ends the hold."""
    if step["words"]:
        word, give_up = (ENDS_HOLD[one] for one in step["words"])
        return [f"when that is done: shoectl answer {step['ref']} '{word}', or '{give_up}'"]
    if step["by"] != "people":
        return [f"waits for {waiting_for(step['step'], step['by'])}; nothing to answer"]
    takes: Mapping[str, str] = step["takes"]
    fields = [f"{name}: {kind}" for name, kind in takes.items()]
    if all(kind.endswith("may be left out") for kind in takes.values()):
        return [f"when it is done: shoectl answer {step['ref']} '{{}}'{', or with' if fields else ''}", *fields]
    return [f"answer with a JSON object: {'its fields are' if len(fields) > 1 else 'its field is'}", *fields]
