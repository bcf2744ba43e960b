"""What a machine reports as wrong, in the words of the pit: what it is, what to do, its page in docs/operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from protocols.vocabulary import EventCode


@dataclass(frozen=True)
class FaultWords:
    """A fault for people: its title, what to do, and its page under docs/operators."""

    title: str
    do: str
    page: str


# What a machine reports (common.md §7.1, codes from 80 on).
FAULTS: Final[Mapping[int, FaultWords]] = {
    EventCode.JAM: FaultWords(
        "A card is stuck", "Open the machine, take the stuck card out of the path, close it.", "jam"
    ),
    EventCode.DOUBLE_FEED: FaultWords(
        "Two cards went in at once", "Open the machine, part the two cards in the path, close it.", "double-feed"
    ),
    EventCode.COUNT_MISMATCH: FaultWords("The count is wrong", "Take all cards out and count them.", "count-mismatch"),
    EventCode.UNREADABLE: FaultWords(
        "A card could not be read",
        "Two persons look at the card and enter it, or push it back for another try.",
        "unreadable",
    ),
    EventCode.DUPLICATE: FaultWords(
        "A card came twice", "Leave the cards where they lie and wait for the floorperson.", "duplicate"
    ),
    EventCode.FOREIGN: FaultWords(
        "A strange card", "Leave the cards where they lie and wait for the floorperson.", "foreign"
    ),
    EventCode.FACE_UP: FaultWords(
        "A card lies face up", "Turn the card over without showing it further, lay it where the page says.", "face-up"
    ),
    EventCode.WRONG_BACK: FaultWords(
        "A card with another back", "Leave the cards where they lie and wait for the floorperson.", "wrong-back"
    ),
    EventCode.OVERDRAW: FaultWords(
        "A card too many was drawn", "Leave the card face down; the page says where it goes.", "overdraw"
    ),
    EventCode.EARLY_DRAW: FaultWords(
        "A card was drawn too early", "Leave the card face down; the page says where it goes.", "early-draw"
    ),
    EventCode.RESIDUAL: FaultWords("A card stayed in the machine", "Take out what is left in it.", "residual"),
    EventCode.MOTOR_STALL: FaultWords(
        "A motor does not turn", "See that nothing is in the way of its rollers and gate.", "motor-stall"
    ),
    EventCode.SENSOR_BLOCKED: FaultWords(
        "A sensor is covered", "Wipe its sensors, take away what covers them.", "sensor-blocked"
    ),
    EventCode.SENSOR_WEAK: FaultWords("A sensor gets weak", "Clean the windows at the next break.", "sensor-weak"),
    EventCode.OVERTEMP: FaultWords("The machine is too warm", "Keep its vents free and let it cool down.", "overtemp"),
    EventCode.NVRAM_ERROR: FaultWords(
        "Its memory reports an error", "Call service; when they have looked, say so on the page.", "nvram-error"
    ),
    EventCode.CLOCK: FaultWords("Its clock is wrong", "Nothing: the table does not use it.", "clock"),
    EventCode.RNG_HEALTH: FaultWords(
        "Its source of chance failed its test",
        "Call service; the machine shuffles no deck until they have looked.",
        "rng-health",
    ),
    EventCode.FW_INTEGRITY: FaultWords(
        "Its firmware does not match its check", "Take the machine off the table and call service.", "fw-integrity"
    ),
    EventCode.CARD_DAMAGED: FaultWords(
        "A bent card", "Open the machine, take the bent card out, close it.", "card-damaged"
    ),
    EventCode.COMMS_LOST: FaultWords(
        "It has not heard from the table", "Wait; if it stays, look at the cable.", "comms-lost"
    ),
}

# What the table sees itself, by a name of ours.
CONDITIONS: Final[Mapping[str, FaultWords]] = {
    "link-lost": FaultWords("The machine does not answer", "Look at its cable and its power.", "link-lost"),
    "door": FaultWords("The door is open", "Close the door.", "door"),
    "lid": FaultWords("The lid is open", "Close the lid of the shoe.", "lid"),
    "service-port": FaultWords("Something is in the service port", "Pull the service plug out.", "service-port"),
    "tamper": FaultWords("The case was opened", "Call the floorperson.", "tamper"),
    "another-unit": FaultWords(
        "Another machine is in its place",
        "Put the right machine back, or have the configuration corrected.",
        "another-unit",
    ),
    "restarted": FaultWords("The machine restarted", "Wait: the table asks it what it still knows.", "restarted"),
    "journal": FaultWords(
        "Nothing can be written", "Call whoever looks after the controller; do not switch it off.", "journal"
    ),
    "disk": FaultWords("The disk is nearly full", "Finish the round; call whoever looks after the controller.", "disk"),
    "line": FaultWords("The line gets worse", "Nothing now; have its cable looked at after the shift.", "line"),
    "bus": FaultWords("The bus is down", "Nothing: the table plays on.", "bus"),
    "counted-wrong": FaultWords(
        "You counted another number", "Wait for the floorperson; the deck goes.", "counted-wrong"
    ),
    "reported": FaultWords("You reported what you saw", "Do what the page says next, step by step.", "reported"),
}


def words_of(code: int) -> FaultWords:
    """The words for a fault code; those of a code that nobody has named say so."""
    unknown = FaultWords(f"Fault {code:02X}", "Call service: this fault is not known here.", "README")
    return FAULTS.get(code, unknown)
