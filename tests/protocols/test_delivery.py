"""Whatever a cable does below the number of tries, each message arrives once and in order, and the link stays up."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocols.link import Side
from protocols.message import Request
from tests.protocols.cables import HARMS, Bench, Delaying, OneByte
from tests.protocols.golden import family, plain
from tests.protocols.rigs import answers, bench, downs, firmware, harmful, heard_events

BOTH = pytest.mark.parametrize("name", ["alder", "birch"])


def limits(name: str, kind: str) -> tuple[int, int]:
    """How many writings in a row may be harmed, and how many go through then, so that no number of tries is passed.

    Noise behind a command to a Birch can swallow the next one too.
    """
    if name == "alder":
        return 3, 40
    return (1, 3) if kind in ("noisy", "any") else (2, 2)


def traffic(rig: Bench, rng: random.Random, requests: int, events: int) -> None:
    """Requests and events at odd moments, until all of them must have arrived."""
    rig.up()
    number = 0
    while requests or events:
        if requests and (not events or rng.random() < 0.5):
            requests -= 1
            number += 1
            rig.host.send(Request("CONFIG_GET", number, {"key": number % 5}), rig.now)
        else:
            events -= 1
            firmware(rig).record(rig.now)
        rig.run(rng.choice([0.0, 0.001, 0.03, 0.2, 1.5]))
    rig.run(60, until=lambda: len(answers(rig)) == number and len(heard_events(rig)) == firmware(rig).newest)


def assert_each_once(rig: Bench) -> None:
    asked = [request.body["key"] for request in firmware(rig).asked]
    assert answers(rig) == list(range(1, len(asked) + 1))
    assert asked == [number % 5 for number in answers(rig)]
    assert heard_events(rig) == list(range(1, firmware(rig).newest + 1))
    assert downs(rig) == []


@BOTH
@pytest.mark.parametrize("kind", [*HARMS, "any"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.05, 0.3, 1.0]))
def test_harm_below_the_limit_is_not_noticed_above(name: str, kind: str, seed: int, rate: float) -> None:
    rig = harmful(name, kind, seed, rate, *limits(name, kind))
    traffic(rig, random.Random(seed), requests=8, events=12)
    assert_each_once(rig)


@BOTH
def test_one_byte_at_a_time(name: str) -> None:
    rig = bench(name, OneByte(), OneByte())
    traffic(rig, random.Random(1), requests=20, events=20)
    assert_each_once(rig)


@BOTH
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_delays_of_an_adapter(name: str, seed: int) -> None:
    """16 to 40 ms are usual for USB adapters; both families allow for them."""
    rng = random.Random(seed)
    rig = bench(name, Delaying(rng, 0.016), Delaying(rng, 0.040))
    traffic(rig, rng, requests=8, events=12)
    assert_each_once(rig)


@BOTH
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_harm_above_the_limit_ends_in_a_link_that_stands_again(name: str, seed: int) -> None:
    """Requests may be lost with the link, never done twice within one; events come again, in order."""
    rig = harmful(name, "any", seed, 0.8, 10_000, 1)
    rig.up()
    rng = random.Random(seed)
    for number in range(1, 15):
        if rig.host.up:
            rig.host.send(Request("CONFIG_GET", number, {"key": 1}), rig.now)
        firmware(rig).record(rig.now)
        rig.run(rng.random())
    rig.to_device.luck.awake = False  # type: ignore[attr-defined]
    rig.run(20)
    assert rig.host.up
    assert set(heard_events(rig)) == set(range(1, 15))
    assert len(answers(rig)) == len(set(answers(rig)))
    rig.host.send(Request("CONFIG_GET", 99, {"key": 1}), rig.now)
    rig.run(1)
    assert answers(rig)[-1] == 99


FRAMES = [vector.data for vector in plain("vectors", "malformed", "decode_only")]


@BOTH
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pieces=st.lists(
        st.tuples(
            st.one_of(st.binary(max_size=40), st.sampled_from(FRAMES), st.sampled_from(FRAMES).map(lambda f: f[1:-1])),
            st.sampled_from([0.0, 0.001, 0.02, 0.08, 1.1, 7.0]),
        ),
        max_size=25,
    )
)
def test_no_bytes_raise(name: str, pieces: list[tuple[bytes, float]]) -> None:
    for side in Side:
        link = family(name).make_link(side)
        rig = bench(name)
        link.resume = firmware(rig).resume
        now = 0.0
        link.open(now)
        for data, pause in pieces:
            link.receive(data, now)
            link.output(now)
            now += pause
            link.tick(now)
            link.output(now)
            link.deadline()
        assert link.counters.bytes_in == sum(len(data) for data, _ in pieces)


@BOTH
def test_a_babbling_line_costs_a_bounded_buffer(name: str) -> None:
    rig = bench(name)
    rig.open()
    rig.run(1)
    noise = random.Random(5)
    for _ in range(200):
        for link in (rig.host, rig.device):
            link.receive(noise.randbytes(1000), rig.now)
        rig.run(0.05)
    rig.run(10)
    assert rig.host.up
