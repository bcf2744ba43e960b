"""The journal's entries on the bus: all of them, in order, once after de-duplication, and no face."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from pathlib import Path

import jsonschema

from shoectl.journal import Reader, link_of
from shoectl.mqtt.memory import Cursor, Memory
from shoectl.mqtt.outbox import BATCH, OVERLAP, WINDOW, Outbox
from shoectl.mqtt.schemas import MESSAGES, main
from shoectl.table.visibility import may_leave

from . import backlog
from .broker import ROOT, Broker
from .listener import Listener, listening
from .tables import BASE, Hands, Table, until

SCHEMAS = ROOT / "docs" / "schemas"
KINDS = {"status": "status", "round": "round", "count": "count", "events": "events", "telemetry": "telemetry"}


def check_all(listener: Listener, table: Table) -> None:
    """Everything that is on disk was told once, in order, and as it is on disk."""
    entries = table.entries()
    told = listener.events()
    assert list(told) == [entry.n for entry in entries]
    for entry in entries:
        said = told[entry.n]
        assert said["link"] == entry.link.hex()
        if may_leave(entry.kind, entry.body):
            assert (said["kind"], said["body"]) == (entry.kind, entry.body)
        else:
            assert set(said) == {"seq", "journal", "kind", "inner", "link"}
            assert said["kind"] == "hidden"


async def all_sent(table: Table) -> None:
    """Until the broker has what the journal has."""
    await until(lambda: table.face.status().connected and table.face.status().waiting == 0)


async def test_every_entry_is_told_in_order_and_the_chain_holds_over_them(broker: Broker, table: Table) -> None:
    async with listening(broker) as there, table.life(3) as playing:
        await playing
        await all_sent(table)
        await there.until(lambda: table.runner.journal.head[0] in there.events())
        check_all(there, table)
        link = hashlib.sha256(b"shoectl journal 1").digest()
        for said in there.events().values():  # once each: a broker that is slow is told again
            if said["kind"] == "hidden":
                inner = bytes.fromhex(said["inner"])
            else:
                body = json.dumps(said["body"], ensure_ascii=False, separators=(",", ":"))
                head = f"{said['kind']} {said['wall']} {said['mono']} {said['boot']}\n"
                inner = hashlib.sha256(bytes.fromhex(said["salt"]) + head.encode() + body.encode()).digest()
            link = link_of(link, inner)
            assert link.hex() == said["link"]


async def test_messages_are_as_their_schemas_say(broker: Broker, table: Table) -> None:
    async with listening(broker) as there, table.life(2) as playing:
        await playing
        await all_sent(table)
        await there.until(lambda: there.at("telemetry") and there.at("count"))
    checked = set()
    for one in there.heard:
        kind = KINDS[one.topic.rsplit("/", 1)[1]]
        schema = json.loads((SCHEMAS / f"{kind}.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(one.json)
        checked.add(kind)
    assert checked == set(KINDS.values())


def test_the_schemas_in_docs_are_those_of_the_types(tmp_path: Path) -> None:
    main(tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {path.name: path.read_text() for path in SCHEMAS.iterdir()} == made
    assert len(made) == len(MESSAGES)


async def test_field_case_72_what_waits_through_an_outage_comes_from_the_journal_once_and_in_order(
    broker: Broker, table: Table
) -> None:
    async with listening(broker, name="steady") as there:
        async with table.life(2) as playing:
            await playing
            await all_sent(table)
        broker.stop()
        async with table.life(12, hands=Hands(1, 0)) as playing:
            await playing
            assert table.face.status().waiting > 2 * BATCH
            broker.start()
            await all_sent(table)
            await there.until(lambda: table.runner.journal.head[0] in there.events())
        check_all(there, table)
        seqs = [one.json["seq"] for one in there.at("events")]
        assert len(seqs) - len(set(seqs)) <= 2 * OVERLAP


async def test_field_case_72_what_a_backlog_takes_of_memory_does_not_grow_with_it(tmp_path: Path) -> None:
    measured = await backlog.measure(tmp_path, 6000)
    assert measured.waited > 6000
    assert measured.under_way <= WINDOW + 3, "beside events: a retained topic, the status, a birth"
    assert measured.grown_mb < backlog.MOST_MB


async def test_a_restart_goes_on_where_the_broker_was(broker: Broker, table: Table) -> None:
    async with table.life(20, hands=Hands(1, 0)) as playing:
        await playing
        await all_sent(table)
    async with listening(broker) as there, table.life(21) as playing:
        await playing
        await all_sent(table)
        await there.until(lambda: table.runner.journal.head[0] in there.events())
    assert min(there.events()) > len(table.entries()) / 2


async def test_a_journal_that_was_put_back_from_a_copy_is_told_from_its_beginning(broker: Broker, table: Table) -> None:
    async with table.life(1) as playing:
        await playing
        await all_sent(table)
    for end in ("", "-wal", "-shm"):
        table.path.with_name(f"journal{end}").unlink(missing_ok=True)
    async with listening(broker) as there, table.life(4) as playing:
        await playing
        await all_sent(table)
        await there.until(lambda: table.runner.journal.head[0] in there.events())
        check_all(there, table)


async def test_field_case_71_a_broker_that_forgot_everything_is_told_again_in_a_quiet_hour(
    broker: Broker, table: Table
) -> None:
    async with table.life(1, hands=Hands(1, by_hand=lambda do: do == "ask")):
        await all_sent(table)
        broker.stop()
        broker.forget()
        broker.start()
        await until(lambda: table.face.status().connected)
        async with listening(broker) as late:
            await late.until(
                lambda: {one.topic for one in late.heard} >= {BASE + "status", BASE + "round", BASE + "count"}
            )
            await late.until(lambda: late.at("round")[-1].json["view"] == table.runner.view("public"))


async def test_field_case_74_the_last_retained_value_is_the_newest(broker: Broker, table: Table) -> None:
    async with table.life(400, hands=Hands(1, 0.001)) as playing:
        async with listening(broker) as there:
            for _ in range(4):
                await until(lambda: table.face.status().connected)
                broker.stop()
                await asyncio.sleep(0.05)
                broker.start()
            await until(lambda: table.face.status().connected)
            table.runner.limit = table.runner.round_no
            await playing
            await all_sent(table)
            await asyncio.sleep(0.2)
            revisions = [one.json["revision"] for one in there.at("round") if not one.retained]
            assert revisions == sorted(set(revisions))
        async with listening(broker) as late:
            await late.until(lambda: late.at("round"))
            said = late.at("round")[0].json
            assert said["view"] == table.runner.view("public")
            assert (said["seq"], bytes.fromhex(said["link"])) == table.runner.journal.head


async def test_what_the_bus_keeps_is_for_its_owner_alone_and_may_be_lost(broker: Broker, table: Table) -> None:
    kept = table.path.with_name("journal-bus")
    async with table.life(1) as playing:
        await playing
        await all_sent(table)
        for path in table.path.parent.glob("journal-bus*"):
            assert path.stat().st_mode & 0o077 == 0
    kept.write_bytes(os.urandom(4096))
    async with listening(broker) as there, table.life(2) as playing:
        await playing
        await all_sent(table)
        await there.until(lambda: table.runner.journal.head[0] in there.events())
        check_all(there, table)


def test_the_cursor_counts_only_on_the_chain_that_it_was_made_on(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "bus")
    memory.keep(Cursor(3, b"link"))
    memory.close()
    memory = Memory(tmp_path / "bus")
    assert memory.cursor() == Cursor(3, b"link")
    lives = [memory.next_life(now) for now in (600.0, 0.0, 60_000.0, 0.0)]
    assert lives == [10, 11, 1000, 1001]
    memory.close()


async def test_a_reader_of_the_journal_is_not_in_the_writers_way(broker: Broker, table: Table) -> None:
    async with table.life(1) as playing:
        await playing
    outbox = Outbox(table.path)
    with Reader(table.path) as reader:
        assert [one.cursor.n for one in outbox.after(0, 10_000)] == [entry.n for entry in reader.entries()]
    outbox.close()
