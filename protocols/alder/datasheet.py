"""Alder in numbers: line, limits, timings, states, plug (alder.md §1, §3, §5, §6, §10). Times are seconds."""

from __future__ import annotations

from protocols.usb import FULL, UsbPlug
from protocols.vocabulary import Capability

NAME = "alder"
FAMILY_BYTE = 0x41
CAPS = Capability(0x1743)
RING = 256
ID_MAX = 0xFFFF

BAUD = 57_600
BAUDS = (9_600, 19_200, 38_400, 57_600, 115_200)
BITS_PER_BYTE = 10

USB = UsbPlug(
    device=bytes.fromhex("12 01 00 02 EF 02 01 40 09 12 03 5C 00 01 01 02 03 01"),
    configurations={
        FULL: bytes.fromhex(
            "09 02 4B 00 02 01 00 C0 32  08 0B 00 02 02 02 01 00"
            "09 04 00 00 01 02 02 01 00  05 24 00 10 01  05 24 01 00 01  04 24 02 02  05 24 06 00 01"
            "07 05 83 03 08 00 10"
            "09 04 01 00 02 0A 00 00 00  07 05 02 02 40 00 00  07 05 82 02 40 00 00"
        )
    },
)
"""The variant with a USB plug of its own, CDC-ACM; the other one has RS-232."""

PAYLOAD_MAX = 200
FRAME_MIN = 3
FRAME_MAX = 203
GAP = 0.050
"""A longer pause between two bytes inside a frame drops the frame."""

MODULO = 8
WINDOW = 4
ACK_WITHIN = 0.020
T1_FIRST = 0.400
T1_MOST = 1.200
TIMEOUTS = 5
"""That many expiries of T1 without progress lose the link."""

RESET_AGAIN = 1.0
KEEP_ALIVE = 2.0
SILENCE = 6.0
RNR_LONGEST = 5.0
SECURED_WITHIN = 5.0
"""A handshake that takes longer begins anew. The document leaves the time open."""

PROGRESS_EVERY = 0.250
ANSWER_WITHIN = 0.100
DECK_MAX = 60

STATES = {
    0: "BOOT",
    1: "HOMING",
    2: "EMPTY",
    3: "LOADED",
    4: "FEEDING",
    5: "MIXING",
    6: "VERIFYING",
    7: "READY",
    8: "PRESENTED",
    9: "FAULT",
    10: "DOOR_OPEN",
    11: "LOCKED",
    12: "SERVICE",
}
ZONES = ("infeed", "path", "rack", "output")

STATUS_FLAGS = ("RING_HIGH", "deck 0 verified", "deck 1 verified", "door open", "service", "fault open")
NO_TRAY = 0xFF
