"""Birch in numbers: line, link rules, timings, states (birch.md §1, §3, §5, §6). Times are seconds."""

from __future__ import annotations

from protocols.vocabulary import Capability

NAME = "birch"
FAMILY_BYTE = 0x42
CAPS = Capability(0x5F98)
RING = 512
ID_MAX = 0xFFFF

BAUD = 38_400
BITS_PER_BYTE = 10
HOST = 1
BROADCAST = 0
DEVICES = range(2, 16)
DEFAULT_ADDRESS = 3

DATA_MAX = 240
OVERHEAD = 6
FRAME_MAX = DATA_MAX + OVERHEAD

IDLE_BEFORE_COMMAND = 0.005
DEVICE_GAP = 0.010
"""A pause of that length inside a frame makes a device forget what came before."""
ANSWER_AFTER = 0.002
"""A device begins its answer 2 to 8 ms after the last byte of a command."""
FIRST_BYTE = 0.030
LAST_BYTE = 0.100
ADAPTER_DELAY = 0.050
"""What a usual USB adapter adds to both time-outs."""
TRIES = 3
SYNC_EVERY = 1.0
SILENCE = 1.0
POLL_EVERY = 0.090
"""Polls may be 100 ms apart; the rest is for whoever keeps the time."""

RECENT_MAX = 5
GATE_MOVES = 0.025
DRAW_MIN = 0.150
LEASE_MAX = 0xFE
LEASE_FREE = 0xFF

FLAG_RETAINED = 1 << 5
FLAG_RESTARTED = 1 << 6
FLAG_SESSION_NEEDED = 1 << 7
POLL_FLAGS = (
    "lid closed",
    "gate open",
    "fault open",
    "RING_HIGH",
    "cut card seen",
    "retained events",
    "restarted since SYNC",
    "session needed",
)

STATES = {
    0: "BOOT",
    1: "UNLOADED",
    2: "LOADED",
    3: "ARMED",
    4: "HOLD",
    5: "ENDING",
    6: "EMPTY",
    7: "LOADING",
    8: "FAULT",
    9: "LID_OPEN",
    10: "SERVICE",
}
ZONES = ("shoe", "mouth", "drawn")
