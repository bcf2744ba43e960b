"""`shoectl journal`: verify, show, replay, export, round, backup, which only read, also while a daemon writes; and
void, which ends a round of a table that stands still (journal_void.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from shoectl.commands import journal_text
from shoectl.commands.journal_void import void_command
from shoectl.errors import BadInput, CheckFailed
from shoectl.journal import GENESIS, Broken, Damaged, Entry, Reader, check_chain, understood, verify
from shoectl.journal.clock import Times
from shoectl.journal.copy import copy
from shoectl.table.trace import Trace, trace

FILE = click.argument("file", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="For machines: one JSON value, or one a line.")
ROWS_A_TICK = 2_000
TOLD_MOST = 5  # diverged rounds: one reason makes many of them


@click.group()
def journal() -> None:
    """Verify, show, replay or export a journal. Reads only, but for void; a running daemon is not held up."""


journal.add_command(void_command)


@journal.command("verify")
@FILE
@click.option("--pin", metavar="N:LINK", help="A number and link noted earlier: the chain must pass through them.")
@AS_JSON
def verify_command(file: Path, pin: str | None, as_json: bool) -> None:
    """Prove the hash chain. Exit code 1 and the first bad entry if it does not hold.

    The last number and link are printed: noted elsewhere, they prove later (--pin) that nothing was cut off.
    """
    kept = _pin(pin)
    try:
        with Reader(file, whole=False) as reader, _progress("verify", reader.count()) as seen:
            n, link = verify(reader, pin=kept, seen=seen)
        Reader(file).close()  # the chain is right; what else is in the file must be, too
    except (Broken, Damaged) as broken:
        if as_json:
            _print_json({"ok": False, "entry": getattr(broken, "n", None), "reason": str(broken)})
        raise CheckFailed(str(broken)) from None
    if as_json:
        _print_json({"ok": True, "entries": n, "link": link.hex()})
    else:
        click.echo(f"{n} entries, the chain holds. The last link: {n}:{link.hex()}")


@journal.command("show")
@FILE
@click.option("--round", "number", type=int, help="Only this round.")
@AS_JSON
def show_command(file: Path, number: int | None, as_json: bool) -> None:
    """Print the entries. Faces of a round that is still under way are left out.

    A time with a question mark is unsure: the clock was not set, or it is earlier than one before. Order is by number.
    """
    with Reader(file) as reader:
        end = reader.count()  # what is written from here on is another round's, perhaps: it waits for the next call
        first, last = _span(reader, number, end) if number is not None else (1, end)
        secret, times = _secret(reader, end), Times(reader.latest(first))
        for entry in reader.entries(first, last):
            with understood(entry.n):
                told = _told(entry, hidden=entry.n >= secret, unsure=times.unsure(entry.wall), as_json=as_json)
            click.echo(told)


@journal.command("replay")
@FILE
@AS_JSON
def replay_command(file: Path, as_json: bool) -> None:
    """Run the procedures again and compare every step. Exit code 1 if a round went another way."""
    # only here: the games are not needed to read a journal
    from shoectl.table.audit import Audit
    from shoectl.table.session import cycle
    from shoectl.table.state import TableState

    audit = Audit(cycle, TableState.from_json)
    with Reader(file) as reader, _progress("replay", reader.count()) as seen:
        for entry in check_chain(reader.entries(), reader.key, GENESIS):
            audit.take(entry)
            seen(entry.n)
    result = audit.end()
    if as_json:
        told = {name: value for name, value in asdict(result).items() if name != "voided" or value}
        _print_json({"ok": not result.diverged, **told})
    else:
        click.echo(f"{result.rounds} {'round' if result.rounds == 1 else 'rounds'}, {result.steps} steps played again")
        for number, void in result.voided.items():
            click.echo(f"round {number} was {void}; its steps up to there are not compared")
        for why in list(result.diverged.values())[:TOLD_MOST]:
            click.echo(why)
        if len(result.diverged) > TOLD_MOST:
            click.echo(f"and {len(result.diverged) - TOLD_MOST} more rounds; --json names them all")
    if result.diverged:
        raise CheckFailed(f"{len(result.diverged)} of {result.rounds} rounds went another way")


@journal.command("export")
@FILE
@click.option(
    "--open",
    "opened",
    default="none",
    show_default=True,
    help="Entries with faces that are given away: none, all, or their numbers (12,15).",
)
@click.option("--json", "as_json", is_flag=True, help="Changes nothing: an export is JSON, one entry a line.")
def export_command(file: Path, opened: str, as_json: bool) -> None:
    """Print the whole journal with its hashes, one JSON line an entry; `inner` and `link` prove the chain.

    An entry that holds a face is given as its inner digest alone. An open entry carries its salt, which opens it and no
    other: inner = SHA256(salt, "kind wall mono boot\\n", body as compact JSON), link = SHA256(link before, inner).
    """
    opens = _opens(opened)
    with Reader(file) as reader:
        end = reader.count()
        secret = _secret(reader, end)

        def given(entry: Entry) -> bool:
            return entry.n < secret and opens(entry)

        with _progress("export", end, out=True) as seen:
            for entry in reader.entries(1, end):
                with understood(entry.n):
                    told = journal_text.export_line(reader.salted(entry), opens=given)
                click.echo(told)
                seen(entry.n)


@journal.command("round")
@FILE
@click.argument("number", type=int)
@AS_JSON
def round_command(file: Path, number: int, as_json: bool) -> None:
    """Every card of a round: where it came from, who had it, when it was seen, where it lies in the rack.

    Cards of a round that is still under way have no face until they are seen.
    """
    with Reader(file) as reader:
        end = reader.count()
        first, last = _span(reader, number, end)
        found = trace(reader.entries(first, last))
    if not found.over and last == end:
        _hide(found)
    if as_json:
        cards = [asdict(card) for card in found.cards]
        told = {"round": found.round, "cleared": found.cleared, "cards": cards, "unused": found.unused}
        _print_json(told | ({"void": found.void} if found.void else {}))
    else:
        for text in journal_text.cards(found):
            click.echo(text)


@journal.command("backup")
@FILE
@click.argument("to", type=click.Path(path_type=Path))
@AS_JSON
def backup_command(file: Path, to: Path, as_json: bool) -> None:
    """Copy a journal, also while a daemon writes it, and prove the copy.

    TO is a new file, or a folder, where the copy is named after how far it goes. Nothing that is there is replaced.
    Exit code 1: the chain does not hold, and there is no copy.
    """
    with Reader(file) as reader, _progress("copy", reader.count()) as seen:
        made = copy(file, to, seen)
    if as_json:
        _print_json({"copy": str(made.path), "entries": made.entries, "link": made.link.hex()})
    else:
        click.echo(
            f"{made.path}: {made.entries} entries, the chain holds. The last link: {made.entries}:{made.link.hex()}"
        )


def _told(entry: Entry, *, hidden: bool, unsure: bool, as_json: bool) -> str:
    if not as_json:
        return journal_text.line(entry, hidden=hidden, unsure=unsure).encode(errors="backslashreplace").decode()
    return journal_text.json_line(journal_text.plain(entry, hidden=hidden, unsure=unsure))


def _hide(found: Trace) -> None:
    for card in found.cards:
        if card.seen is None:
            card.card = None


def _secret(reader: Reader, end: int) -> int:
    """The first entry of the round under way, whose faces stay here; a number beyond `end` where none is."""
    first = max((n for n in reader.rounds() if n <= end), default=end + 1)
    return end + 1 if first > end or trace(reader.entries(first, end)).over else first


def _span(reader: Reader, number: int, end: int) -> tuple[int, int]:
    rounds = [n for n in reader.rounds() if n <= end]
    if not 1 <= number <= len(rounds):
        raise BadInput(f"journal {reader.path}: no round {number}, it has rounds 1 to {len(rounds)}")
    return rounds[number - 1], rounds[number] - 1 if number < len(rounds) else end


def _pin(text: str | None) -> tuple[int, bytes] | None:
    if text is None:
        return None
    n, _, link = text.partition(":")
    try:
        value = (int(n), bytes.fromhex(link))
    except ValueError:
        value = (0, b"")
    if len(value[1]) != 32 or value[0] < 1:
        raise BadInput(f"--pin {text!r}: a number, a colon and the 64 hex digits that verify printed are expected")
    return value


def _opens(text: str) -> Callable[[Entry], bool]:
    if text == "none":
        return lambda entry: False
    if text == "all":
        return lambda entry: True
    try:
        numbers = {int(n) for n in text.split(",")}
    except ValueError:
        raise BadInput(f"--open {text!r}: allowed are none, all, or numbers of entries as 12,15") from None
    return lambda entry: entry.n in numbers


def _print_json(value: Any) -> None:
    click.echo(journal_text.json_line(value))


@contextmanager
def _progress(what: str, total: int, *, out: bool = False) -> Iterator[Callable[[int], None]]:
    """A bar on stderr while somebody watches it; not where the output itself scrolls by on the same terminal."""
    if not sys.stderr.isatty() or (out and sys.stdout.isatty()) or total < ROWS_A_TICK:
        yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def seen(n: int) -> None:
            if n % ROWS_A_TICK == 0:
                bar.update(task, completed=n)

        yield seen
