"""`shoectl answer`: a table worked without a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from shoectl.config import load
from shoectl.errors import BadInput
from shoectl.folders import socket_path
from shoectl.socket_client import ask


@click.command()
@click.argument("step", required=False)
@click.argument("answer", required=False, metavar="JSON")
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

    A step is named round.step.part, as listed. The last form ends a hold: how, by whom, and the card where one was
    asked for. A step that is not open any more, or an answer that the rules do not allow, is exit code 2.
    """
    path = socket or _configured(config) or socket_path()
    if step is None:
        reply = ask(path, {"list": True})
        click.echo(json.dumps(reply) if as_json else _listing(reply))
        return
    if answer is None:
        raise click.UsageError("an answer is a JSON object, as '{\"choice\": \"bet\"}' or '{}'")
    reply = ask(path, _request(step, answer, by))
    click.echo(json.dumps(reply) if as_json else f"taken: {step}")


def _configured(config: Path | None) -> Path | None:
    named = load(config).table.socket if config else None
    return Path(named) if named else None


def _request(step: str, answer: str, by: str | None) -> dict[str, Any]:
    try:
        given = json.loads(answer)
    except ValueError as error:
        raise BadInput(f"the answer is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise BadInput('the answer is a JSON object, as {"choice": "bet"} or {}')
    if "held" in given:
        return {"held": step, "how": given["held"], "by": given.get("by"), "card": given.get("card")}
    return {"answer": step, "with": given, "by": by}


def _listing(reply: dict[str, Any]) -> str:
    lines = []
    for step in reply["steps"]:
        lines.append(f"{step['ref']}  {step['text']}  [{step['rule']}]")
        if step["by"] != "people":
            lines.append(f"    the {step['by']} answers it")
        elif step["takes"]:
            lines += [f"    {name}: {kind}" for name, kind in step["takes"].items()]
        else:
            lines.append("    answer with {} when it is done")
    hold = reply["view"].get("hold")
    if hold:
        lines.append(f"    held: {hold.get('text')}")
    return "\n".join(lines) or "no step is open"
