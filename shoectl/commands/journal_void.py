"""`shoectl journal void`: a floorperson ends an open round that nobody can or shall play on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from shoectl.commands import journal_text
from shoectl.errors import BadInput
from shoectl.journal import Journal
from shoectl.table.voided import Voided
from shoectl.wording import place_name, wager_name

WHY_MOST: Final = 200


@click.command("void")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--by", required=True, metavar="OPERATOR", help="The floorperson who voids it: the operator number.")
@click.option("--why", default="", metavar="TEXT", help="The reason, for the record; it names no card.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="The table's configuration, for its register of people."
)
@click.option("--yes", is_flag=True, help="Void it; without this nothing is written, and what would happen is told.")
@click.option("--json", "as_json", is_flag=True, help="For machines: one JSON value.")
def void_command(file: Path, by: str, why: str, config: Path | None, yes: bool, as_json: bool) -> None:
    """Void the open round of a table that stands still, so that another version can go on with the next one.

    \b
    shoectl journal void table.journal --by 815 --why "new rules as approved" --yes

    For a round that was begun under rules which would now ask other steps: the service does not start with it. All
    wagers that still lie there go back, which a floorperson sees to; what was paid or collected before stays. At its
    next start the table clears the cards away, counts and shuffles: no deck is trusted any more.

    Who is a floorperson the table's register of people says: that of the configuration, or people.json beside the
    journal. Of a table without one it is its operator `floor`, by name or number.
    """
    # only here: neither games nor people are needed to read a journal
    from shoectl.people.persons import check_floor, of_journal
    from shoectl.table.voiding import state_of, void, why_not_played_on

    _check_reason(why)
    if not file.exists():
        raise BadInput(f"journal {file}: no such file or directory")
    with Journal.open(file, threaded=False) as journal:
        entries = journal.tail()
        check_floor(of_journal(file, config, state_of(entries).operators), by)
        stands = why_not_played_on(entries)
        voided = void(entries, by=by, why=why)
        if yes:
            journal.append(voided.kind, voided.to_json())
            journal.flush_now()
        last = journal.last
    if as_json:
        click.echo(journal_text.json_line({"voided": yes, "entry": last if yes else None, **_told(voided, stands)}))
    else:
        for line in _lines(voided, stands, yes):
            click.echo(line)
    if not yes:
        raise BadInput(f"nothing was written: say --yes to void round {voided.round}")


def _check_reason(why: str) -> None:
    from shoectl.table.visibility import names_a_card

    if len(why) > WHY_MOST or not why.isprintable():
        raise BadInput(f"--why: one line of at most {WHY_MOST} characters is expected")
    if names_a_card(why):
        raise BadInput("--why: it names a card, and everybody may read it; leave the card out")


def _told(voided: Voided, stands: str) -> dict[str, Any]:
    decks = {str(deck["number"]): str(deck["where"]) for deck in voided.state["decks"]}
    return {
        "round": voided.round,
        "by": voided.by,
        "why": voided.why,
        "wagers": [list(wager) for wager in voided.wagers],
        "cards": dict(voided.cards),
        "decks": decks,
        "plays_on": not stands,
        "reason": stands,
    }


def _lines(voided: Voided, stands: str, yes: bool) -> Iterator[str]:
    yield f"round {voided.round} {'is' if yes else 'would be'} {voided.text}"
    if stands:
        yield f"this version does not play it on: {stands}"
    else:
        yield "this version would play it on: no void is needed for an upgrade, start the table"
    seats: dict[int, list[str]] = {}
    for seat, wager, amount in voided.wagers:
        seats.setdefault(seat, []).append(f"{wager_name(wager)} {amount}")
    for seat, placed in sorted(seats.items()):
        yield f"seat {seat}: {', '.join(placed)}"
    if seats:
        yield "a floorperson gives these wagers back, and any that the table was not yet told of"
    else:
        yield "the journal knows of no wager that still lies there; a floorperson gives back any that does"
    if voided.cards:
        lie = ", ".join(f"{place_name(place)} ({count})" for place, count in voided.cards.items())
        yield f"cards to be cleared away: {lie}"
    for deck in voided.state["decks"]:
        yield f"deck {deck['number']}: {deck['where']}, to be counted and shuffled"
