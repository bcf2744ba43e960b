"""The states of an Alder link and what ends them: alder.md §3.2 as two tables, one a side.

Each state has an entry for each input, also for those that cannot happen there.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from protocols.link import Side


class State(Enum):
    """Where a link stands. RESETTING and SECURING are the host's, DOWN the device's."""

    CLOSED = auto()
    RESETTING = auto()
    SECURING = auto()
    """DATA passes; the handshake, where a session is wanted."""
    DOWN = auto()
    UP = auto()


class Input(Enum):
    """What can happen to a link."""

    OPEN = auto()
    RST = auto()
    RSTACK = auto()
    ERROR = auto()
    TRANSFER = auto()
    """DATA, RR, RNR or REJ with an N(R) that fits."""
    BAD_NR = auto()
    SEALED = auto()
    """A sealed payload outside a session, a plain one inside, or one that its seal does not fit."""
    SECURED = auto()
    """A session stands, or none is wanted."""
    UNSECURED = auto()
    """The handshake failed or takes too long, and may succeed another time."""
    DENIED = auto()
    """The handshake failed, and will not succeed with this device."""
    GAVE_UP = auto()
    """T1 ran out five times in a row."""
    HELD = auto()
    """RNR for longer than 5 s."""
    SILENCE = auto()
    """No valid frame for 6 s."""
    AGAIN = auto()
    """A second since the last RST."""


class Action(Enum):
    """What a link does about it."""

    IGNORE = auto()
    RESET = auto()
    """Send RST."""
    LOSE = auto()
    """Say that the link is lost, and send RST."""
    SECURE = auto()
    """The device has reset its numbers: so do we. Begin the handshake, if there is to be one."""
    COME_UP = auto()
    BACK = auto()
    """Send RST in a second: nobody was told yet that the link stood."""
    STOP = auto()
    """Say why, and try no more."""
    ANNOUNCE = auto()
    """Say once that the device started."""
    ACCEPT = auto()
    """Reset numbers and queue, send RSTACK."""
    REFUSE = auto()
    """ERROR 1: the link is down."""
    FAIL = auto()
    """Say why in an ERROR, and be down."""
    FALL_SILENT = auto()
    """Tell the firmware that nobody is heard."""
    TRANSFER = auto()


S, E, A = State, Input, Action

Table = Mapping[State, Mapping[Input, tuple[Action, State]]]

HOST: Table = {
    S.CLOSED: {
        E.OPEN: (A.RESET, S.RESETTING),
        E.RST: (A.IGNORE, S.CLOSED),
        E.RSTACK: (A.IGNORE, S.CLOSED),
        E.ERROR: (A.IGNORE, S.CLOSED),
        E.TRANSFER: (A.IGNORE, S.CLOSED),
        E.BAD_NR: (A.IGNORE, S.CLOSED),
        E.SEALED: (A.IGNORE, S.CLOSED),
        E.SECURED: (A.IGNORE, S.CLOSED),
        E.UNSECURED: (A.IGNORE, S.CLOSED),
        E.DENIED: (A.IGNORE, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.CLOSED),
        E.HELD: (A.IGNORE, S.CLOSED),
        E.SILENCE: (A.IGNORE, S.CLOSED),
        E.AGAIN: (A.IGNORE, S.CLOSED),
    },
    S.RESETTING: {
        E.OPEN: (A.IGNORE, S.RESETTING),
        E.RST: (A.IGNORE, S.RESETTING),
        E.RSTACK: (A.SECURE, S.SECURING),
        E.ERROR: (A.IGNORE, S.RESETTING),
        E.TRANSFER: (A.IGNORE, S.RESETTING),
        E.BAD_NR: (A.IGNORE, S.RESETTING),
        E.SEALED: (A.IGNORE, S.RESETTING),
        E.SECURED: (A.IGNORE, S.RESETTING),
        E.UNSECURED: (A.IGNORE, S.RESETTING),
        E.DENIED: (A.IGNORE, S.RESETTING),
        E.GAVE_UP: (A.IGNORE, S.RESETTING),
        E.HELD: (A.IGNORE, S.RESETTING),
        E.SILENCE: (A.IGNORE, S.RESETTING),
        E.AGAIN: (A.RESET, S.RESETTING),
    },
    S.SECURING: {
        E.OPEN: (A.IGNORE, S.SECURING),
        E.RST: (A.IGNORE, S.SECURING),
        E.RSTACK: (A.BACK, S.RESETTING),
        E.ERROR: (A.BACK, S.RESETTING),
        E.TRANSFER: (A.TRANSFER, S.SECURING),
        E.BAD_NR: (A.BACK, S.RESETTING),
        E.SEALED: (A.BACK, S.RESETTING),
        E.SECURED: (A.COME_UP, S.UP),
        E.UNSECURED: (A.BACK, S.RESETTING),
        E.DENIED: (A.STOP, S.CLOSED),
        E.GAVE_UP: (A.BACK, S.RESETTING),
        E.HELD: (A.BACK, S.RESETTING),
        E.SILENCE: (A.BACK, S.RESETTING),
        E.AGAIN: (A.IGNORE, S.SECURING),
    },
    S.UP: {
        E.OPEN: (A.IGNORE, S.UP),
        E.RST: (A.IGNORE, S.UP),
        E.RSTACK: (A.LOSE, S.RESETTING),
        E.ERROR: (A.LOSE, S.RESETTING),
        E.TRANSFER: (A.TRANSFER, S.UP),
        E.BAD_NR: (A.LOSE, S.RESETTING),
        E.SEALED: (A.LOSE, S.RESETTING),
        E.SECURED: (A.IGNORE, S.UP),
        E.UNSECURED: (A.IGNORE, S.UP),
        E.DENIED: (A.IGNORE, S.UP),
        E.GAVE_UP: (A.LOSE, S.RESETTING),
        E.HELD: (A.LOSE, S.RESETTING),
        E.SILENCE: (A.LOSE, S.RESETTING),
        E.AGAIN: (A.IGNORE, S.UP),
    },
}

DEVICE: Table = {
    S.CLOSED: {
        E.OPEN: (A.ANNOUNCE, S.DOWN),
        E.RST: (A.IGNORE, S.CLOSED),
        E.RSTACK: (A.IGNORE, S.CLOSED),
        E.ERROR: (A.IGNORE, S.CLOSED),
        E.TRANSFER: (A.IGNORE, S.CLOSED),
        E.BAD_NR: (A.IGNORE, S.CLOSED),
        E.SEALED: (A.IGNORE, S.CLOSED),
        E.SECURED: (A.IGNORE, S.CLOSED),
        E.UNSECURED: (A.IGNORE, S.CLOSED),
        E.DENIED: (A.IGNORE, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.CLOSED),
        E.HELD: (A.IGNORE, S.CLOSED),
        E.SILENCE: (A.IGNORE, S.CLOSED),
        E.AGAIN: (A.IGNORE, S.CLOSED),
    },
    S.DOWN: {
        E.OPEN: (A.IGNORE, S.DOWN),
        E.RST: (A.ACCEPT, S.UP),
        E.RSTACK: (A.IGNORE, S.DOWN),
        E.ERROR: (A.IGNORE, S.DOWN),
        E.TRANSFER: (A.REFUSE, S.DOWN),
        E.BAD_NR: (A.REFUSE, S.DOWN),
        E.SEALED: (A.REFUSE, S.DOWN),
        E.SECURED: (A.IGNORE, S.DOWN),
        E.UNSECURED: (A.IGNORE, S.DOWN),
        E.DENIED: (A.IGNORE, S.DOWN),
        E.GAVE_UP: (A.IGNORE, S.DOWN),
        E.HELD: (A.IGNORE, S.DOWN),
        E.SILENCE: (A.IGNORE, S.DOWN),
        E.AGAIN: (A.IGNORE, S.DOWN),
    },
    S.UP: {
        E.OPEN: (A.IGNORE, S.UP),
        E.RST: (A.ACCEPT, S.UP),
        E.RSTACK: (A.IGNORE, S.UP),
        E.ERROR: (A.IGNORE, S.UP),
        E.TRANSFER: (A.TRANSFER, S.UP),
        E.BAD_NR: (A.FAIL, S.DOWN),
        E.SEALED: (A.FAIL, S.DOWN),
        E.SECURED: (A.IGNORE, S.UP),
        E.UNSECURED: (A.IGNORE, S.UP),
        E.DENIED: (A.IGNORE, S.UP),
        E.GAVE_UP: (A.FAIL, S.DOWN),
        E.HELD: (A.FAIL, S.DOWN),
        E.SILENCE: (A.FALL_SILENT, S.UP),
        E.AGAIN: (A.IGNORE, S.UP),
    },
}

TABLES = {Side.HOST: HOST, Side.DEVICE: DEVICE}
