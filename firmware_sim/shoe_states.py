"""What all shoes with a lid mean by the same number."""

from __future__ import annotations

from enum import IntEnum

LEASE_FREE = 0xFF
"""A lease for any number of draws."""


class At(IntEnum):
    """The states that all shoes have, by number."""

    BOOT = 0x0
    UNLOADED = 0x1
    LOADED = 0x2
    ARMED = 0x3
    HOLD = 0x4
    ENDING = 0x5
    EMPTY = 0x6
    FAULT = 0x8
    LID_OPEN = 0x9
    SERVICE = 0xA
