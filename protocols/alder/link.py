"""Alder's link: the two ends of a line, each a class of its own."""

from __future__ import annotations

from typing import Any

from protocols.alder.device import AlderDevice
from protocols.alder.host import AlderHost
from protocols.link import Link, Side


def make_link(side: Side, **options: Any) -> Link:
    """A fresh link. Options are those of AlderHost or AlderDevice; both know `baud`."""
    return AlderHost(**options) if side is Side.HOST else AlderDevice(**options)


__all__ = ["AlderDevice", "AlderHost", "make_link"]
