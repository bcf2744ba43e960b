"""`shoectl settle`: one round from its record, or many, one a line."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from shoectl.errors import BadInput
from shoectl.games.records import read_record
from shoectl.games.registry import game
from shoectl.games.settle import SettledRound
from shoectl.games.settle import settle as settle_record
from shoectl.odds.own import remarks


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option("--json", "as_json", is_flag=True, help="One JSON value instead of a table.")
@click.option("--jsonl", is_flag=True, help="One record a line in, one JSON line out for each, refused ones too.")
@click.pass_context
def settle(ctx: click.Context, file: str, as_json: bool, jsonl: bool) -> None:
    """Settle one round from its record: the steps that the section prescribes, in their order, and the money.

    FILE is a round record in JSON, `-` reads it from standard input. Exit code 2: the record is not legal by the
    section, and the message names the seat, wager or card, and the rule.
    """
    stream = sys.stdin.buffer if file == "-" else io.BytesIO(_read(file))
    if jsonl:
        warned: set[str] = set()
        refused = [line for line in stream if line.strip() and not _settle_line(line, warned)]
        ctx.exit(2 if refused else 0)
    try:
        settled = settle_record(read_record(_text(stream.read())))
    except BadInput as error:
        raise BadInput(_told(error), rule=error.rule, seat=error.seat) from None
    click.echo(json.dumps(settled.json()) if as_json else in_words(settled))
    for warning in warnings(settled):
        click.echo(warning, err=True)


def warnings(settled: SettledRound) -> Iterator[str]:
    """Where the house's own paytable gives the player an edge, with the figure."""
    return (f"warning: {one.text}" for one in remarks(game(settled.game), settled.house) if one.warning)


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise BadInput(f"{file!r} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a name that no file can have
        raise BadInput(f"{file!r} cannot be read: {error}") from None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 text (byte {error.start})") from None


def _told(error: BadInput) -> str:
    return f"{error.reason} (§ {error.rule})" if error.rule else error.reason


def _settle_line(line: bytes, warned: set[str]) -> bool:
    """Print one line for a record; whether it could be settled. What has been warned of is not said again."""
    try:
        settled = settle_record(read_record(_text(line)))
    except BadInput as error:
        click.echo(json.dumps({"error": {"reason": error.reason, "rule": error.rule, "seat": error.seat}}))
        return False
    click.echo(json.dumps(settled.json()))
    for warning in warnings(settled):
        if warning not in warned:
            click.echo(warning, err=True)
            warned.add(warning)
    return True


def in_words(settled: SettledRound) -> str:
    """A settled round for people: each step with its paragraph, then what each seat won or lost."""
    width = max(len(str(step["rule"])) for step in settled.steps)
    lines = [f"{step['rule']!s:<{width}}  {step['do']!s:<9} {_step_words(step)}" for step in settled.steps]
    lines.append("")
    dealer = settled.outcome.dealer
    if dealer.get("hand"):
        qualifies = {True: ", qualifies", False: ", does not qualify"}
        lines.append(
            f"dealer  {dealer['hand']}" + (qualifies[bool(dealer["qualifies"])] if "qualifies" in dealer else "")
        )
    for seat, wagers in settled.wagers.items():
        hand = settled.outcome.seats[seat].get("hand") or "hand not seen"
        lines.append(f"seat {seat}  {settled.layout.net(seat):+}  {hand}")
        lines += [f"        {name:<21} {one.stake:>9}  {one.outcome:<8} {one.net:>+10}" for name, one in wagers.items()]
    return "\n".join(lines)


def _step_words(step: dict[str, object]) -> str:
    match step["do"]:
        case "announce":
            return f"“{step['text']}”"
        case "deal":
            return str(step["cards"])
        case "ask" if "declare" in step:
            return f"seat {step['seat']}: {step['declare']} declared: {'yes' if step['declared'] else 'no'}"
        case "ask":
            return f"seat {step['seat']}: {step['decision']}" + (f" {step['amount']}" if "amount" in step else "")
        case "reveal":
            return f"{step['place']}: {step['cards']}"
        case "discard":
            return f"{step['from']}: {step['cards']}"
        case "set":
            return f"{step['place']}: {step['high']} | {step['low']}"
        case "hold":
            return f"seat {step['seat']}: {step['why']}"
        case "verify":
            return f"seat {step['seat']}: {step['what']} ({step['wager']})"
        case "pay" | "credit":
            return (
                f"seat {step['seat']}: {step['wager']} {step['stake']} wins {step['amount']}"
                f" ({step['for']}, {step['odds']})"
            )
        case _:
            return f"seat {step['seat']}: {step['wager']} {step['amount']}"
