"""Every family on every medium keeps the same promises. Families are those whose folders are listed."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from protocols.family import families
from tests.conformance.checks import CHECKS, Check, trial
from tests.conformance.media import media
from tests.conformance.rig import Rig
from tests.protocols.golden import FAMILIES


async def one(where: str, make: Callable[[], Rig], check: Check) -> None:
    try:
        async with trial(make()) as at:
            await check(at)
    except Exception as error:
        error.add_note(f"on the medium {where}")
        raise


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("family", families())
async def test_on_every_medium(family: str, check: Check, tmp_path: Path) -> None:
    """All media of a family side by side: what passes on them takes little time, waiting for it takes most."""
    async with asyncio.TaskGroup() as group:
        for where, make in media(tmp_path)[family].items():
            group.create_task(one(where, make, check))


def test_each_folder_of_a_family_is_one_that_is_tried() -> None:
    assert set(families()) == set(FAMILIES)


def test_every_family_is_on_the_bus_and_in_memory_and_those_with_a_line_on_terminals_and_networks() -> None:
    found = media(Path())
    assert set(found) == set(families())
    for name, family in families().items():
        assert {"memory", "usbip"} <= set(found[name])
        assert ({"pty", "tcp"} <= set(found[name])) is ("baud" in family.line)
