"""The states of an Alder link and what ends them: alder.md §3.2 as two tables, one a side.

Each state has an entry for each input, also for those that cannot happen there.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from protocols.link import Side


class State(Enum):
    """Where a link stands. RESETTING is the host's, DOWN the device's."""

    CLOSED = auto()
    RESETTING = auto()
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
    """A sealed payload outside a session."""
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
    COME_UP = auto()
    """The device has reset its numbers: so do we."""
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


S, I, A = State, Input, Action

Table = Mapping[State, Mapping[Input, tuple[Action, State]]]

HOST: Table = {
    S.CLOSED: {
        I.OPEN: (A.RESET, S.RESETTING),
        I.RST: (A.IGNORE, S.CLOSED),
        I.RSTACK: (A.IGNORE, S.CLOSED),
        I.ERROR: (A.IGNORE, S.CLOSED),
        I.TRANSFER: (A.IGNORE, S.CLOSED),
        I.BAD_NR: (A.IGNORE, S.CLOSED),
        I.SEALED: (A.IGNORE, S.CLOSED),
        I.GAVE_UP: (A.IGNORE, S.CLOSED),
        I.HELD: (A.IGNORE, S.CLOSED),
        I.SILENCE: (A.IGNORE, S.CLOSED),
        I.AGAIN: (A.IGNORE, S.CLOSED),
    },
    S.RESETTING: {
        I.OPEN: (A.IGNORE, S.RESETTING),
        I.RST: (A.IGNORE, S.RESETTING),
        I.RSTACK: (A.COME_UP, S.UP),
        I.ERROR: (A.IGNORE, S.RESETTING),
        I.TRANSFER: (A.IGNORE, S.RESETTING),
        I.BAD_NR: (A.IGNORE, S.RESETTING),
        I.SEALED: (A.IGNORE, S.RESETTING),
        I.GAVE_UP: (A.IGNORE, S.RESETTING),
        I.HELD: (A.IGNORE, S.RESETTING),
        I.SILENCE: (A.IGNORE, S.RESETTING),
        I.AGAIN: (A.RESET, S.RESETTING),
    },
    S.UP: {
        I.OPEN: (A.IGNORE, S.UP),
        I.RST: (A.IGNORE, S.UP),
        I.RSTACK: (A.LOSE, S.RESETTING),
        I.ERROR: (A.LOSE, S.RESETTING),
        I.TRANSFER: (A.TRANSFER, S.UP),
        I.BAD_NR: (A.LOSE, S.RESETTING),
        I.SEALED: (A.LOSE, S.RESETTING),
        I.GAVE_UP: (A.LOSE, S.RESETTING),
        I.HELD: (A.LOSE, S.RESETTING),
        I.SILENCE: (A.LOSE, S.RESETTING),
        I.AGAIN: (A.IGNORE, S.UP),
    },
}

DEVICE: Table = {
    S.CLOSED: {
        I.OPEN: (A.ANNOUNCE, S.DOWN),
        I.RST: (A.IGNORE, S.CLOSED),
        I.RSTACK: (A.IGNORE, S.CLOSED),
        I.ERROR: (A.IGNORE, S.CLOSED),
        I.TRANSFER: (A.IGNORE, S.CLOSED),
        I.BAD_NR: (A.IGNORE, S.CLOSED),
        I.SEALED: (A.IGNORE, S.CLOSED),
        I.GAVE_UP: (A.IGNORE, S.CLOSED),
        I.HELD: (A.IGNORE, S.CLOSED),
        I.SILENCE: (A.IGNORE, S.CLOSED),
        I.AGAIN: (A.IGNORE, S.CLOSED),
    },
    S.DOWN: {
        I.OPEN: (A.IGNORE, S.DOWN),
        I.RST: (A.ACCEPT, S.UP),
        I.RSTACK: (A.IGNORE, S.DOWN),
        I.ERROR: (A.IGNORE, S.DOWN),
        I.TRANSFER: (A.REFUSE, S.DOWN),
        I.BAD_NR: (A.REFUSE, S.DOWN),
        I.SEALED: (A.REFUSE, S.DOWN),
        I.GAVE_UP: (A.IGNORE, S.DOWN),
        I.HELD: (A.IGNORE, S.DOWN),
        I.SILENCE: (A.IGNORE, S.DOWN),
        I.AGAIN: (A.IGNORE, S.DOWN),
    },
    S.UP: {
        I.OPEN: (A.IGNORE, S.UP),
        I.RST: (A.ACCEPT, S.UP),
        I.RSTACK: (A.IGNORE, S.UP),
        I.ERROR: (A.IGNORE, S.UP),
        I.TRANSFER: (A.TRANSFER, S.UP),
        I.BAD_NR: (A.FAIL, S.DOWN),
        I.SEALED: (A.FAIL, S.DOWN),
        I.GAVE_UP: (A.FAIL, S.DOWN),
        I.HELD: (A.FAIL, S.DOWN),
        I.SILENCE: (A.FALL_SILENT, S.UP),
        I.AGAIN: (A.IGNORE, S.UP),
    },
}

TABLES = {Side.HOST: HOST, Side.DEVICE: DEVICE}
