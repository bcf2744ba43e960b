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
    SECURING = auto()
    """The handshake, where a session is wanted."""
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
    UNTRUE = auto()
    """The device says that the session ended, or an answer does not fit its seal."""
    SECURED = auto()
    """A session stands, or none is wanted."""
    UNSECURED = auto()
    """The handshake failed, and may succeed another time."""
    DENIED = auto()
    """The handshake failed, and will not succeed with this device."""


class HostAction(Enum):
    """What the host does about it."""

    IGNORE = auto()
    SYNC = auto()
    """Ask for SYNC at once."""
    SECURE = auto()
    """Begin the handshake, if there is to be one."""
    COME_UP = auto()
    STOP = auto()
    """Say why, and try no more."""
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


H, E, A = HostState, HostInput, HostAction
HostTable = Mapping[HostState, Mapping[HostInput, tuple[HostAction, HostState]]]

HOST: HostTable = {
    H.CLOSED: {
        E.OPEN: (A.SYNC, H.SYNCING),
        E.COMMAND: (A.IGNORE, H.CLOSED),
        E.REPLY: (A.IGNORE, H.CLOSED),
        E.UNREADABLE: (A.IGNORE, H.CLOSED),
        E.UNREADABLE_READ: (A.IGNORE, H.CLOSED),
        E.UNREADABLE_AGAIN: (A.IGNORE, H.CLOSED),
        E.STRAY: (A.IGNORE, H.CLOSED),
        E.TIMEOUT: (A.IGNORE, H.CLOSED),
        E.GAVE_UP: (A.IGNORE, H.CLOSED),
        E.OUT_OF_STEP: (A.IGNORE, H.CLOSED),
        E.RESTARTED: (A.IGNORE, H.CLOSED),
        E.UNTRUE: (A.IGNORE, H.CLOSED),
        E.SECURED: (A.IGNORE, H.CLOSED),
        E.UNSECURED: (A.IGNORE, H.CLOSED),
        E.DENIED: (A.IGNORE, H.CLOSED),
    },
    H.SYNCING: {
        E.OPEN: (A.IGNORE, H.SYNCING),
        E.COMMAND: (A.SEND, H.SYNCING),
        E.REPLY: (A.SECURE, H.SECURING),
        E.UNREADABLE: (A.DROP, H.SYNCING),
        E.UNREADABLE_READ: (A.DROP, H.SYNCING),
        E.UNREADABLE_AGAIN: (A.DROP, H.SYNCING),
        E.STRAY: (A.DROP, H.SYNCING),
        E.TIMEOUT: (A.REPEAT, H.SYNCING),
        E.GAVE_UP: (A.WAIT, H.SYNCING),
        E.OUT_OF_STEP: (A.REPEAT, H.SYNCING),
        E.RESTARTED: (A.IGNORE, H.SYNCING),
        E.UNTRUE: (A.IGNORE, H.SYNCING),
        E.SECURED: (A.IGNORE, H.SYNCING),
        E.UNSECURED: (A.IGNORE, H.SYNCING),
        E.DENIED: (A.IGNORE, H.SYNCING),
    },
    H.SECURING: {
        E.OPEN: (A.IGNORE, H.SECURING),
        E.COMMAND: (A.SEND, H.SECURING),
        E.REPLY: (A.DELIVER, H.SECURING),
        E.UNREADABLE: (A.REPEAT, H.SECURING),
        E.UNREADABLE_READ: (A.IGNORE, H.SECURING),
        E.UNREADABLE_AGAIN: (A.WAIT, H.SYNCING),
        E.STRAY: (A.DROP, H.SECURING),
        E.TIMEOUT: (A.REPEAT, H.SECURING),
        E.GAVE_UP: (A.WAIT, H.SYNCING),
        E.OUT_OF_STEP: (A.WAIT, H.SYNCING),
        E.RESTARTED: (A.IGNORE, H.SECURING),
        E.UNTRUE: (A.WAIT, H.SYNCING),
        E.SECURED: (A.COME_UP, H.IDLE),
        E.UNSECURED: (A.WAIT, H.SYNCING),
        E.DENIED: (A.STOP, H.CLOSED),
    },
    H.IDLE: {
        E.OPEN: (A.IGNORE, H.IDLE),
        E.COMMAND: (A.SEND, H.WAITING),
        E.REPLY: (A.DROP, H.IDLE),
        E.UNREADABLE: (A.DROP, H.IDLE),
        E.UNREADABLE_READ: (A.DROP, H.IDLE),
        E.UNREADABLE_AGAIN: (A.DROP, H.IDLE),
        E.STRAY: (A.DROP, H.IDLE),
        E.TIMEOUT: (A.IGNORE, H.IDLE),
        E.GAVE_UP: (A.IGNORE, H.IDLE),
        E.OUT_OF_STEP: (A.IGNORE, H.IDLE),
        E.RESTARTED: (A.LOSE, H.SYNCING),
        E.UNTRUE: (A.LOSE, H.SYNCING),
        E.SECURED: (A.IGNORE, H.IDLE),
        E.UNSECURED: (A.IGNORE, H.IDLE),
        E.DENIED: (A.IGNORE, H.IDLE),
    },
    H.WAITING: {
        E.OPEN: (A.IGNORE, H.WAITING),
        E.COMMAND: (A.SEND, H.WAITING),
        E.REPLY: (A.DELIVER, H.IDLE),
        E.UNREADABLE: (A.REPEAT, H.WAITING),
        E.UNREADABLE_READ: (A.ABANDON, H.IDLE),
        E.UNREADABLE_AGAIN: (A.LOSE, H.SYNCING),
        E.STRAY: (A.DROP, H.WAITING),
        E.TIMEOUT: (A.REPEAT, H.WAITING),
        E.GAVE_UP: (A.LOSE, H.SYNCING),
        E.OUT_OF_STEP: (A.LOSE, H.SYNCING),
        E.RESTARTED: (A.LOSE, H.SYNCING),
        E.UNTRUE: (A.LOSE, H.SYNCING),
        E.SECURED: (A.IGNORE, H.WAITING),
        E.UNSECURED: (A.IGNORE, H.WAITING),
        E.DENIED: (A.IGNORE, H.WAITING),
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
