"""Dogwood's states (dogwood.md §5) as a table: where each may go, and its lamp."""

from __future__ import annotations

from enum import IntEnum


class S(IntEnum):
    """The states by number."""

    BOOT = 0x0
    UNLOADED = 0x1
    LOADED = 0x2
    ARMED = 0x3
    HOLD = 0x4
    ENDING = 0x5
    EMPTY = 0x6
    RETIRED = 0x7
    FAULT = 0x8
    LID_OPEN = 0x9
    SERVICE = 0xA


_FROM_ANY = frozenset((S.FAULT, S.LID_OPEN, S.SERVICE, S.RETIRED))
_STATES_BEFORE = frozenset((S.UNLOADED, S.LOADED, S.HOLD, S.ENDING, S.EMPTY))

NEXT: dict[int, frozenset[int]] = {
    S.BOOT: _FROM_ANY | _STATES_BEFORE,
    S.UNLOADED: _FROM_ANY | {S.LOADED},
    S.LOADED: _FROM_ANY | {S.ARMED, S.HOLD, S.ENDING, S.EMPTY},
    S.ARMED: _FROM_ANY | {S.LOADED, S.ENDING, S.HOLD, S.EMPTY},
    S.HOLD: _FROM_ANY | {S.LOADED, S.ENDING, S.EMPTY},
    S.ENDING: _FROM_ANY | {S.EMPTY, S.HOLD},
    S.EMPTY: _FROM_ANY | {S.LOADED, S.ENDING},
    S.RETIRED: _FROM_ANY | {S.LOADED},
    S.FAULT: _FROM_ANY | _STATES_BEFORE,
    S.LID_OPEN: _FROM_ANY | _STATES_BEFORE,
    S.SERVICE: frozenset((S.BOOT,)),
}
"""As the document has it. Besides, a card drawn without a lease may bring LOADED to where ARMED would go, a card that
comes back may end EMPTY, and a hold that began with the last card ends in EMPTY."""

LID_UNLOCKED: frozenset[int] = frozenset((S.UNLOADED, S.EMPTY, S.RETIRED))
"""Where the shoe is filled anew, before LOAD."""

OFF, GREEN, GREEN_BLINK, RED, RED_BLINK, AMBER, AMBER_BLINK = range(7)

LAMPS: dict[int, int] = {
    S.BOOT: AMBER_BLINK,
    S.UNLOADED: OFF,
    S.LOADED: AMBER,
    S.ARMED: GREEN,
    S.HOLD: RED_BLINK,
    S.ENDING: GREEN_BLINK,
    S.EMPTY: OFF,
    S.RETIRED: RED,
    S.FAULT: RED,
    S.LID_OPEN: RED_BLINK,
    S.SERVICE: RED_BLINK,
}
