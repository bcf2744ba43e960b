"""Dogwood in numbers: plug, reports, timings, states (dogwood.md §1, §2, §3, §5, §6). Times are seconds."""

from __future__ import annotations

from protocols.usb import FULL, UsbPlug
from protocols.vocabulary import Capability

NAME = "dogwood"
FAMILY_BYTE = 0x44
CAPS = Capability(0x1E08)
BRAKE = Capability.GATE
"""Some units can hold a card back; they claim a gate."""
RING = 128
ID_MAX = 0xFFFF

REPORT_OUT, REPORT_IN = 0x01, 0x81
USB = UsbPlug(
    device=bytes.fromhex("12 01 00 02 00 00 00 40 09 12 02 5C 00 01 01 02 03 01"),
    configurations={
        FULL: bytes.fromhex(
            "09 02 29 00 01 01 00 A0 FA 09 04 00 00 02 03 00 00 00 09 21 11 01 00 01 22 4D 00"
            "07 05 81 03 40 00 04 07 05 01 03 40 00 04"
        )
    },
    report=bytes.fromhex(
        "06 5C FF 09 01 A1 01 15 00 26 FF 00 75 08 95 3F"
        "85 01 09 01 81 02 85 02 09 02 81 02 85 03 09 03 81 02 85 04 09 04 81 02"
        "85 10 09 10 91 02 85 11 09 11 91 02"
        "85 20 09 20 B1 02 85 22 09 22 B1 02 85 24 09 24 B1 02 85 26 09 26 B1 02 C0"
    ),
)

REPORT_SIZE = 64
DATA_SIZE = 63
"""Bytes of a report after its id."""
FAULTS_MAX = 7

RESEND = 0.250
"""A retained report without ACK goes out again after so long."""
ANSWER_WITHIN = 0.250
TRIES = 4
STATUS_EVERY = 1.0
STATUS_MISSED = 3.0
"""Without STATUS for so long the host looks whether the device is still there."""
STATUS_SETTLES = 0.030
"""A STATUS that was asked for: the first that comes, or after so long the last one that came."""
STATUS_FRESH = 1.5
CONTROL_WITHIN = 1.0

LEASE_MAX = 0xFE
LEASE_FREE = 0xFF
REMAIN_UNKNOWN = 0xFFFF

FLAGS = (
    "lid closed",
    "brake on",
    "fault open",
    "RING_HIGH",
    "cut card seen",
    "report outstanding",
    "ring full",
    "session active",
)
FLAG_LID_CLOSED = 1 << 0
FLAG_OUTSTANDING = 1 << 5
FLAG_SESSION = 1 << 7

STATES = {
    0: "BOOT",
    1: "UNLOADED",
    2: "LOADED",
    3: "ARMED",
    4: "HOLD",
    5: "ENDING",
    6: "EMPTY",
    7: "RETIRED",
    8: "FAULT",
    9: "LID_OPEN",
    10: "SERVICE",
}
ZONES = ("shoe", "mouth", "drawn")
