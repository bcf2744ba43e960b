"""Every family on every medium keeps the same promises. Families are found by listing their folders."""

from pathlib import Path

import pytest

from protocols.family import families
from tests.conformance.checks import CHECKS, Check, trial
from tests.conformance.media import media


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("where", media(Path()))
async def test_on_every_medium(where: str, check: Check, tmp_path: Path) -> None:
    async with trial(media(tmp_path)[where]()) as at:
        await check(at)


def test_no_family_is_left_out() -> None:
    assert {name.partition("-")[0] for name in media(Path())} == set(families())
