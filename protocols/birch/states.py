"""The states of a Birch link and what ends them (birch.md §3, §7): one table for the master, one for the shoe.

Each state has an entry for each input, also for those that cannot happen there.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto


class HostState(Enum):
    """Where the host stands with one shoe."""

    CLOSED = auto()
    SYNCING = auto()
    IDLE = auto()
    WAITING = auto()
    """A command is out, or has to go out once more."""


class HostInput(Enum):
    """What can happen to the host."""

    OPEN = auto()
    COMMAND = auto()
    """The next command begins."""
    REPLY = auto()
    """The right reply, and it can be read."""
    UNREADABLE = auto()
    """The right reply with a body that does not fit, for the first time."""
    UNREADABLE_READ = auto()
    """Once more, and it was the link's own poll or event read."""
    UNREADABLE_AGAIN = auto()
    """Once more, and the code above had asked."""
    STRAY = auto()
    """A reply to something else, maybe a late one."""
    TIMEOUT = auto()
    GAVE_UP = auto()
    """The last try timed out."""
    OUT_OF_STEP = auto()
    """Timed out, and a reply with our toggle answered another command: the toggles no longer agree."""
    RESTARTED = auto()
    """A poll said that the device restarted since the last SYNC."""


class HostAction(Enum):
    """What the host does about it."""

    IGNORE = auto()
    SYNC = auto()
    """Ask for SYNC at once."""
    COME_UP = auto()
    SEND = auto()
    DELIVER = auto()
    DROP = auto()
    REPEAT = auto()
    """Same bytes again."""
    ABANDON = auto()
    """Leave these events alone until something new is recorded."""
    WAIT = auto()
    """SYNC again in a second."""
    LOSE = auto()
    """Say that the link is lost, and SYNC."""


H, I, A = HostState, HostInput, HostAction
HostTable = Mapping[HostState, Mapping[HostInput, tuple[HostAction, HostState]]]

HOST: HostTable = {
    H.CLOSED: {
        I.OPEN: (A.SYNC, H.SYNCING),
        I.COMMAND: (A.IGNORE, H.CLOSED),
        I.REPLY: (A.IGNORE, H.CLOSED),
        I.UNREADABLE: (A.IGNORE, H.CLOSED),
        I.UNREADABLE_READ: (A.IGNORE, H.CLOSED),
        I.UNREADABLE_AGAIN: (A.IGNORE, H.CLOSED),
        I.STRAY: (A.IGNORE, H.CLOSED),
        I.TIMEOUT: (A.IGNORE, H.CLOSED),
        I.GAVE_UP: (A.IGNORE, H.CLOSED),
        I.OUT_OF_STEP: (A.IGNORE, H.CLOSED),
        I.RESTARTED: (A.IGNORE, H.CLOSED),
    },
    H.SYNCING: {
        I.OPEN: (A.IGNORE, H.SYNCING),
        I.COMMAND: (A.SEND, H.SYNCING),
        I.REPLY: (A.COME_UP, H.IDLE),
        I.UNREADABLE: (A.DROP, H.SYNCING),
        I.UNREADABLE_READ: (A.DROP, H.SYNCING),
        I.UNREADABLE_AGAIN: (A.DROP, H.SYNCING),
        I.STRAY: (A.DROP, H.SYNCING),
        I.TIMEOUT: (A.REPEAT, H.SYNCING),
        I.GAVE_UP: (A.WAIT, H.SYNCING),
        I.OUT_OF_STEP: (A.REPEAT, H.SYNCING),
        I.RESTARTED: (A.IGNORE, H.SYNCING),
    },
    H.IDLE: {
        I.OPEN: (A.IGNORE, H.IDLE),
        I.COMMAND: (A.SEND, H.WAITING),
        I.REPLY: (A.DROP, H.IDLE),
        I.UNREADABLE: (A.DROP, H.IDLE),
        I.UNREADABLE_READ: (A.DROP, H.IDLE),
        I.UNREADABLE_AGAIN: (A.DROP, H.IDLE),
        I.STRAY: (A.DROP, H.IDLE),
        I.TIMEOUT: (A.IGNORE, H.IDLE),
        I.GAVE_UP: (A.IGNORE, H.IDLE),
        I.OUT_OF_STEP: (A.IGNORE, H.IDLE),
        I.RESTARTED: (A.LOSE, H.SYNCING),
    },
    H.WAITING: {
        I.OPEN: (A.IGNORE, H.WAITING),
        I.COMMAND: (A.SEND, H.WAITING),
        I.REPLY: (A.DELIVER, H.IDLE),
        I.UNREADABLE: (A.REPEAT, H.WAITING),
        I.UNREADABLE_READ: (A.ABANDON, H.IDLE),
        I.UNREADABLE_AGAIN: (A.LOSE, H.SYNCING),
        I.STRAY: (A.DROP, H.WAITING),
        I.TIMEOUT: (A.REPEAT, H.WAITING),
        I.GAVE_UP: (A.LOSE, H.SYNCING),
        I.OUT_OF_STEP: (A.LOSE, H.SYNCING),
        I.RESTARTED: (A.LOSE, H.SYNCING),
    },
}


