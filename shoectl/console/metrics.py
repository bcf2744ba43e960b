"""Metrics for Prometheus: counts and conditions, from this list and no other. No card, no wager, no person.

All of them are looked up when somebody asks; nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from shoectl import __version__
from shoectl.console.face import Face

KIND: Final = "text/plain; version=0.0.4; charset=utf-8"
LINK: Final = ("resends", "repeats", "dropped", "bad_crc", "stale", "resets", "reconnects")  # of a station's counters


class Metrics(Collector):
    """One table's metrics."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)

    def describe(self) -> Iterator[Metric]:
        """Nothing ahead of time."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """All of them, as they are now."""
        yield InfoMetricFamily("shoectl", "The program", value={"version": __version__})
        yield from self._table()
        yield from self._devices()
        yield from self._beside()
        yield from self._console()

    def _table(self) -> Iterator[Metric]:
        runner = self._face.desk.runner
        held = any(hold.word is None for hold in runner.facts.holds) if runner.open is not None else False
        yield _gauge("running", "Whether the table plays (0: it stopped)", runner.stopped is None)
        yield _gauge("round", "Number of the round", runner.round_no)
        yield _gauge("rounds_last_hour", "Rounds begun within an hour", self._face.history.pace())
        yield _gauge("rounds_since_count", "Rounds since a deck was counted", runner.state.rounds_since_count)
        yield _gauge("held", "Whether a hold waits for people", held)
        yield _gauge("journal_entries", "The last entry of the journal", runner.journal.last)
        yield _gauge("journal_writable", "Whether the journal can be written", not runner.condition)

    def _devices(self) -> Iterator[Metric]:
        online = GaugeMetricFamily("shoectl_device_online", "Whether a device is there", labels=["place", "family"])
        link = CounterMetricFamily("shoectl_device_link", "What a link counts", labels=["place", "what"])
        answer = GaugeMetricFamily("shoectl_device_answer_ms", "Time of the last answer", labels=["place"])
        for name, one in self._face.stations.items():
            online.add_metric([name, one.family.name], one.online)
            counted = one.counters
            for what in LINK:
                link.add_metric([name, what], counted.get(what, 0))
            answer.add_metric([name], counted.get("answer_ms", 0))
        yield from (online, link, answer)

    def _beside(self) -> Iterator[Metric]:
        bus, upkeep = self._face.bus(), self._face.upkeep()
        if bus is not None:
            yield _gauge("bus_connected", "Whether the broker is there", bus.connected)
            yield _gauge("bus_sent", "The last entry that the broker has", bus.sent)
            yield _gauge("bus_waiting", "Entries that wait for the broker", bus.waiting)
            yield _counter("bus_commands_done", "Commands carried out", bus.done)
            refused = CounterMetricFamily("shoectl_bus_commands_refused", "Commands refused, and why", labels=["why"])
            for why, number in bus.refused.items():
                refused.add_metric([why], number)
            yield refused
        if upkeep is not None:
            yield _gauge("disk_free_bytes", "Room for the journal", upkeep.free)
            yield _gauge("backup_timestamp_seconds", "When the journal was last copied", upkeep.backup_at or 0)

    def _console(self) -> Iterator[Metric]:
        face = self._face
        yield _gauge("console_streams", "Pages that are open", len(face.stream))
        yield _gauge("console_sessions", "Sessions", len(face.people.sessions))
        yield _counter("console_signin_failures", "Wrong PINs, tokens and links", face.people.failures)
        yield _counter("console_refused", "Requests that were not let through", face.counts.refused)
        yield _counter("console_faults", "Requests in which something broke", face.counts.faults)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"shoectl_{name}", text, value=float(value))


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"shoectl_{name}", text, value=float(value))
