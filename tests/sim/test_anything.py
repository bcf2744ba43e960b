"""Whatever people, hosts, faults and power do to a table: no card is lost, no event number, and nobody falls over."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_sim.catalogue import Kind, had_by
from firmware_sim.hosts.control import answer_order
from firmware_sim.movements import MOVEMENTS
from protocols.message import Response
from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk

PLACES = ("rack", "hand", "seat 1", "dealer", "alder.infeed", "birch.mouth", "off")

NUMBERS = {"card": 2, "frame": 9, "event": 7, "draw": 2, "write": 40, "lasts": 1, "records": 30}
NEW_EPOCH = ("wiped", "other_unit")


def spelled(family: str, kind: Kind) -> list[str]:
    """A kind as it is written, with each number that would make it strike early."""
    keys = [key for key in kind.keys_of(family) if key in NUMBERS]
    return [f"{family}:{kind.name}@{key}={NUMBERS[key]}" for key in keys] or [f"{family}:{kind.name}"]


faults = st.sampled_from(
    [
        spec
        for kind in had_by("alder", "birch").values()
        for family in kind.families
        if family in ("alder", "birch")
        for spec in spelled(family, kind)
        if kind.name != "no_count"
    ]
)
movements = st.fixed_dictionaries(
    {"do": st.sampled_from(sorted(MOVEMENTS)), "device": st.sampled_from(["alder", "birch"])},
    optional={
        "from": st.sampled_from(PLACES),
        "to": st.sampled_from(PLACES) | st.lists(st.sampled_from(PLACES), max_size=4),
        "place": st.sampled_from(PLACES),
        "cards": st.integers(0, 9),
        "deck": st.sampled_from([0, 1]),
    },
)
commands = st.sampled_from(
    [
        ("alder", "SHUFFLE_START", {"mode": 1, "deck": 0, "expected": 52}),
        ("alder", "SHUFFLE_START", {"mode": 2, "deck": 1, "expected": 0}),
        ("alder", "PRESENT", {"deck": 0, "override_by": 815}),
        ("alder", "RETRACT", {"deck": 0}),
        ("alder", "ABORT", {}),
        ("alder", "CONFIRM_DECK", {"deck": 0, "back": 1, "count": 52}),
        ("birch", "LOAD_BEGIN", {"decks": 1, "expected": 52, "set_id": SET_ID, "cut": 3}),
        ("birch", "LOAD_END", {}),
        ("birch", "ARM", {"round": 1, "lease": 3}),
        ("birch", "DISARM", {}),
        ("birch", "SHOE_CLOSE", {"residual": 0}),
    ]
)
times = st.sampled_from([0.02, 0.3, 1.5])
actions = st.one_of(
    st.tuples(st.just("move"), movements),
    st.tuples(st.just("send"), commands),
    st.tuples(st.just("run"), times),
    st.tuples(st.just("cut"), st.sampled_from(["alder", "birch"])),
    st.tuples(st.just("clear"), st.sampled_from(["alder", "birch"])),
    st.tuples(st.just("acknowledge"), st.sampled_from(["alder", "birch"])),
)


def act(desk: Desk, number: int, what: str, how: Any) -> None:
    table = desk.bench.table
    match what:
        case "move":
            answer_order(table, {**how, "id": f"m{number}"}, lambda reply: None)
        case "send":
            device, type, body = how
            if desk.hosts[device].link.up:
                desk.send(device, type, **body)
        case "run":
            desk.run(how)
        case "cut":
            table.machines[how].power_cut()
        case "clear" if desk.hosts[how].link.up and table.machines[how].device:
            for _, seq in table.machines[how].device.faults:
                desk.send(how, "CLEAR_FAULT", fault_seq=seq, operator=4711)
        case "acknowledge" if desk.hosts[how].link.up and desk.events(how):
            desk.send(how, "EVENT_ACK" if how == "alder" else "ACK_EVENTS", upto=desk.events(how)[-1].seq)
    desk.run(0.02)


def explained(truth: Path, desk: Desk) -> None:
    """Every line follows from those before, and what they say at the end is what lies there."""
    where: dict[tuple[Any, ...], str] = {}
    for number, text in enumerate(truth.read_text().splitlines(), start=1):
        line = json.loads(text)
        card = (line["card"], line["back"], line["copy"], line["deck"])
        assert line["n"] == number
        assert where.get(card, "supply") == line["from"]
        where[card] = line["to"]
    lying = {
        (card.text, card.back, card.copy, card.deck): place
        for place, cards in desk.bench.table.world.places.items()
        for card in cards
        if place != "supply"
    }
    assert {card: place for card, place in where.items() if place != "supply"} == lying


@pytest.mark.parametrize("speed", [math.inf, 8.0])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(armed=st.lists(faults, max_size=3), script=st.lists(st.tuples(st.integers(), actions), min_size=3, max_size=25))
def test_cards_and_event_numbers_are_kept_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory,
    speed: float,
    armed: list[str],
    script: list[tuple[int, tuple[str, Any]]],
) -> None:
    folder = tmp_path_factory.mktemp("table")
    desk = Desk("alder", "birch", speed=speed, truth=folder / "truth", faults=tuple(armed))
    for number, (_, (what, how)) in enumerate(script):
        act(desk, number, what, how)
        desk.bench.table.world.check()
    desk.run(3)
    explained(folder / "truth", desk)
    for device, host in desk.hosts.items():
        responses = [each for each in host.messages if isinstance(each, Response)]
        assert all(each.result in tuple(Result) for each in responses)
        if any(name in fault for fault in armed for name in NEW_EPOCH):
            continue
        unknown = {event.seq for event in desk.events(device) if event.name is None}
        assert len(unknown) <= sum("unknown_event" in fault for fault in armed)
        seqs = [event.seq for event in desk.events(device)]
        holes = len(range(seqs[0], seqs[-1] + 1)) - len(seqs)
        assert holes <= sum("gap" in fault for fault in armed)
    desk.bench.table.close()
