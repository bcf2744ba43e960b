"""The tables of states of all families: complete, and what they say of the rules that the documents print."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from typing import Any

import pytest

from tests.protocols.golden import FAMILIES

Table = Mapping[Enum, Mapping[Enum, tuple[Enum, Enum]]]


def tables() -> dict[str, Table]:
    """Each table by family and side, as `states.py` of the family's folder has them."""
    found = {}
    for family in FAMILIES:
        module = import_module(f"protocols.{family}.states")
        for side in ("HOST", "DEVICE"):
            if hasattr(module, side):
                found[f"{family} {side.lower()}"] = getattr(module, side)
    return found


TABLES = tables()


def test_each_family_has_a_table_for_its_host() -> None:
    assert {name.partition(" ")[0] for name in TABLES if name.endswith("host")} == set(FAMILIES)


@pytest.mark.parametrize("name", TABLES)
def test_each_state_has_an_entry_for_each_input(name: str) -> None:
    table = TABLES[name]
    inputs = type(next(iter(next(iter(table.values())))))
    for entries in table.values():
        assert set(entries) == set(inputs)
        assert {state for _, state in entries.values()} <= set(table)


@pytest.mark.parametrize("name", TABLES)
def test_each_state_of_a_table_can_be_reached(name: str) -> None:
    table = TABLES[name]
    reached, before = {state for state in table if state.name == "CLOSED"}, set()
    while reached != before:
        before = set(reached)
        reached |= {state for known in before for _, state in table[known].values()}
    assert reached == set(table)


def test_each_state_and_each_action_is_used_by_some_table() -> None:
    used: set[Any] = set()
    for table in TABLES.values():
        used |= set(table) | {action for entries in table.values() for action, _ in entries.values()}
    known = {member for kind in {type(each) for each in used} for member in kind}
    assert used == known
