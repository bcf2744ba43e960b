"""The states of the host's end of a Dogwood link and what ends them (dogwood.md §4, §8) as a table.

Each state has an entry for each input, also for those that cannot happen there. The device's end has no states of its
own: there is no reset, and what a new host needs it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto


class State(Enum):
    """Where the host stands. In UP and RESECURING the link is up, though commands may have to wait."""

    CLOSED = auto()
    ASKING = auto()
    """Identity and window are asked for, or will be."""
    SECURING = auto()
    """The handshake, where a session is wanted."""
    UP = auto()
    RESECURING = auto()
    """The session ended: another handshake, with commands that wait to be sent again."""


class Input(Enum):
    """What can happen to the host."""

    OPEN = auto()
    TOLD = auto()
    """Identity and window came."""
    REFUSED = auto()
    """A feature report was refused, did not come, or does not fit."""
    AGAIN = auto()
    """A second since they were refused."""
    SECURED = auto()
    """A session stands, or none is wanted."""
    UNTRUE = auto()
    """The device says that the session ended, or a report does not fit its seal."""
    LATE = auto()
    """No answer to the handshake, which is never repeated but begun anew."""
    UNSECURED = auto()
    """The handshake failed, and may succeed another time."""
    DENIED = auto()
    """The handshake failed, and will not succeed with this device."""
    GAVE_UP = auto()
    """No result, or no session, after the last try."""
    RESTARTED = auto()
    """Another boot."""


class Action(Enum):
    """What the host does about it."""

    IGNORE = auto()
    ASK = auto()
    WAIT = auto()
    """Ask again in a second."""
    SECURE = auto()
    """Begin the handshake, if there is to be one."""
    COME_UP = auto()
    RESYNC = auto()
    """Ask for the outstanding report, and send again what has no result."""
    LOSE = auto()
    """Say that the link is lost, and ask again in a second."""
    STOP = auto()
    """Say why, and try no more."""


S, E, A = State, Input, Action

HOST: Mapping[State, Mapping[Input, tuple[Action, State]]] = {
    S.CLOSED: {
        E.OPEN: (A.ASK, S.ASKING),
        E.TOLD: (A.IGNORE, S.CLOSED),
        E.REFUSED: (A.IGNORE, S.CLOSED),
        E.AGAIN: (A.IGNORE, S.CLOSED),
        E.SECURED: (A.IGNORE, S.CLOSED),
        E.UNTRUE: (A.IGNORE, S.CLOSED),
        E.LATE: (A.IGNORE, S.CLOSED),
        E.UNSECURED: (A.IGNORE, S.CLOSED),
        E.DENIED: (A.IGNORE, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.CLOSED),
        E.RESTARTED: (A.IGNORE, S.CLOSED),
    },
    S.ASKING: {
        E.OPEN: (A.IGNORE, S.ASKING),
        E.TOLD: (A.SECURE, S.SECURING),
        E.REFUSED: (A.WAIT, S.ASKING),
        E.AGAIN: (A.ASK, S.ASKING),
        E.SECURED: (A.IGNORE, S.ASKING),
        E.UNTRUE: (A.IGNORE, S.ASKING),
        E.LATE: (A.IGNORE, S.ASKING),
        E.UNSECURED: (A.IGNORE, S.ASKING),
        E.DENIED: (A.IGNORE, S.ASKING),
        E.GAVE_UP: (A.IGNORE, S.ASKING),
        E.RESTARTED: (A.IGNORE, S.ASKING),
    },
    S.SECURING: {
        E.OPEN: (A.IGNORE, S.SECURING),
        E.TOLD: (A.IGNORE, S.SECURING),
        E.REFUSED: (A.IGNORE, S.SECURING),
        E.AGAIN: (A.IGNORE, S.SECURING),
        E.SECURED: (A.COME_UP, S.UP),
        E.UNTRUE: (A.IGNORE, S.SECURING),
        E.LATE: (A.SECURE, S.SECURING),
        E.UNSECURED: (A.WAIT, S.ASKING),
        E.DENIED: (A.STOP, S.CLOSED),
        E.GAVE_UP: (A.WAIT, S.ASKING),
        E.RESTARTED: (A.IGNORE, S.SECURING),
    },
    S.UP: {
        E.OPEN: (A.IGNORE, S.UP),
        E.TOLD: (A.IGNORE, S.UP),
        E.REFUSED: (A.LOSE, S.ASKING),
        E.AGAIN: (A.IGNORE, S.UP),
        E.SECURED: (A.IGNORE, S.UP),
        E.UNTRUE: (A.SECURE, S.RESECURING),
        E.LATE: (A.IGNORE, S.UP),
        E.UNSECURED: (A.IGNORE, S.UP),
        E.DENIED: (A.IGNORE, S.UP),
        E.GAVE_UP: (A.LOSE, S.ASKING),
        E.RESTARTED: (A.LOSE, S.ASKING),
    },
    S.RESECURING: {
        E.OPEN: (A.IGNORE, S.RESECURING),
        E.TOLD: (A.IGNORE, S.RESECURING),
        E.REFUSED: (A.LOSE, S.ASKING),
        E.AGAIN: (A.IGNORE, S.RESECURING),
        E.SECURED: (A.RESYNC, S.UP),
        E.UNTRUE: (A.IGNORE, S.RESECURING),
        E.LATE: (A.SECURE, S.RESECURING),
        E.UNSECURED: (A.LOSE, S.ASKING),
        E.DENIED: (A.STOP, S.CLOSED),
        E.GAVE_UP: (A.LOSE, S.ASKING),
        E.RESTARTED: (A.LOSE, S.ASKING),
    },
}
