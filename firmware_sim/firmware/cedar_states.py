"""Cedar's states (cedar.md §4) as a table: where each may go, and its lamp."""

from __future__ import annotations

from enum import IntEnum


class S(IntEnum):
    """The states by number."""

    BOOT = 0x0
    HOMING = 0x1
    UNLOADED = 0x2
    LOADING = 0x3
    MIXING = 0x4
    READY = 0x5
    DELIVERING = 0x6
    WAIT_TAKE = 0x7
    RECYCLING = 0x8
    REJECT_PENDING = 0x9
    FAULT = 0xA
    LOCKED = 0xB
    PURGING = 0xC
    SERVICE = 0xD
    ARMED = 0xE


class Zone(IntEnum):
    """Zones by number."""

    INFEED = 0
    PATH = 1
    CAROUSEL = 2
    BUFFER = 3
    OUTPUT = 4
    REJECT = 5


_FROM_ANY = frozenset((S.FAULT, S.LOCKED, S.SERVICE))
"""Fault of class L, a door opened or a count that is wrong, service port attached."""

NEXT: dict[S, frozenset[S]] = {
    S.BOOT: _FROM_ANY | {S.HOMING},
    S.HOMING: _FROM_ANY | {S.UNLOADED, S.READY},
    S.UNLOADED: _FROM_ANY | {S.LOADING},
    S.LOADING: _FROM_ANY | {S.MIXING},
    S.MIXING: _FROM_ANY | {S.READY, S.REJECT_PENDING},
    S.READY: _FROM_ANY | {S.DELIVERING, S.RECYCLING, S.PURGING, S.ARMED},
    S.DELIVERING: _FROM_ANY | {S.WAIT_TAKE, S.READY},
    S.WAIT_TAKE: _FROM_ANY | {S.DELIVERING, S.READY},
    S.RECYCLING: _FROM_ANY | {S.READY, S.REJECT_PENDING},
    S.REJECT_PENDING: _FROM_ANY | {S.READY},
    S.FAULT: _FROM_ANY | {S.READY},
    S.LOCKED: _FROM_ANY | {S.READY, S.PURGING},
    S.PURGING: _FROM_ANY | {S.UNLOADED},
    S.SERVICE: frozenset((S.BOOT,)),
    S.ARMED: _FROM_ANY | {S.READY},
}
"""As the document has it. Besides, cards for the pocket may come with a load, and a delivery that is stopped before its
first card leaves nothing to take."""

IN_MOTION = frozenset((S.LOADING, S.MIXING, S.DELIVERING, S.RECYCLING, S.PURGING))
"""States of which a power cut leaves LOCKED (common.md §10)."""

_OFF, _GREEN, _GREEN_BLINK, _RED, _RED_BLINK, _AMBER, _AMBER_BLINK = range(7)

LAMPS: dict[S, int] = {
    S.BOOT: _OFF,
    S.HOMING: _AMBER_BLINK,
    S.UNLOADED: _OFF,
    S.LOADING: _AMBER_BLINK,
    S.MIXING: _AMBER_BLINK,
    S.READY: _AMBER,
    S.DELIVERING: _AMBER_BLINK,
    S.WAIT_TAKE: _GREEN_BLINK,
    S.RECYCLING: _AMBER_BLINK,
    S.REJECT_PENDING: _RED_BLINK,
    S.FAULT: _RED_BLINK,
    S.LOCKED: _RED,
    S.PURGING: _AMBER_BLINK,
    S.SERVICE: _AMBER,
    S.ARMED: _GREEN,
}
