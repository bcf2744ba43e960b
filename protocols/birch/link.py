"""Birch's link. One side asks and the other answers, so each has a class of its own; both are made here."""

from __future__ import annotations

from typing import Any

from protocols.birch.device import BirchDevice
from protocols.birch.host import BirchHost
from protocols.link import Link, Side


def make_link(side: Side, **options: Any) -> Link:
    """A fresh link. Options are those of BirchHost or BirchDevice; both know `address` and `baud`."""
    return BirchHost(**options) if side is Side.HOST else BirchDevice(**options)


__all__ = ["BirchDevice", "BirchHost", "make_link"]
