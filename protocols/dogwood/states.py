"""The states of the host's end of a Dogwood link and what ends them (dogwood.md §4, §8) as a table.

Each state has an entry for each input, also for those that cannot happen there. The device's end has no states of its
own: there is no reset, and what a new host needs it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto


class State(Enum):
    """Where the host stands."""

    CLOSED = auto()
    ASKING = auto()
    """Identity and window are asked for, or will be."""
    UP = auto()


class Input(Enum):
    """What can happen to the host."""

    OPEN = auto()
    TOLD = auto()
    """Identity and window came."""
    REFUSED = auto()
    """A feature report was refused, did not come, or does not fit."""
    AGAIN = auto()
    """A second since they were refused."""
    GAVE_UP = auto()
    """A command has no result after its last try."""
    RESTARTED = auto()
    """Another boot."""


class Action(Enum):
    """What the host does about it."""

    IGNORE = auto()
    ASK = auto()
    WAIT = auto()
    """Ask again in a second."""
    COME_UP = auto()
    LOSE = auto()
    """Say that the link is lost, and ask again in a second."""


S, E, A = State, Input, Action

HOST: Mapping[State, Mapping[Input, tuple[Action, State]]] = {
    S.CLOSED: {
        E.OPEN: (A.ASK, S.ASKING),
        E.TOLD: (A.IGNORE, S.CLOSED),
        E.REFUSED: (A.IGNORE, S.CLOSED),
        E.AGAIN: (A.IGNORE, S.CLOSED),
        E.GAVE_UP: (A.IGNORE, S.CLOSED),
        E.RESTARTED: (A.IGNORE, S.CLOSED),
    },
    S.ASKING: {
        E.OPEN: (A.IGNORE, S.ASKING),
        E.TOLD: (A.COME_UP, S.UP),
        E.REFUSED: (A.WAIT, S.ASKING),
        E.AGAIN: (A.ASK, S.ASKING),
        E.GAVE_UP: (A.IGNORE, S.ASKING),
        E.RESTARTED: (A.IGNORE, S.ASKING),
    },
    S.UP: {
        E.OPEN: (A.IGNORE, S.UP),
        E.TOLD: (A.IGNORE, S.UP),
        E.REFUSED: (A.LOSE, S.ASKING),
        E.AGAIN: (A.IGNORE, S.UP),
        E.GAVE_UP: (A.LOSE, S.ASKING),
        E.RESTARTED: (A.LOSE, S.ASKING),
    },
}