class DeviceState(Enum):
    """Where the shoe stands with its host."""

    CLOSED = auto()
    RESTARTED = auto()
    """No SYNC since the start: nothing that changes anything is taken."""
    SYNCED = auto()


class DeviceInput(Enum):
    """What can happen to the shoe."""

    OPEN = auto()
    SYNC = auto()
    QUERY = auto()
    """A new command of class Q."""
    COMMAND = auto()
    """A new command of class S or M."""
    MALFORMED = auto()
    """A new command of unknown type, or whose data does not fit."""
    REPEAT = auto()
    """The toggle of the last command, whatever the command says."""
    BROADCAST = auto()
    SILENCE = auto()
    """Nothing taken as new for a second."""


class DeviceAction(Enum):
    """What the shoe does about it."""

    IGNORE = auto()
    START = auto()
    RESUME = auto()
    """Toggle 0; say where the device stands."""
    HAND_UP = auto()
    BUSY = auto()
    """E_BUSY until the host has synchronised."""
    REFUSE = auto()
    """E_UNSUPPORTED or E_PARAM."""
    ANSWER_AGAIN = auto()
    FALL_SILENT = auto()
    """Tell the firmware that nobody is heard."""


D, J, B = DeviceState, DeviceInput, DeviceAction
DeviceTable = Mapping[DeviceState, Mapping[DeviceInput, tuple[DeviceAction, DeviceState]]]

DEVICE: DeviceTable = {
    D.CLOSED: {
        J.OPEN: (B.START, D.RESTARTED),
        J.SYNC: (B.IGNORE, D.CLOSED),
        J.QUERY: (B.IGNORE, D.CLOSED),
        J.COMMAND: (B.IGNORE, D.CLOSED),
        J.MALFORMED: (B.IGNORE, D.CLOSED),
        J.REPEAT: (B.IGNORE, D.CLOSED),
        J.BROADCAST: (B.IGNORE, D.CLOSED),
        J.SILENCE: (B.IGNORE, D.CLOSED),
    },
    D.RESTARTED: {
        J.OPEN: (B.IGNORE, D.RESTARTED),
        J.SYNC: (B.RESUME, D.SYNCED),
        J.QUERY: (B.HAND_UP, D.RESTARTED),
        J.COMMAND: (B.BUSY, D.RESTARTED),
        J.MALFORMED: (B.REFUSE, D.RESTARTED),
        J.REPEAT: (B.ANSWER_AGAIN, D.RESTARTED),
        J.BROADCAST: (B.HAND_UP, D.RESTARTED),
        J.SILENCE: (B.FALL_SILENT, D.RESTARTED),
    },
    D.SYNCED: {
        J.OPEN: (B.IGNORE, D.SYNCED),
        J.SYNC: (B.RESUME, D.SYNCED),
        J.QUERY: (B.HAND_UP, D.SYNCED),
        J.COMMAND: (B.HAND_UP, D.SYNCED),
        J.MALFORMED: (B.REFUSE, D.SYNCED),
        J.REPEAT: (B.ANSWER_AGAIN, D.SYNCED),
        J.BROADCAST: (B.HAND_UP, D.SYNCED),
        J.SILENCE: (B.FALL_SILENT, D.SYNCED),
    },
}
