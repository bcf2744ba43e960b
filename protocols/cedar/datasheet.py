"""Cedar in numbers: plug, frame, link rules, timings, states (cedar.md §1, §2, §4, §5). Times are seconds."""

from __future__ import annotations

from protocols.usb import FULL, HIGH, UsbPlug
from protocols.vocabulary import Capability

NAME = "cedar"
FAMILY_BYTE = 0x43
CAPS = Capability(0x7FBD)
RING = 4096
ID_MAX = 0xFFFF_FFFF

BULK_OUT, BULK_IN, DOORBELL_IN = 0x01, 0x81, 0x82
_INTERFACE = "09 04 00 00 03 FF 5C 01 00"
_HEAD = "09 02 27 00 01 01 00 C0 32"
USB = UsbPlug(
    device=bytes.fromhex("12 01 00 02 00 00 00 40 09 12 01 5C 00 01 01 02 03 01"),
    qualifier=bytes.fromhex("0A 06 00 02 00 00 00 40 01 00"),
    configurations={
        FULL: bytes.fromhex(f"{_HEAD} {_INTERFACE} 07 05 01 02 40 00 00 07 05 81 02 40 00 00 07 05 82 03 10 00 08"),
        HIGH: bytes.fromhex(f"{_HEAD} {_INTERFACE} 07 05 01 02 00 02 00 07 05 81 02 00 02 00 07 05 82 03 10 00 07"),
    },
)

MAGIC = 0x5CC5
VERSION = 1
HEAD_SIZE = 16
OVERHEAD = 20
PAYLOAD_MAX = 4_076
FRAME_MAX = 4_096
DOORBELL_SIZE = 16

CREDITS = 4
ANSWER_WITHIN = 0.200
TIMEOUT = 0.500
TRIES = 3
"""Times that a command is sent before the link counts as lost. The document leaves the number open."""
DRY = 0.050
"""After a flush the host reads until nothing has come for so long."""
CONTROL_WITHIN = 1.0
DOORBELL_EVERY = 1.0
DOORBELL_MISSED = 3.0
"""Without a doorbell for so long the host looks for events by itself: the interrupt endpoint may be dead."""
END_WITHIN = 0.050
"""A whole frame that fills its last packet is taken after so long, for a device that forgets the empty packet."""
LEASE_MAX = 0xFE
LEASE_FREE = 0xFF
PACKETS_MAX = 16
PACKET_CARDS_MAX = 13

FLAGS = (
    "RING_HIGH",
    "door open",
    "fault open",
    "service",
    "packet waiting",
    "retained events",
    "session active",
    "session needed",
)
FLAG_SESSION_ACTIVE = 1 << 6
FLAG_SESSION_NEEDED = 1 << 7

STATES = {
    0: "BOOT",
    1: "HOMING",
    2: "UNLOADED",
    3: "LOADING",
    4: "MIXING",
    5: "READY",
    6: "DELIVERING",
    7: "WAIT_TAKE",
    8: "RECYCLING",
    9: "REJECT_PENDING",
    10: "FAULT",
    11: "LOCKED",
    12: "PURGING",
    13: "SERVICE",
    14: "ARMED",
}
ZONES = ("infeed", "path", "carousel", "buffer", "output", "reject")
