"""Cedar's link: the two ends of a plug, each a class of its own."""

from __future__ import annotations

from typing import Any

from protocols.cedar.device import CedarDevice
from protocols.cedar.host import CedarHost
from protocols.link import Link, Side


def make_link(side: Side, **options: Any) -> Link:
    """A fresh link. Options are those of CedarHost or CedarDevice."""
    return CedarHost(**options) if side is Side.HOST else CedarDevice(**options)


__all__ = ["CedarDevice", "CedarHost", "make_link"]
