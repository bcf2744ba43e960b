"""Dogwood's link: the two ends of a plug, each a class of its own."""

from __future__ import annotations

from typing import Any

from protocols.dogwood.device import DogwoodDevice
from protocols.dogwood.host import DogwoodHost
from protocols.link import Link, Side


def make_link(side: Side, **options: Any) -> Link:
    """A fresh link. Options are those of DogwoodHost or DogwoodDevice."""
    return DogwoodHost(**options) if side is Side.HOST else DogwoodDevice(**options)


__all__ = ["DogwoodDevice", "DogwoodHost", "make_link"]
