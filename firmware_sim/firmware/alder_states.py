"""Alder's states (alder.md §5) as a table: where each may go, and its lamp."""

from __future__ import annotations

from enum import IntEnum


class S(IntEnum):
    """The states by number."""

    BOOT = 0x0
    HOMING = 0x1
    EMPTY = 0x2
    LOADED = 0x3
    FEEDING = 0x4
    MIXING = 0x5
    VERIFYING = 0x6
    READY = 0x7
    PRESENTED = 0x8
    FAULT = 0x9
    DOOR_OPEN = 0xA
    LOCKED = 0xB
    SERVICE = 0xC


_FROM_ANY = frozenset((S.DOOR_OPEN, S.FAULT, S.LOCKED, S.SERVICE))
"""Door open, fault of class L, fault 83 or a cycle that ended early, service port attached."""

NEXT: dict[S, frozenset[S]] = {
    S.BOOT: _FROM_ANY | {S.HOMING},
    S.HOMING: _FROM_ANY | {S.EMPTY, S.LOADED},
    S.EMPTY: _FROM_ANY | {S.LOADED, S.FEEDING},
    S.LOADED: _FROM_ANY | {S.FEEDING, S.EMPTY, S.PRESENTED},
    S.FEEDING: _FROM_ANY | {S.MIXING},
    S.MIXING: _FROM_ANY | {S.VERIFYING},
    S.VERIFYING: _FROM_ANY | {S.READY, S.EMPTY},
    S.READY: _FROM_ANY | {S.PRESENTED},
    S.PRESENTED: _FROM_ANY | {S.EMPTY, S.LOADED, S.READY},
    S.FAULT: _FROM_ANY | {S.LOADED, S.EMPTY},
    S.DOOR_OPEN: _FROM_ANY | {S.LOADED, S.EMPTY, S.PRESENTED},
    S.LOCKED: _FROM_ANY | {S.EMPTY},
    S.SERVICE: frozenset((S.BOOT,)),
}

OFF, GREEN, GREEN_BLINK, RED, RED_BLINK, AMBER, AMBER_BLINK = range(7)

LAMPS: dict[S, int] = {
    S.BOOT: OFF,
    S.HOMING: AMBER_BLINK,
    S.EMPTY: OFF,
    S.LOADED: AMBER,
    S.FEEDING: AMBER_BLINK,
    S.MIXING: AMBER_BLINK,
    S.VERIFYING: AMBER_BLINK,
    S.READY: GREEN,
    S.PRESENTED: GREEN_BLINK,
    S.FAULT: RED_BLINK,
    S.DOOR_OPEN: RED,
    S.LOCKED: RED,
    S.SERVICE: AMBER,
}
