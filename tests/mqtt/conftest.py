"""The broker of a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .broker import Broker
from .tables import Table


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """One that runs."""
    one = Broker(tmp_path / "broker")
    one.start()
    yield one
    one.stop()


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Table:
    """One that is named to this broker."""
    return Table(tmp_path, broker)
