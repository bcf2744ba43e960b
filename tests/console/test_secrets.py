"""No exit of the console depends on a face that nobody may see (exits.py), and the listener would notice if one did."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from shoectl.table import visibility
from tests.timeloop import run

from .exits import GAMES, faces, listen


@pytest.mark.parametrize("name", GAMES)
def test_nothing_that_leaves_depends_on_a_hidden_face(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        heard = run(listen(name, 1, tmp_path, every=2))
    assert heard.hidden > 10
    assert heard.refusals > 10
    assert not faces(caplog.text)


def test_a_view_that_shows_too_much_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def card(slot: Any, own: bool) -> dict[str, Any]:
        return {"up": slot.up, "card": str(slot.face)} if slot.face is not None else {"up": slot.up}

    monkeypatch.setattr(visibility, "_card", card)
    with pytest.raises(BaseExceptionGroup) as noticed:
        run(listen(GAMES[0], 1, tmp_path))
    assert "shows" in repr(noticed.value.exceptions)


def test_a_page_whose_length_tells_something_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = visibility.view

    def view(course: Any, viewer: str, **given: Any) -> dict[str, Any]:
        hidden = [slot.face for slots in course.layout.places.values() for slot in slots if slot.face and not slot.up]
        return true(course, viewer, **given) | {"more": "." * sum(map(ord, "".join(map(str, hidden))))}

    monkeypatch.setattr(visibility, "view", view)
    with pytest.raises(BaseExceptionGroup) as noticed:
        run(listen(GAMES[0], 1, tmp_path))
    assert "depends on a hidden face" in repr(noticed.value.exceptions)
