"""The states of the host's end of a Cedar link and what ends them (cedar.md §1.1, §2, §7) as a table.

Each state has an entry for each input, also for those that cannot happen there. The device's end has no states of its
own: it takes commands as soon as there is power, and a flush at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto


class State(Enum):
    """Where the host stands. In UP and the states after it the link is up, though commands may have to wait."""

    CLOSED = auto()
    FLUSHING = auto()
    """A flush is asked for, or will be."""
    DRAINING = auto()
    """Reading until nothing comes any more."""
    ASKING = auto()
    """The resume block is asked for, and before it the identity where a session is wanted."""
    SECURING = auto()
    """The handshake, where a session is wanted."""
    UP = auto()
    RECOVERING = auto()
    """A command had no answer: a flush is asked for."""
    DRYING = auto()
    """As DRAINING, with commands that wait to be sent again."""
    RESECURING = auto()
    """As SECURING, with commands that wait to be sent again."""


class Input(Enum):
    """What can happen to the host."""

    OPEN = auto()
    CONTROL_DONE = auto()
    """The flush was carried out."""
    CONTROL_FAILED = auto()
    """A request on endpoint 0 was refused, or nothing came, or what came does not fit."""
    AGAIN = auto()
    """A second since the last flush failed."""
    DRY = auto()
    """Nothing has come for 50 ms."""
    TOLD = auto()
    """The resume block came."""
    SECURED = auto()
    """A session stands, or none is wanted."""
    LATE = auto()
    """A command has no answer after 500 ms, or one that does not fit it."""
    BROKEN = auto()
    """Stall or babble on a bulk endpoint; a session that ended; a frame that its seal does not fit."""
    REFUSED = auto()
    """The handshake failed, and may succeed another time."""
    DENIED = auto()
    """The handshake failed, and will not succeed with this device."""
    GAVE_UP = auto()
    """A command has no answer after its last try."""
    UNREADABLE = auto()
    """An answer does not fit its command, for the second time."""
    RESTARTED = auto()
    """The doorbell tells of another boot."""


class Action(Enum):
    """What the host does about it."""

    IGNORE = auto()
    FLUSH = auto()
    WAIT = auto()
    """Flush again, in a second."""
    DRAIN = auto()
    ASK = auto()
    SECURE = auto()
    """Begin the handshake, if there is to be one."""
    COME_UP = auto()
    RESEND = auto()
    """Send again what has no answer, under new frame numbers."""
    LOSE = auto()
    """Say that the link is lost, and flush."""
    STOP = auto()
    """Say why, and try no more."""


S, E, A = State, Input, Action

HOST: Mapping[State, Mapping[Input, tuple[Action, State]]] = {
    S.CLOSED: {
        E.OPEN: (A.FLUSH, S.FLUSHING),
        E.CONTROL_DONE: (A.IGNORE, S.CLOSED),
        E.CONTROL_FAILED: (A.IGNORE, S.CLOSED),
        E.AGAIN: (A.IGNORE, S.CLOSED),
        E.DRY: (A.IGNORE, S.CLOSED),
        E.TOLD: (A.IGNORE, S.CLOSED),
        E.SECURED: (A.IGNORE, S.CLOSED),
        E.LATE: (A.IGNORE, S.CLOSED),
        E.BROKEN: (A.IGNORE, S.CLOSED),
        E.REFUSED: (A.IGNORE, S.CLOSED),
        E.DENIED: (A.IGNORE, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.CLOSED),
        E.UNREADABLE: (A.IGNORE, S.CLOSED),
        E.RESTARTED: (A.IGNORE, S.CLOSED),
    },
    S.FLUSHING: {
        E.OPEN: (A.IGNORE, S.FLUSHING),
        E.CONTROL_DONE: (A.DRAIN, S.DRAINING),
        E.CONTROL_FAILED: (A.WAIT, S.FLUSHING),
        E.AGAIN: (A.FLUSH, S.FLUSHING),
        E.DRY: (A.IGNORE, S.FLUSHING),
        E.TOLD: (A.IGNORE, S.FLUSHING),
        E.SECURED: (A.IGNORE, S.FLUSHING),
        E.LATE: (A.IGNORE, S.FLUSHING),
        E.BROKEN: (A.IGNORE, S.FLUSHING),
        E.REFUSED: (A.IGNORE, S.FLUSHING),
        E.DENIED: (A.IGNORE, S.FLUSHING),
        E.GAVE_UP: (A.IGNORE, S.FLUSHING),
        E.UNREADABLE: (A.IGNORE, S.FLUSHING),
        E.RESTARTED: (A.IGNORE, S.FLUSHING),
    },
    S.DRAINING: {
        E.OPEN: (A.IGNORE, S.DRAINING),
        E.CONTROL_DONE: (A.IGNORE, S.DRAINING),
        E.CONTROL_FAILED: (A.IGNORE, S.DRAINING),
        E.AGAIN: (A.IGNORE, S.DRAINING),
        E.DRY: (A.ASK, S.ASKING),
        E.TOLD: (A.IGNORE, S.DRAINING),
        E.SECURED: (A.IGNORE, S.DRAINING),
        E.LATE: (A.IGNORE, S.DRAINING),
        E.BROKEN: (A.WAIT, S.FLUSHING),
        E.REFUSED: (A.IGNORE, S.DRAINING),
        E.DENIED: (A.IGNORE, S.DRAINING),
        E.GAVE_UP: (A.IGNORE, S.DRAINING),
        E.UNREADABLE: (A.IGNORE, S.DRAINING),
        E.RESTARTED: (A.IGNORE, S.DRAINING),
    },
    S.ASKING: {
        E.OPEN: (A.IGNORE, S.ASKING),
        E.CONTROL_DONE: (A.IGNORE, S.ASKING),
        E.CONTROL_FAILED: (A.WAIT, S.FLUSHING),
        E.AGAIN: (A.IGNORE, S.ASKING),
        E.DRY: (A.IGNORE, S.ASKING),
        E.TOLD: (A.SECURE, S.SECURING),
        E.SECURED: (A.IGNORE, S.ASKING),
        E.LATE: (A.IGNORE, S.ASKING),
        E.BROKEN: (A.WAIT, S.FLUSHING),
        E.REFUSED: (A.IGNORE, S.ASKING),
        E.DENIED: (A.IGNORE, S.ASKING),
        E.GAVE_UP: (A.IGNORE, S.ASKING),
        E.UNREADABLE: (A.IGNORE, S.ASKING),
        E.RESTARTED: (A.IGNORE, S.ASKING),
    },
    S.SECURING: {
        E.OPEN: (A.IGNORE, S.SECURING),
        E.CONTROL_DONE: (A.IGNORE, S.SECURING),
        E.CONTROL_FAILED: (A.IGNORE, S.SECURING),
        E.AGAIN: (A.IGNORE, S.SECURING),
        E.DRY: (A.IGNORE, S.SECURING),
        E.TOLD: (A.IGNORE, S.SECURING),
        E.SECURED: (A.COME_UP, S.UP),
        E.LATE: (A.WAIT, S.FLUSHING),
        E.BROKEN: (A.WAIT, S.FLUSHING),
        E.REFUSED: (A.WAIT, S.FLUSHING),
        E.DENIED: (A.STOP, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.SECURING),
        E.UNREADABLE: (A.IGNORE, S.SECURING),
        E.RESTARTED: (A.WAIT, S.FLUSHING),
    },
    S.UP: {
        E.OPEN: (A.IGNORE, S.UP),
        E.CONTROL_DONE: (A.IGNORE, S.UP),
        E.CONTROL_FAILED: (A.IGNORE, S.UP),
        E.AGAIN: (A.IGNORE, S.UP),
        E.DRY: (A.IGNORE, S.UP),
        E.TOLD: (A.IGNORE, S.UP),
        E.SECURED: (A.IGNORE, S.UP),
        E.LATE: (A.FLUSH, S.RECOVERING),
        E.BROKEN: (A.FLUSH, S.RECOVERING),
        E.REFUSED: (A.IGNORE, S.UP),
        E.DENIED: (A.IGNORE, S.UP),
        E.GAVE_UP: (A.LOSE, S.FLUSHING),
        E.UNREADABLE: (A.LOSE, S.FLUSHING),
        E.RESTARTED: (A.LOSE, S.FLUSHING),
    },
    S.RECOVERING: {
        E.OPEN: (A.IGNORE, S.RECOVERING),
        E.CONTROL_DONE: (A.DRAIN, S.DRYING),
        E.CONTROL_FAILED: (A.LOSE, S.FLUSHING),
        E.AGAIN: (A.IGNORE, S.RECOVERING),
        E.DRY: (A.IGNORE, S.RECOVERING),
        E.TOLD: (A.IGNORE, S.RECOVERING),
        E.SECURED: (A.IGNORE, S.RECOVERING),
        E.LATE: (A.IGNORE, S.RECOVERING),
        E.BROKEN: (A.IGNORE, S.RECOVERING),
        E.REFUSED: (A.IGNORE, S.RECOVERING),
        E.DENIED: (A.IGNORE, S.RECOVERING),
        E.GAVE_UP: (A.LOSE, S.FLUSHING),
        E.UNREADABLE: (A.LOSE, S.FLUSHING),
        E.RESTARTED: (A.LOSE, S.FLUSHING),
    },
    S.DRYING: {
        E.OPEN: (A.IGNORE, S.DRYING),
        E.CONTROL_DONE: (A.IGNORE, S.DRYING),
        E.CONTROL_FAILED: (A.IGNORE, S.DRYING),
        E.AGAIN: (A.IGNORE, S.DRYING),
        E.DRY: (A.SECURE, S.RESECURING),
        E.TOLD: (A.IGNORE, S.DRYING),
        E.SECURED: (A.IGNORE, S.DRYING),
        E.LATE: (A.IGNORE, S.DRYING),
        E.BROKEN: (A.FLUSH, S.RECOVERING),
        E.REFUSED: (A.IGNORE, S.DRYING),
        E.DENIED: (A.IGNORE, S.DRYING),
        E.GAVE_UP: (A.LOSE, S.FLUSHING),
        E.UNREADABLE: (A.LOSE, S.FLUSHING),
        E.RESTARTED: (A.LOSE, S.FLUSHING),
    },
    S.RESECURING: {
        E.OPEN: (A.IGNORE, S.RESECURING),
        E.CONTROL_DONE: (A.IGNORE, S.RESECURING),
        E.CONTROL_FAILED: (A.IGNORE, S.RESECURING),
        E.AGAIN: (A.IGNORE, S.RESECURING),
        E.DRY: (A.IGNORE, S.RESECURING),
        E.TOLD: (A.IGNORE, S.RESECURING),
        E.SECURED: (A.RESEND, S.UP),
        E.LATE: (A.FLUSH, S.RECOVERING),
        E.BROKEN: (A.FLUSH, S.RECOVERING),
        E.REFUSED: (A.LOSE, S.FLUSHING),
        E.DENIED: (A.STOP, S.CLOSED),
        E.GAVE_UP: (A.LOSE, S.FLUSHING),
        E.UNREADABLE: (A.LOSE, S.FLUSHING),
        E.RESTARTED: (A.LOSE, S.FLUSHING),
    },
}
