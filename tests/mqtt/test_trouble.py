"""What becomes of a bus whose broker, wire, rights, certificates or name are not as they should be; the table plays."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiomqtt import MqttCodeError, MqttError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from shoectl.errors import BadInput
from shoectl.mqtt.backoff import Backoff, Takeovers
from shoectl.mqtt.reasons import words_for
from shoectl.mqtt.settings import address_of, machine

from .broker import Broker
from .listener import listening
from .outages import Outages
from .proxy import Proxy
from .tables import QUICK, SITE, Hands, Table, until
from .test_events import all_sent


async def plays_on(table: Table, rounds: int = 3) -> None:
    """The table plays so many rounds more."""
    now = table.runner.round_no
    await until(lambda: table.runner.round_no > now + rounds)


async def test_rounds_with_a_broker_that_is_killed_again_and_again(tmp_path: Path) -> None:
    await Outages(tmp_path, restarts=4, rounds=16, devices=False).run()


async def test_a_cut_wire_loses_nothing(tmp_path: Path, broker: Broker) -> None:
    async with Proxy(broker.port) as wire, listening(broker) as there:
        table = Table(tmp_path, broker, port=wire.port)
        async with table.life(100_000, hands=Hands(1, 0.001)) as _:
            for _ in range(5):
                await until(lambda: table.face.status().connected)
                await plays_on(table, 1)
                wire.cut()
                await until(lambda: not table.face.status().connected)
            await all_sent(table)
            await there.until(lambda: len(there.events()) >= table.runner.journal.head[0] - 5)
        seqs = list(there.events())
        assert seqs == list(range(1, len(seqs) + 1))
        assert wire.made >= 6


async def test_a_dead_wire_and_a_frozen_broker_are_noticed_and_the_table_plays_on(
    tmp_path: Path, broker: Broker
) -> None:
    async with Proxy(broker.port) as wire:
        table = Table(tmp_path, broker, port=wire.port)
        pace = replace(QUICK, connect=0.4, acknowledged=0.4, farewell=0.2)
        async with table.life(100_000, hands=Hands(1, 0.001), pace=pace):
            await until(lambda: table.face.status().connected)
            wire.dead = True
            await until(lambda: not table.face.status().connected)
            assert "does not answer" in table.face.status().text
            await plays_on(table)
            wire.dead = False
            await all_sent(table)
            with broker.frozen():
                await until(lambda: not table.face.status().connected)
                await plays_on(table)
            await until(lambda: table.face.status().connected)


async def test_the_end_of_the_daemon_does_not_wait_for_a_frozen_broker(broker: Broker, table: Table) -> None:
    loop = asyncio.get_running_loop()
    async with table.life(100_000):
        await until(lambda: table.face.status().connected)
        with contextlib.ExitStack() as stack:
            stack.enter_context(broker.frozen())
            thaw = stack.pop_all()
        began = loop.time()
    took = loop.time() - began
    thaw.close()
    assert took < 3.5


@pytest.mark.parametrize("what", ["events", "status"])
async def test_rights_that_forbid_are_named_and_nothing_is_taken_for_sent(
    broker: Broker, table: Table, what: str
) -> None:
    rights = broker.acl.read_text()
    lines = [line for line in rights.splitlines() if not line.endswith(f"%u/{what}")]
    broker.stop()
    broker.acl.write_text("\n".join(lines) + "\n")
    broker.start()
    async with listening(broker, name="steady") as there, table.life(100_000):
        await until(lambda: "not authorised to publish" in table.face.status().text)
        assert table.face.status().text.endswith(f"/{what}")
        assert table.face.status().sent == 0
        await plays_on(table)
        broker.stop()
        broker.acl.write_text(rights)
        broker.start()
        await all_sent(table)
        await there.until(lambda: there.events() and min(there.events()) == 1)


async def test_a_wrong_password_is_named_once_and_tried_again(
    tmp_path: Path, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    table = Table(tmp_path, broker, word="wrong")
    async with table.life(100_000):
        await until(lambda: "not authorised" in table.face.status().text)
        await plays_on(table)
        await asyncio.sleep(0.5)
        (tmp_path / "password").write_text("deal")
        await until(lambda: table.face.status().connected)
    told = [one for one in caplog.records if "not authorised" in one.getMessage()]
    assert len(told) == 1
    assert "deal" not in caplog.text


async def test_an_expired_certificate_of_the_broker_is_named(broker: Broker, table: Table) -> None:
    broker.stop()
    broker.authority.issue("server", expired=True)
    broker.start()
    async with table.life(100_000):
        await until(lambda: "certificate has expired" in table.face.status().text)
        await plays_on(table)
        broker.stop()
        broker.authority.issue("server")
        broker.start()
        await until(lambda: table.face.status().connected)


async def test_a_broker_of_another_authority_is_refused(tmp_path: Path, broker: Broker) -> None:
    (tmp_path / "other").mkdir()
    from .certificates import Authority

    table = Table(tmp_path, broker, ca=str(Authority(tmp_path / "other").ca))
    async with table.life(100_000):
        await until(lambda: "not trusted here" in table.face.status().text)


async def test_a_client_certificate_is_shown_and_an_expired_one_named(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    broker = Broker(tmp_path / "broker", f"cafile {tmp_path}/broker/ca.crt", "require_certificate true")
    broker.start()
    request.addfinalizer(broker.stop)
    cert, key = broker.authority.issue("table")
    table = Table(tmp_path, broker, cert=str(cert), key=str(key))
    async with table.life(100_000):
        await until(lambda: table.face.status().connected)
    broker.authority.issue("table", expired=True)
    async with table.life(100_000):
        await until(lambda: "our own TLS certificate expired" in table.face.status().text)
        await plays_on(table, 1)
    without = Table(tmp_path, broker)
    async with without.life(100_000):
        await until(lambda: "closed" in without.face.status().text or "TLS" in without.face.status().text)


async def test_field_case_68_of_two_daemons_with_one_identity_one_stops_and_says_why(
    tmp_path: Path, broker: Broker, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "clone").mkdir()
    clone = Table(tmp_path / "clone", broker)
    assert clone.face_of().address.client_id == table.face_of().address.client_id
    caplog.set_level(logging.WARNING)
    async with table.life(100_000), clone.life(100_000):
        both = (table, clone)
        await until(lambda: any("the bus has stopped here" in one.face.status().text for one in both))
        await until(lambda: sum(one.face.status().connected for one in both) == 1)
        stopped = next(one for one in both if not one.face.status().connected)
        assert "another client uses this id" in stopped.face.status().text
        await plays_on(stopped)
        await asyncio.sleep(1.0)
        assert sum(one.face.status().connected for one in both) == 1
    made = broker.log().count("New client connected from 127.0.0.1")
    assert made <= 2 * 5, "less than five reconnects each"
    assert sum("the table plays on, start again" in one.getMessage() for one in caplog.records) == 1


def test_field_case_68_the_id_of_a_client_holds_table_and_machine(tmp_path: Path) -> None:
    broker: Any = type("Broker", (), {"port": 1, "authority": type("Authority", (), {"ca": None})})
    address = Table(tmp_path, broker).face_of().address
    assert address.client_id == f"shoectl-{SITE}-table-12-{machine()}"
    assert len(machine()) == 8


async def test_field_case_79_a_fault_of_the_bus_itself_is_not_swallowed(
    broker: Broker, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("shoectl.mqtt.contents.retained", broken)
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with table.life(100_000):
            await asyncio.sleep(10)


async def test_a_memory_that_cannot_be_written_refuses_commands_and_is_told(
    tmp_path: Path, broker: Broker, table: Table
) -> None:
    (tmp_path / "journal-bus").mkdir()
    async with table.life(100_000):
        await until(lambda: "its file beside the journal" in table.face.status().text)
        await plays_on(table, 1)
        (tmp_path / "journal-bus").rmdir()
        await all_sent(table)


def code(value: int) -> MqttError:
    error = MqttError("Disconnected during message iteration")
    error.__cause__ = MqttCodeError(ReasonCode(PacketTypes.DISCONNECT, identifier=value), "x")
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (code(0x8E), "another client uses this id"),
        (code(0x8B), "the broker is shutting down"),
        (ConnectionRefusedError(), "nothing listens at the broker's address"),
        (TimeoutError(), "the broker does not answer"),
        (OSError(113, "No route to host"), "the broker cannot be reached: no route to host"),
        (ssl.SSLError(1, "x"), "TLS with the broker fails: no reason given"),
        (MqttError("?"), "the broker does not answer, or is gone"),
    ],
)
def test_reasons_are_told_in_plain_words(error: Exception, words: str) -> None:
    assert words_for(error) == words


def test_waits_double_to_a_cap_with_a_share_of_chance_and_begin_anew_after_a_steady_time() -> None:
    late = Backoff(1, 60, 30, chance=lambda: 0.0)
    assert [late.after(0) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert late.after(29) == 60
    assert [late.after(31), late.after(0)] == [1, 2]
    early = Backoff(1, 60, 30, chance=lambda: 1.0)
    assert [early.after(0) for _ in range(3)] == [0.5, 1, 2]
    both = {Backoff(1, 60, 30).after(0) for _ in range(20)}
    assert len(both) > 10


def test_three_takeovers_in_ten_minutes_are_enough() -> None:
    counted = Takeovers(3, 600)
    assert [counted.another(at) for at in (0, 400, 800, 900, 950)] == [False, False, False, True, True]


@pytest.mark.parametrize("field", ["ca", "cert", "password"])
def test_files_that_are_not_there_are_named_before_anything_begins(tmp_path: Path, field: str) -> None:
    broker: Any = type("Broker", (), {"port": 1, "authority": type("Authority", (), {"ca": None})})
    gone = str(tmp_path / "gone")
    more: dict[str, Any] = {"cert": {"cert": gone, "key": gone}, "ca": {"ca": gone}}.get(field, {})
    table = Table(tmp_path, broker, **more)
    if field == "password":
        (tmp_path / "password").chmod(0o644)
    with pytest.raises(BadInput) as caught:
        address_of(table.bus, SITE, "table-12")
    assert "\n" not in str(caught.value)
