"""Birch's states (birch.md §5) as a table: where each may go, and its lamp."""

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
    LOADING = 0x7
    FAULT = 0x8
    LID_OPEN = 0x9
    SERVICE = 0xA


_FROM_ANY = frozenset((S.FAULT, S.LID_OPEN, S.SERVICE))
_STATES_BEFORE = frozenset((S.UNLOADED, S.LOADED, S.HOLD, S.ENDING, S.EMPTY, S.LOADING))

NEXT: dict[int, frozenset[int]] = {
    S.BOOT: _FROM_ANY | {S.UNLOADED, S.LOADED, S.HOLD, S.EMPTY},
    S.UNLOADED: _FROM_ANY | {S.LOADING},
    S.LOADED: _FROM_ANY | {S.ARMED, S.UNLOADED, S.HOLD, S.ENDING, S.EMPTY},
    S.ARMED: _FROM_ANY | {S.LOADED, S.ENDING, S.HOLD, S.EMPTY},
    S.HOLD: _FROM_ANY | {S.LOADED, S.ENDING, S.EMPTY},
    S.ENDING: _FROM_ANY | {S.EMPTY, S.HOLD, S.UNLOADED},
    S.EMPTY: _FROM_ANY | {S.UNLOADED, S.LOADING, S.LOADED, S.ENDING},
    S.LOADING: _FROM_ANY | {S.LOADED},
    S.FAULT: _FROM_ANY | _STATES_BEFORE,
    S.LID_OPEN: _FROM_ANY | _STATES_BEFORE,
    S.SERVICE: frozenset((S.BOOT,)),
}
"""As the document has it. Besides, a card that slips out without a lease may bring LOADED to where ARMED would go,
a card that comes back may end EMPTY, and a hold that began with the last card ends in EMPTY."""

LID_UNLOCKED: frozenset[int] = frozenset((S.UNLOADED, S.LOADING))

_OFF, _GREEN, _GREEN_BLINK, _RED, _RED_BLINK, _AMBER, _AMBER_BLINK = range(7)

LAMPS: dict[int, int] = {
    S.BOOT: _OFF,
    S.UNLOADED: _OFF,
    S.LOADED: _RED,
    S.ARMED: _GREEN,
    S.HOLD: _RED_BLINK,
    S.ENDING: _GREEN_BLINK,
    S.EMPTY: _AMBER,
    S.LOADING: _AMBER_BLINK,
    S.FAULT: _RED_BLINK,
    S.LID_OPEN: _RED,
    S.SERVICE: _AMBER,
}
