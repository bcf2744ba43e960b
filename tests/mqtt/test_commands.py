"""Commands: what is carried out, and what is refused, counted and answered."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiomqtt
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoectl.mqtt import authority
from shoectl.mqtt.commands import COMMANDS, LARGEST, WHYS, Answer, CommandRefused, read
from shoectl.mqtt.connection import PACKET_MOST
from shoectl.mqtt.topics import Topics
from shoectl.people.persons import Operators
from shoectl.people.register import Record, Register

from .broker import PIT, ROOT, Broker
from .listener import as_user
from .malformed import MALFORMED, said
from .tables import BASE, Hands, Table, until

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
REPLY = f"{BASE}reply/{PIT}/1"
numbers = itertools.count(1)


class Pit:
    """A system that commands."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.replies: dict[bytes, Any] = {}
        self.came = asyncio.Event()

    async def send(self, name: str, payload: bytes, *, at: str = REPLY, retain: bool = False) -> bytes:
        mark = b"%d" % next(numbers)
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = at, mark
        await self.client.publish(f"{BASE}cmd/{name}", payload, qos=1, retain=retain, properties=properties)
        return mark

    async def ask(self, name: str, command: Mapping[str, Any] | bytes) -> Any:
        """Command, and wait for the answer."""
        payload = command if isinstance(command, bytes) else json.dumps(command).encode()
        mark = await self.send(name, payload)
        async with asyncio.timeout(40):
            while mark not in self.replies:
                self.came.clear()
                await self.came.wait()
        schema = json.loads((ROOT / "docs" / "schemas" / "reply.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(self.replies[mark])
        return self.replies[mark]

    async def hear(self) -> None:
        await self.client.subscribe(f"{BASE}reply/{PIT}/#", qos=1)
        async for message in self.client.messages:
            self.replies[message.properties.CorrelationData] = json.loads(message.payload)
            self.came.set()


@contextlib.asynccontextmanager
async def commanding(broker: Broker) -> AsyncIterator[Pit]:
    async with as_user(broker, PIT) as client, asyncio.TaskGroup() as group:
        pit = Pit(client)
        hearing = group.create_task(pit.hear())
        await asyncio.sleep(0.05)
        yield pit
        hearing.cancel()


def asking() -> Hands:
    """Hands that leave the players' decisions to others."""
    return Hands(1, by_hand=lambda do: do == "ask")


@contextlib.asynccontextmanager
async def at_an_ask(table: Table, **more: Any) -> AsyncIterator[str]:
    """A table that waits for a decision. Yields the step."""
    async with table.life(100_000, hands=asking(), **more):
        await until(lambda: table.face.status().connected and table.runner.open and table.runner.open.step.do == "ask")
        yield step_of(table)


def step_of(table: Table) -> str:
    assert table.runner.open is not None
    ref = table.runner.open.ref
    return f"{ref.round}.{ref.step}.{ref.part}"


def refused(table: Table) -> Mapping[str, int]:
    assert table.face._intake is not None
    return table.face._intake.refused


def executed(table: Table) -> list[str]:
    """Who has answered what."""
    return [entry.body["by"] for entry in table.entries() if entry.kind == "answer" and entry.body["by"] != "815"]


async def test_a_decision_is_answered_and_its_entry_named(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit, at_an_ask(table) as step:
        listed = await pit.ask("list", said("list"))
        assert [one["ref"] for one in listed["steps"]] == [step]
        assert listed["view"] == table.runner.view("public")
        done = await pit.ask("answer", said("answer", step=step, **{"with": {"choice": "fold"}}))
        assert done["ok"]
        entry = table.entries()[done["entry"] - 1]
        assert (entry.kind, entry.body["answer"]["choice"], entry.body["by"]) == ("answer", "fold", "dealer")
        late = await pit.ask("answer", said("answer", step=step))
        assert (late["ok"], late["why"]) == (False, "not allowed")


async def test_what_is_not_allowed_is_refused_counted_and_not_done(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit, at_an_ask(table) as step:
        ago = (datetime.now(UTC) - timedelta(seconds=11)).isoformat()
        ahead = (datetime.now(UTC) + timedelta(seconds=15)).isoformat()
        refusals = {
            "stale": [said("answer", step=step, issued_at=ago), said("answer", step=step, issued_at=ahead)],
            "unauthorised": [
                said("answer", step=step, by="floor"),
                said("answer", step=step, by="nobody"),
                said("answer", step=step, by="seat1"),
                said("held", step=step, also="stranger"),
                said("held", step=step, how="give up"),
            ],
            "oversized": [b"x" * (LARGEST + 1)],
            "not allowed": [said("answer", step="9.9.9"), said("answer", step=step, **{"with": {"choice": "win"}})],
        }
        for why, commands in refusals.items():
            for command in commands:
                told = await pit.ask("answer" if isinstance(command, bytes) or "with" in command else "held", command)
                assert (told["ok"], told["why"]) == (False, why), command
            assert refused(table)[why] == len(commands)
        assert (await pit.ask("deal", said("list")))["why"] == "unknown"
        assert sum(table.face.status().refused.values()) == sum(map(len, refusals.values())) + 1
        assert step_of(table) == step
    assert executed(table) == []


async def test_field_case_73_a_retained_command_is_never_done(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit:
        async with at_an_ask(table) as step:
            await pit.send("answer", json.dumps(said("answer", step=step)).encode(), retain=True)
            await until(lambda: refused(table)["retained"] == 1)
        async with at_an_ask(table) as step:  # the daemon starts again
            await until(lambda: refused(table)["retained"] == 1)
            assert step_of(table) == step
    async with at_an_ask(table) as step:
        await until(lambda: refused(table)["retained"] == 1)
        broker.stop()  # and the broker, too
        broker.start()
        await until(lambda: refused(table)["retained"] == 2)
        assert step_of(table) == step
    assert executed(table) == []


async def test_field_case_73_one_id_is_done_once_through_restarts(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit:
        async with at_an_ask(table) as step:
            command = said("answer", step=step)
            assert (await pit.ask("answer", command))["ok"]
            again = await pit.ask("answer", said("answer", id=command["id"], step=step_of(table)))
            assert again["why"] == "repeated"
        async with at_an_ask(table):
            again = await pit.ask("answer", said("answer", id=command["id"], step=step_of(table)))
            assert again["why"] == "repeated"
    assert len(executed(table)) == 1


async def test_an_answer_goes_to_no_topic_of_another_table(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit, at_an_ask(table) as step:
        command = json.dumps(said("answer", step=step)).encode()
        await pit.send("answer", command, at=f"{BASE}status")
        await pit.send("answer", command, at="shoectl/v1/main/other/round")
        await until(lambda: refused(table)["reply topic"] == 2)
        assert step_of(table) == step


async def test_the_register_says_who_may(broker: Broker, table: Table) -> None:
    people = [Record(number=n, name="x", role=role) for n, role in ((1, "observer"), (2, "dealer"), (3, "floor"))]
    async with commanding(broker) as pit, at_an_ask(table, persons=Register(people=people)) as step:
        assert (await pit.ask("list", said("list", by="1")))["ok"]
        for by in ("1", "3", "4", "dealer"):
            assert (await pit.ask("answer", said("answer", step=step, by=by)))["why"] == "unauthorised"
        assert (await pit.ask("answer", said("answer", step=step, by="2")))["ok"]


async def test_a_floor_step_needs_the_floor(broker: Broker, table: Table) -> None:
    async with commanding(broker) as pit, at_an_ask(table) as step:
        held = await pit.ask("held", said("held", step=step))
        assert held["why"] == "not allowed"
        assert table.runner.open is not None
        object.__setattr__(table.runner.open, "step", type("Verify", (), {"do": "verify"})())
        command = Answer.model_validate_json(json.dumps(said("answer", step=step)))
        with pytest.raises(CommandRefused, match="dealer is dealer; this is for floor"):
            authority.check(command, table.runner, Operators(lambda: table.runner.state.operators))
        floor = Answer.model_validate_json(json.dumps(said("answer", step=step, by="floor")))
        authority.check(floor, table.runner, Operators(lambda: table.runner.state.operators))


@pytest.mark.parametrize("payload", MALFORMED, ids=range(len(MALFORMED)))
def test_each_malformed_kind_is_refused_in_one_line_that_repeats_nothing(payload: bytes) -> None:
    with pytest.raises(CommandRefused) as caught:
        read("answer", payload, retained=False, now=datetime.now(UTC).timestamp())
    assert caught.value.why == "malformed"
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
    assert "yesterday" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "text"),
    [
        ("list", b', "by": "12"', "a key stands there twice"),
        ("list", {"id": "a b"}, "id: 1 to 64 letters, digits, '_', '.', ':' and '-' are allowed"),
        ("list", {"by": "Ana M"}, "by: 1 to 40 letters, digits, '_', '.' and '-' are allowed"),
        (
            "answer",
            {"step": "12"},
            "step: a step as it is listed is expected: round.step or round.step.part, as 12.7.0",
        ),
    ],
)
def test_what_is_malformed_says_in_words_what_is_allowed(name: str, change: Any, text: str) -> None:
    more = change if isinstance(change, bytes) else b""
    payload = json.dumps(said(name, **({} if more else change)))[:-1].encode() + more + b"}"
    with pytest.raises(CommandRefused) as caught:
        read(name, payload, retained=False, now=datetime.now(UTC).timestamp())
    assert (caught.value.why, str(caught.value)) == ("malformed", text)


@given(st.sampled_from(sorted(COMMANDS)), st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_no_bytes_are_a_command_by_chance(name: str, payload: bytes) -> None:
    with pytest.raises(CommandRefused):
        read(name, payload, retained=False, now=0)


@given(st.floats(-100, 100))
def test_a_command_is_good_for_ten_seconds(age: float) -> None:
    issued = NOW - timedelta(seconds=age)
    payload = json.dumps(said("list", issued_at=issued.isoformat())).encode()
    if abs(age) < 9.99:
        assert read("list", payload, retained=False, now=NOW.timestamp()).by == "dealer"
    elif abs(age) > 10.01:
        with pytest.raises(CommandRefused) as caught:
            read("list", payload, retained=False, now=NOW.timestamp())
        assert caught.value.why == "stale"


def test_every_command_has_a_schema_that_takes_what_is_taken() -> None:
    for name in COMMANDS:
        schema = json.loads((ROOT / "docs" / "schemas" / f"cmd-{name}.json").read_text())
        good = said(name)
        jsonschema.Draft202012Validator(schema).validate(good)
        read(name, json.dumps(good).encode(), retained=False, now=datetime.now(UTC).timestamp())


@pytest.mark.parametrize(
    ("topic", "good"),
    [
        ("answers/here", True),
        (BASE + "reply/pit/1", True),
        (BASE + "reply", False),
        (BASE + "status", False),
        ("shoectl", False),
        ("shoectl/v1/x/y/reply/z", False),
        ("$SYS/x", False),
        ("a/+", False),
        ("a/#", False),
        ("", False),
        ("a" * 201, False),
    ],
)
def test_where_an_answer_may_go(topic: str, good: bool) -> None:
    assert Topics("main", "table-12").may_answer_at(topic) is good


async def test_a_flood_is_refused_and_counted_and_the_table_plays_on(broker: Broker, table: Table) -> None:
    flood = [
        *MALFORMED,
        b"x" * LARGEST,
        b"x" * (LARGEST + 1),
        b"y" * (PACKET_MOST + 1),
        json.dumps(said("list")).encode(),
    ]
    async with table.life(100_000, hands=Hands(1, 0.001)):
        await until(lambda: table.face.status().connected)
        played = table.runner.round_no
        async with as_user(broker, PIT, max_queued_outgoing_messages=0) as client:
            async with asyncio.timeout(20):
                while not refused(table)["dropped"] or table.runner.round_no < played + 4:
                    for payload in flood * 4:
                        await client.publish(f"{BASE}cmd/answer", payload, qos=0)
                    await asyncio.sleep(0.05)
            counted = refused(table)
            assert set(counted) <= set(WHYS)
            assert counted["malformed"]
            assert counted["dropped"]
        await until(lambda: table.face.status().connected and table.face.status().waiting < 50)
    assert executed(table) == []


def test_whoever_is_asked_in_vain_is_no_person(tmp_path: Path) -> None:
    register = Register(tmp_path / "none")
    assert [register.role_of(by) for by in ("1", "", "-1", "٣", "9" * 40)] == [None] * 5


def test_a_person_has_one_number_and_it_is_written_in_one_way(tmp_path: Path) -> None:
    people = Register(people=[Record(number=815, name="Ana", role="floor")])
    assert [people.role_of(by) for by in ("815", "0815", "00815", "+815", " 815")] == ["floor", *[None] * 4]


async def test_a_register_that_cannot_be_read_is_said_without_its_place(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text("{")
    async with at_an_ask(table):
        payload = json.dumps(said("list", by="815")).encode()
        command = read("list", payload, retained=False, now=datetime.now(UTC).timestamp())
        with pytest.raises(CommandRefused, match="register of people cannot be read") as caught:
            authority.check(command, table.runner, Register(path))
    assert str(path) not in str(caught.value)
