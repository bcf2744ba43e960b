"""Field cases of simulators: what others may use of ours, and how far it goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_sim.hosts.memory import Bench
from protocols.message import Event, Request
from shoectl.errors import BadInput
from shoectl.transports import open_transport

SET_ID = "6465636b302e3120"
SHOES = tuple(f"birch@{address}" for address in range(2, 10))


def asked(bench: Bench, device: str, *requests: Request) -> Bench:
    """Send some requests from a host of its own and wait for each to be answered."""
    host = bench.attach(device)
    assert bench.until(lambda: host.link.up)
    for request in requests:
        before = len(host.messages)
        bench.send(host, request)
        assert bench.until(lambda: len(host.messages) > before)  # noqa: B023
    return bench


def test_field_case_148_four_shufflers_and_eight_shoes_in_one_process_and_a_back_door_that_tells_the_truth() -> None:
    began = time.process_time()
    benches = [Bench("alder", seed=n) for n in range(4)] + [Bench(*SHOES, seed=9, deck="standard")]
    for bench in benches[:4]:
        asked(bench, "alder", Request("SHUFFLE_START", 1, {"mode": 1, "deck": 0, "expected": 52}))
        bench.run(5)
        assert bench.table.state()["devices"][0]["state"] == "READY"
    shoes = benches[4]
    assert len(shoes.table.state()["devices"]) == 8
    assert all(bench.table.state()["places"] for bench in benches)
    assert time.process_time() - began < 20


def test_field_case_154_a_fake_shoe_a_clock_and_what_was_sent_need_nothing_but_the_package() -> None:
    bench = Bench("birch", seed=7, speed=math.inf)
    host = bench.attach("birch")
    assert bench.until(lambda: host.link.up)
    bench.run(2.0)
    load = {"decks": 1, "expected": 52, "set_id": SET_ID, "cut": 0}
    bench.send(host, Request("LOAD_BEGIN", 1, load))
    bench.run(0.5)
    bench.do({"do": "fill", "device": "birch", "from": "rack"})
    bench.send(host, Request("LOAD_END", 2))
    bench.run(0.5)
    bench.send(host, Request("ARM", 3, {"round": 1, "lease": 3}))
    bench.do({"do": "draw", "device": "birch", "to": ["seat 1", "seat 2", "dealer"]})
    bench.run(1.0)
    drawn = [one.body["idx"] for one in host.messages if isinstance(one, Event) and one.name == "CARD_DRAWN"]
    assert drawn == [1, 2, 3]
    assert bytes(host.sent)


def _answers(url: str) -> str:
    try:
        open_transport(url)
    except BadInput as no:
        return str(no)
    return ""


def _config(tmp_path: Path) -> Callable[[str], str]:
    from shoectl import config

    def read(url: str) -> str:
        file = tmp_path / "table.toml"
        file.write_text(f'[devices.shoe]\nurl = "{url}"\nfamily = "birch"\n')
        try:
            config.load(file)
        except BadInput as no:
            return str(no)
        return ""

    return read


@pytest.mark.parametrize("url", ["serial:///dev/shoectl/shoe", "tcp://[::1]:4001", "sim:birch?seed=7"])
def test_field_case_155_every_place_that_names_a_port_takes_the_same_urls(tmp_path: Path, url: str) -> None:
    assert _answers(url) == ""
    assert _config(tmp_path)(url) == ""


@pytest.mark.parametrize("url", ["/dev/ttyUSB0", "pigeon://loft"])
def test_field_case_155_an_unknown_scheme_is_one_line_that_lists_those_there_are(url: str) -> None:
    assert "known schemes" in _answers(url)
    assert "\n" not in _answers(url)
