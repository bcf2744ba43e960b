"""What monitors and programs read: metrics from a list, health, the OpenAPI document, the devices' history."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from prometheus_client.parser import text_string_to_metric_families

from shoectl.console import history
from shoectl.games.answers import Fed, Shuffled, Started
from shoectl.journal import Entry, Reader
from shoectl.status import BusStatus, UpkeepStatus
from shoectl.table.openstep import Stop
from tests.exits.faces import faces_in
from tests.session.scenes import BY_DEVICES, table

from .sitting import Sitting, sitting

BUS, UPKEEP = BusStatus(False, 10, 3, 5, {"stale": 2}, "the broker is away"), UpkeepStatus(free=10**9)
METRICS = {  # whatever is added here holds no card, no wager and no person
    "shoectl_info",
    "shoectl_running",
    "shoectl_round",
    "shoectl_rounds_last_hour",
    "shoectl_rounds_since_count",
    "shoectl_held",
    "shoectl_journal_entries",
    "shoectl_journal_writable",
    "shoectl_device_online",
    "shoectl_device_link",
    "shoectl_device_answer_ms",
    "shoectl_bus_connected",
    "shoectl_bus_sent",
    "shoectl_bus_waiting",
    "shoectl_bus_commands_done",
    "shoectl_bus_commands_refused",
    "shoectl_disk_free_bytes",
    "shoectl_backup_timestamp_seconds",
    "shoectl_console_streams",
    "shoectl_console_sessions",
    "shoectl_console_signin_failures",
    "shoectl_console_refused",
    "shoectl_console_faults",
}


async def test_metrics_are_those_of_the_list_and_prometheus_reads_them(tmp_path: Path) -> None:
    async with sitting(tmp_path, bus=lambda: BUS, upkeep=lambda: UPKEEP) as sat:
        await sat.until("ask")
        answer = await sat.browser().get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        families = {one.name: one for one in text_string_to_metric_families(answer.text)}
        assert set(families) == METRICS
        assert families["shoectl_bus_waiting"].samples[0].value == 3
        assert families["shoectl_journal_entries"].samples[0].value == sat.runner.journal.last
        labels = {name for one in families.values() for sample in one.samples for name in sample.labels}
        assert labels <= {"version", "place", "family", "what", "why"}
        assert not faces_in(answer.text)


async def test_health_says_which_part_is_how(tmp_path: Path) -> None:
    async with sitting(tmp_path, bus=lambda: BUS) as sat:
        browser = sat.browser()
        well = await browser.get("/healthz")
        assert (well.status_code, well.json()["ok"], well.json()["bus"]) == (200, True, "the broker is away")
        sat.runner.condition = "the journal cannot be written: no space left on the device"
        full = await browser.get("/healthz")
        assert (full.status_code, full.json()["ok"]) == (503, False)
        assert "no space left" in full.json()["journal"]
        sat.runner.condition = ""
        sat.runner.stopped = Stop("idle", "nobody came", "start it again")
        stopped = await browser.get("/healthz")
        assert (stopped.status_code, stopped.json()["table"]) == (503, "stopped: nobody came")
        sat.runner.stopped = None


def resolved(schema: Any, document: dict[str, Any]) -> Any:
    """A schema with its references put in."""
    match schema:
        case {"$ref": str(ref)}:
            return resolved(document["components"]["schemas"][ref.rpartition("/")[2]], document)
        case dict():
            return {key: resolved(value, document) for key, value in schema.items()}
        case list():
            return [resolved(value, document) for value in schema]
    return schema


async def test_the_openapi_document_is_one_and_true(tmp_path: Path) -> None:
    async with sitting(tmp_path) as sat:
        document = (await sat.browser().get("/api/v1/openapi.json")).json()
        assert document["openapi"].startswith("3.1")
        assert set(document["components"]["securitySchemes"]) == {"token", "session"}
        for schema in document["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)
        names = {one["operationId"] for path in document["paths"].values() for one in path.values()}
        assert len(names) == sum(map(len, document["paths"].values()))
        program = sat.program(4711)
        looks = [path for path, methods in document["paths"].items() if "get" in methods and "stream" not in path]
        for path in looks:
            answer = await program.get(path)
            schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.validate(answer.json(), resolved(schema, document))
        error = resolved({"$ref": "#/components/schemas/Error"}, document)
        for path, methods in document["paths"].items():
            if "post" in methods:
                refused = await program.client.post(path, json={"more": 1} if "floor" not in path else {})
                if refused.status_code != 204:
                    assert str(refused.status_code) in methods["post"]["responses"], path
                    jsonschema.validate(refused.json(), error)


async def test_every_route_is_in_the_document_or_is_a_page(tmp_path: Path) -> None:
    """So that a route that is added later is thought of: its role, its headers, what it shows."""
    async with sitting(tmp_path) as sat:
        document = (await sat.browser().get("/api/v1/openapi.json")).json()
        assert set(document["paths"]) == {
            "/api/v1/me",
            "/api/v1/view",
            "/api/v1/steps",
            "/api/v1/devices",
            "/api/v1/stream",
            "/api/v1/answer",
            "/api/v1/held",
            "/api/v1/report",
            "/api/v1/call-floor",
        }
        for path in ("/docs", "/redoc", "/openapi.json", "/api/v1/", "/static/", "/.env", "/act/answer"):
            assert (await sat.program(4711).get(path)).status_code in (404, 405), path


async def test_verdicts_and_the_pace_come_from_the_journal(tmp_path: Path) -> None:
    async with sitting(tmp_path, table(BY_DEVICES)) as sat:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(sat.face.history.follow())
            await shuffled(sat)
            async with asyncio.timeout(5):
                while not sat.face.history.verdicts("shuffler"):  # noqa: ASYNC110 (read in a thread)
                    await asyncio.sleep(0.05)
            (verdict,) = sat.face.history.verdicts("shuffler")
            following.cancel()
        assert (verdict["verdict"], verdict["counted"]) == ("proven", 52)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", verdict["at"])
        assert sat.face.history.pace() == 1
        assert json.dumps(verdict)


async def shuffled(sat: Sitting) -> None:
    """Have the shuffler say that the deck is shuffled and proven."""
    answers: dict[str, Any] = {
        "feed_shuffler": Fed(True),
        "start_shuffle": Started(1, 1),
        "await_shuffle": Shuffled(True, counted=52, cycle=1, identity=True),
    }
    while "await_shuffle" in answers:
        step = sat.runner.open
        assert step is not None
        await sat.runner.answer(step.ref, answers.pop(step.step.do), by="shuffler")


async def test_the_history_ends_what_it_reads_before_it_lets_go_of_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class Slow(Reader):
        def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
            read.append("begun")
            time.sleep(0.3)
            yield from super().entries(first, last)
            read.append("ended")

        def close(self) -> None:
            read.append("closed")
            super().close()

    monkeypatch.setattr(history, "Reader", Slow)
    async with sitting(tmp_path) as sat:
        following = asyncio.ensure_future(sat.face.history.follow())
        async with asyncio.timeout(20):
            while not read:  # noqa: ASYNC110 a thread says it
                await asyncio.sleep(0.01)
        following.cancel()
        await asyncio.wait([following])
    assert read == ["begun", "ended", "closed"]
