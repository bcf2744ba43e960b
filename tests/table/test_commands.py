"""`shoectl journal`: verify, show, replay, export, round."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocols.vocabulary import card_byte
from shoectl.commands import journal as command
from shoectl.errors import BadInput
from shoectl.journal import GENESIS, Broken, Journal, inner_digest, link_of, salt_of
from shoectl.table.course import Diverged
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState
from shoectl.table.summary import summary_of
from tests.timeloop import run as run_virtual

from .bench import at, entries_of, leave, table
from .by_hand import play_by_hand
from .fakes import World
from .game import WAGERS


async def _played(path: Path, world: World) -> None:
    async with table(path, world, rounds=2) as (_, running):
        await running


async def _under_way(path: Path, world: World) -> None:
    async with table(path, world, people=leave) as (runner, _):
        await runner.answer((await at(runner, "wagers")).ref, WAGERS, by="dealer")
        await at(runner, "ask")


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, World]:
    """Two rounds, with a card that two persons named and one that was set aside."""
    world = World(unreadable=(1, 3), extra_draw=1)
    run_virtual(_played(tmp_path / "j", world))
    return tmp_path / "j", world


def call(*arguments: object) -> tuple[int, str]:
    outcome = CliRunner().invoke(command.journal, [str(one) for one in arguments])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        return getattr(outcome.exception, "exit_code", 70), f"{outcome.output}{outcome.exception}"
    return outcome.exit_code, outcome.output


def lines(*arguments: object) -> list[dict[str, Any]]:
    code, text = call(*arguments)
    assert code == 0, text
    return [json.loads(line) for line in text.splitlines()]


def test_verify_says_how_far_the_chain_holds_and_its_word_is_a_pin(played: tuple[Path, World]) -> None:
    path, _ = played
    (told,) = lines("verify", path, "--json")
    assert told["ok"]
    assert told["entries"] == len(entries_of(path))
    pin = f"{told['entries']}:{told['link']}"
    assert call("verify", path)[1].strip().endswith(pin)
    assert call("verify", path, "--pin", pin)[0] == 0
    assert call("verify", path, "--pin", f"{told['entries'] + 1}:{told['link']}")[0] == 1
    assert call("verify", path, "--pin", "3")[0] == 2


def test_verify_names_the_first_bad_entry(played: tuple[Path, World]) -> None:
    path, _ = played
    raw = bytearray(path.read_bytes())
    at = raw.index(b'"number":4,"digest"')
    raw[at + 9 : at + 10] = b"5"
    path.write_bytes(bytes(raw))
    bad = next(entry.n for entry in entries_of(path) if entry.raw.startswith(b'{"number":5,"digest"'))
    code, text = call("verify", path)
    assert code == 1
    assert f"entry {bad}:" in text
    code, text = call("verify", path, "--json")
    assert json.loads(text.splitlines()[0]) | {"reason": ""} == {"ok": False, "entry": bad, "reason": ""}


@pytest.mark.parametrize("verb", ["verify", "show", "replay", "export", "round"])
def test_what_is_no_journal_is_bad_input(tmp_path: Path, verb: str) -> None:
    foreign = tmp_path / "other"
    with sqlite3.connect(foreign) as base:
        base.execute("CREATE TABLE t (x)")
    base.close()
    for path in (tmp_path / "nothing", foreign):
        code, text = call(verb, path, *([1] if verb == "round" else []))
        assert code == 2
        assert str(path) in text


def test_an_export_proves_the_chain_and_gives_no_face_away(played: tuple[Path, World]) -> None:
    path, world = played
    entries, link = lines("export", path), GENESIS
    assert [entry["n"] for entry in entries] == list(range(1, len(entries) + 1))
    for entry in entries:
        if "body" in entry:
            assert _inner(entry) == entry["inner"]
        link = hashlib.sha256(link + bytes.fromhex(entry["inner"])).digest()
        assert entry["link"] == link.hex()
    hidden = [entry for entry in entries if entry.get("hidden")]
    assert {entry["kind"] for entry in hidden} == {"event", "answer", "held", "intent", "irregularity"}
    assert not any("salt" in entry for entry in hidden)
    text = json.dumps(entries)
    assert not [card for card in world.shoe.dealt if f'"{card}"' in text]


def _inner(entry: dict[str, Any]) -> str:
    head = f"{entry['kind']} {entry['wall']} {entry['mono']} {entry['boot']}\n"
    body = json.dumps(entry["body"], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(bytes.fromhex(entry["salt"]) + head.encode() + body.encode()).hexdigest()


def test_an_auditor_is_given_the_salt_of_one_entry(played: tuple[Path, World]) -> None:
    path, world = played
    hidden = [entry["n"] for entry in lines("export", path) if entry.get("hidden") and entry["kind"] == "answer"]
    opened = {entry["n"]: entry for entry in lines("export", path, "--open", hidden[0])}
    assert opened[hidden[0]]["body"]["answer"]["card"] == str(world.shoe.dealt[0])
    assert _inner(opened[hidden[0]]) == opened[hidden[0]]["inner"]
    assert all(opened[n].get("hidden") for n in hidden[1:])
    assert not any(entry.get("hidden") for entry in lines("export", path, "--open", "all"))
    assert call("export", path, "--open", "some")[0] == 2


def test_a_round_names_every_card_from_the_draw_to_the_rack(played: tuple[Path, World]) -> None:
    path, world = played
    (told,) = lines("round", path, 1, "--json")
    cards = told["cards"]
    assert told["cleared"]
    assert [card["card"] for card in cards] == [str(card) for card in world.shoe.dealt[:7]]
    assert [card["draw"] for card in cards] == list(range(1, 8))
    assert sorted(card["rack"] for card in cards) == list(range(1, 8))
    assert [card["to"] for card in cards] == ["seat 1", "seat 2", "dealer"] * 2 + ["rack"]
    entries = {entry.n: entry for entry in entries_of(path)}
    for card in cards:
        event = entries[card["event"]["entry"]]
        assert (event.kind, event.body["seq"], event.body["body"]["idx"]) == (
            "event",
            card["event"]["seq"],
            card["draw"],
        )
    assert cards[2]["seen"] == cards[2]["entry"]  # the dealer's first card lies face up
    assert cards[0]["seen"] > cards[5]["entry"]
    assert cards[6]["note"] == "early draw"
    text = call("round", path, 1)[1]
    assert str(world.shoe.dealt[0]) in text
    assert call("round", path, 3)[0] == 2


def test_a_round_under_way_shows_no_face_that_nobody_saw(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    run_virtual(_under_way(path, world))
    (told,) = lines("round", path, 1, "--json")
    assert not told["cleared"]
    assert [card["card"] is not None for card in told["cards"]] == [card["seen"] is not None for card in told["cards"]]
    secret = {str(card) for card, told in zip(world.shoe.dealt, told["cards"], strict=True) if told["seen"] is None}
    assert len(secret) == 5
    for text in (call("round", path, 1)[1], call("show", path)[1], json.dumps(lines("show", path, "--json"))):
        assert not [card for card in secret if card in text.replace(":", " ").split()]
    assert any(entry.get("hidden") for entry in lines("show", path, "--json"))


async def _drawn_early(path: Path, world: World) -> None:
    async with table(path, world, people=leave) as (runner, _):
        await at(runner, "wagers")
        world.shoe.draw()  # lies in the mouth: the next deal takes it
        drawn = world.shoe.ring[-1]
        while runner.facts.last_seq("42-SHOE1", 1) < drawn.seq:
            await runner.next_change()


def test_a_card_that_was_drawn_and_not_dealt_yet_is_shown_to_nobody(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    run_virtual(_drawn_early(path, world))
    for told in (lines("show", path, "--json"), lines("export", path, "--open", "all")):
        hidden = [entry for entry in told if entry.get("hidden")]
        assert [entry["kind"] for entry in hidden] == ["event"]
        assert not any(f'"card": {card_byte(str(world.shoe.dealt[0]))}' in json.dumps(entry) for entry in told)
    assert "holds a face" in call("show", path)[1]


def test_an_export_opens_no_face_of_the_round_under_way(tmp_path: Path) -> None:
    world, path = World(), tmp_path / "j"
    run_virtual(_under_way(path, world))
    text = call("export", path, "--open", "all")[1]
    assert not [card for card in world.shoe.dealt if f'"{card}"' in text]


def test_show_prints_one_line_an_entry_and_one_round_if_asked(played: tuple[Path, World]) -> None:
    path, _ = played
    entries = entries_of(path)
    assert len(call("show", path)[1].splitlines()) == len(entries)
    of_two = lines("show", path, "--round", 2, "--json")
    assert of_two[0]["kind"] == "round"
    assert of_two[0]["body"]["number"] == 2
    assert of_two[-1]["n"] == entries[-1].n
    assert call("show", path, "--round", 9)[0] == 2


def test_a_journal_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal.open(path, threaded=False) as journal:
        journal.append("note", {"text": "one"})
        journal.flush_now()
        assert lines("verify", path, "--json")[0]["entries"] == 1
        assert len(lines("show", path, "--json")) == 1


def test_replay_plays_a_session_again_and_compares_every_step(tmp_path: Path) -> None:
    path = tmp_path / "j"
    asyncio.run(play_by_hand(path, rounds=3))
    (told,) = lines("replay", path, "--json")
    steps = sum(entry.kind == "step" for entry in entries_of(path))
    assert told == {"ok": True, "rounds": 3, "steps": steps, "diverged": {}}
    assert call("replay", path)[1] == f"3 rounds, {steps} steps played again\n"


def changed(path: Path, *statements: str, value: object = None) -> None:
    """Change a journal as somebody would who has its key: the chain holds again afterwards."""
    base = sqlite3.connect(path, isolation_level=None)
    base.text_factory = bytes
    triggers = base.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        base.execute(f"DROP TRIGGER {name.decode()}")
    for statement in statements:
        base.execute(statement)
    key, link = base.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()[0], GENESIS
    rows = base.execute("SELECT n, kind, wall, mono, boot, CAST(body AS BLOB) FROM entry ORDER BY n").fetchall()
    for n, kind, wall, mono, boot, body in rows:
        link = link_of(link, inner_digest(salt_of(key, n), kind.decode(), wall, mono, boot.decode(), body))
        base.execute("UPDATE entry SET link = ? WHERE n = ?", (link, n))
    for _, sql in triggers:
        base.execute(sql.decode())
    base.close()


@pytest.mark.parametrize(
    "change",
    [
        "body = 'nonsense'",
        "body = '{}'",
        "body = '[]'",
        "body = '17'",
        "body = CAST(x'ff80' AS TEXT)",
        "wall = 9000000000000000000",
        "kind = 'note', body = '{\"text\": \"\\ud800\"}'",
        "kind = 'zzz'",
        'body = replace(body, \'"number":\', \'"number":"x","n":\')',
    ],
)
def test_entries_that_no_shoectl_wrote_are_one_line_for_whoever_reads_them(tmp_path: Path, change: str) -> None:
    whole = tmp_path / "whole"
    asyncio.run(play_by_hand(whole, rounds=2))
    count = len(entries_of(whole))
    opens = next(entry.n for entry in reversed(entries_of(whole)) if entry.kind == "round")
    for n in (1, 2, opens, opens + 1, count - 20, count - 1):
        path = Path(shutil.copy(whole, tmp_path / "j"))
        changed(path, f"UPDATE entry SET {change} WHERE n = {n}")
        for verb in ("verify", "show", "replay", "export", "round"):
            code, text = call(verb, path, *([2] if verb == "round" else []))
            assert code in (0, 1) or "no round 2" in text, (n, verb, text)
        with suppress(Broken):
            summary_of(path)
        with Journal.open(path, threaded=False) as journal, suppress(Broken, Diverged, BadInput):
            Runner(journal, cycle, TableState("lunar-poker"))


def test_of_many_rounds_that_went_another_way_a_handful_is_told(tmp_path: Path) -> None:
    path = tmp_path / "j"
    asyncio.run(play_by_hand(path, rounds=8))
    changed(path, "UPDATE entry SET body = replace(body, '\"ante\",10]', '\"ante\",20]') WHERE kind = 'answer'")
    code, text = call("replay", path)
    assert code == 1
    told = [line for line in text.splitlines() if line.startswith("entry ")]
    assert len(told) == 5
    assert "and 3 more rounds" in text
    (all_of_them,) = [json.loads(line) for line in call("replay", path, "--json")[1].splitlines() if line[0] == "{"]
    assert len(all_of_them["diverged"]) == 8


def test_replay_names_the_round_that_went_another_way(tmp_path: Path) -> None:
    path, other = tmp_path / "j", tmp_path / "other"
    asyncio.run(play_by_hand(path, rounds=3))
    with Journal.open(other, threaded=False) as journal:
        number = 0
        for entry in entries_of(path):
            body = entry.body
            number += entry.kind == "round"
            if number == 2 and entry.kind == "step" and body["number"] == 4:
                body["digest"] = "0" * 16
            journal.append(entry.kind, body)
    code, text = call("replay", other)
    assert code == 1
    assert "1 of 3 rounds went another way" in text
    assert "round 2: the journal says step 4: deal" in text


def test_a_blind_hand_that_gave_cards_up_is_traced_with_what_nobody_saw(tmp_path: Path) -> None:
    path = tmp_path / "j"
    asyncio.run(play_by_hand(path, rounds=1))
    cards = lines("round", path, 1, "--json")[0]["cards"]
    assert len(cards) == 12
    assert sorted(card["rack"] for card in cards) == list(range(1, 13))
    exchanged = [card for card in cards if "nobody saw which 2" in card["note"]]
    assert len(exchanged) == 5
    assert sum(card["card"] is None for card in exchanged) == 2


def test_a_summary_counts_what_a_journal_says(tmp_path: Path) -> None:
    path = tmp_path / "j"
    asyncio.run(play_by_hand(path, rounds=6))
    told = summary_of(path)
    assert {name: told[name] for name in ("rounds", "cards_dealt", "shuffles", "counts")} == {
        "rounds": 6,
        "cards_dealt": 72,
        "shuffles": 6,
        "counts": sum(entry.body.get("takes") == "Counted" for entry in entries_of(path)),
    }
    assert told["counts"] >= 1  # no device counts here, so the dealer has to, every few rounds
    assert told["journal"] == str(path)
    booked = [entry.body["step"] for entry in entries_of(path) if entry.kind == "step"]
    lost = sum(step["amount"] for step in booked if step["do"] == "collect")
    won = sum(step["amount"] for step in booked if step["do"] == "pay")
    assert told["net"] == {"1": won - lost}
