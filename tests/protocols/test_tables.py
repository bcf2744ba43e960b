"""The tables of states: complete, and what they say of the rules that the documents print."""

from __future__ import annotations

import pytest

from protocols.alder import states as alder
from protocols.birch import states as birch
from protocols.link import Side

TABLES = {
    "alder host": (alder.HOST, {alder.State.CLOSED, alder.State.RESETTING, alder.State.UP}, alder.Input),
    "alder device": (alder.DEVICE, {alder.State.CLOSED, alder.State.DOWN, alder.State.UP}, alder.Input),
    "birch host": (birch.HOST, set(birch.HostState), birch.HostInput),
    "birch device": (birch.DEVICE, set(birch.DeviceState), birch.DeviceInput),
}


@pytest.mark.parametrize("name", TABLES)
def test_each_state_has_an_entry_for_each_input(name: str) -> None:
    table, states, inputs = TABLES[name]
    assert set(table) == states
    for entries in table.values():
        assert set(entries) == set(inputs)
        assert {state for _, state in entries.values()} <= states


@pytest.mark.parametrize("name", TABLES)
def test_each_state_can_be_reached_and_each_action_is_used(name: str) -> None:
    table, states, _ = TABLES[name]
    reached, before = {state for state in states if state.name == "CLOSED"}, set()
    while reached != before:
        before = set(reached)
        reached |= {state for known in before for _, state in table[known].values()}
    assert reached == states


def test_each_action_is_used_by_some_table() -> None:
    used = {action for table, _, _ in TABLES.values() for entries in table.values() for action, _ in entries.values()}
    assert used == {*alder.Action, *birch.HostAction, *birch.DeviceAction}


def test_alder_tables_belong_to_their_sides() -> None:
    assert alder.TABLES == {Side.HOST: alder.HOST, Side.DEVICE: alder.DEVICE}
