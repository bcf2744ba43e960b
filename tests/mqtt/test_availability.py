"""Birth, will and clean stop: one topic, one QoS, retained; and what sets a late will right."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from .broker import TABLE, Broker
from .listener import Listener, as_user, listening
from .tables import BASE, Table, until

LIFE = "import asyncio, sys; from tests.mqtt.test_availability import one_life; asyncio.run(one_life(*sys.argv[1:]))"


def states(listener: Listener) -> list[tuple[str, str]]:
    return [(one.json["state"], one.json["reason"]) for one in listener.at("status")]


async def retained_status(broker: Broker) -> Any:
    """What somebody learns who comes now."""
    async with listening(broker) as late:
        await late.until(lambda: late.at("status"))
        assert late.at("status")[0].retained
        return late.at("status")[0].json


async def one_life(folder: str, port: str, ca: str) -> None:
    """A daemon, in a process that a test may kill."""
    at: Any = type("Broker", (), {"port": int(port), "authority": type("Authority", (), {"ca": ca})})
    async with Table(Path(folder), at).life(100_000):
        await asyncio.sleep(60)


async def test_field_case_69_after_a_kill_and_a_restart_whoever_comes_later_sees_online(
    tmp_path: Path, broker: Broker, table: Table
) -> None:
    words = [sys.executable, "-c", LIFE, str(tmp_path), str(broker.port), str(broker.authority.ca)]
    async with listening(broker) as early:
        daemon = await asyncio.create_subprocess_exec(*words, cwd=Path(__file__).parents[2])
        await early.until(lambda: early.at("status"))
        daemon.kill()
        await daemon.wait()
        await early.until(lambda: len(early.at("status")) == 2)
        async with table.life(100_000):
            await until(lambda: table.face.status().connected)
            assert (await retained_status(broker))["state"] == "online"
        await early.until(lambda: len(early.at("status")) >= 4)
        assert states(early) == [("online", ""), ("offline", "lost"), ("online", ""), ("offline", "stopped")]
        revisions = [one.json["revision"] for one in early.at("status")]
        assert revisions == sorted(set(revisions))


async def test_field_case_70_a_clean_stop_leaves_offline_and_each_device_has_its_own_word(
    broker: Broker, table: Table
) -> None:
    shoe = Device()
    async with listening(broker) as early, table.life(100_000, stations={"shoe": shoe}):
        await early.until(lambda: early.at("devices/shoe"))
        shoe.online, shoe.condition = False, "its cable is out"
        await early.until(lambda: early.at("devices/shoe")[-1].json["online"] is False)
        assert early.at("devices/shoe")[-1].json["condition"] == "its cable is out"
        assert states(early) == [("online", "")]
    assert await retained_status(broker) | {"revision": 0, "instance": ""} == {
        "state": "offline",
        "reason": "stopped",
        "revision": 0,
        "instance": "",
        "version": "1.2.3",
    }


class Device:
    """What the bus asks of a station."""

    def __init__(self) -> None:
        self.online, self.condition, self.identity, self.reconnects = True, "ready", None, 0
        self.family = type("Family", (), {"name": "birch"})
        self.counters: dict[str, int] = {}


async def test_field_case_75_a_late_will_is_set_right_at_once_and_without_a_loop(broker: Broker, table: Table) -> None:
    async with listening(broker) as there, as_user(broker, TABLE) as old, table.life(100_000):
        await there.until(lambda: there.at("status"))
        for _ in range(3):
            before = len(there.at("status"))
            will = json.dumps({"revision": 1, "state": "offline", "reason": "lost", "instance": "old", "version": "1"})
            await old.publish(BASE + "status", will, qos=1, retain=True)
            await there.until(lambda before=before: len(there.at("status")) == before + 2, within=5)
            assert states(there)[-1] == ("online", "")
        await asyncio.sleep(0.3)
        assert len(there.at("status")) == 7
        assert (await retained_status(broker))["state"] == "online"


async def test_somebody_who_insists_on_offline_is_not_answered_for_ever(broker: Broker, table: Table) -> None:
    async with listening(broker) as there, as_user(broker, TABLE) as rude, table.life(100_000):
        await there.until(lambda: there.at("status"))
        for _ in range(30):
            await rude.publish(BASE + "status", b"gone", qos=1, retain=True)
        await asyncio.sleep(0.3)
        assert 2 <= sum(b"online" in one.payload for one in there.at("status")) <= 6
        assert table.face.status().connected


async def test_two_daemons_with_one_table_and_two_names_are_told(tmp_path: Path, broker: Broker, table: Table) -> None:
    (tmp_path / "other").mkdir()
    other = Table(tmp_path / "other", broker, client_id="another")
    async with table.life(100_000):
        await until(lambda: table.face.status().connected)
        async with other.life(100_000):
            await until(lambda: "another daemon" in table.face.status().text)
            await until(lambda: table.face.status().connected and other.face.status().connected)
