"""What goes wrong with power, with memory and with the record of events."""

from __future__ import annotations

from firmware_sim.catalogue.kind import BOTH, EVENT, Key, Kind, both

_PASS = Key("only in the n-th cycle (alder) or loading (birch)")
_INSTEAD = Key("instead: at the n-th event of this run")
_UNKNOWN = ("03", "17", "35", "60", "9A", "9F")

POWER = (
    Kind(
        "power_cut",
        BOTH,
        "the device loses power",
        {
            "card": Key("while it feeds (alder) or lets out (birch) the n-th card", 31),
            "cycle": _PASS,
            "event": _INSTEAD,
            "cause": Key("what POWER_UP says: 0 normal, 1 brown-out, 2 watchdog, 4 firmware fault", 1, least=0),
        },
        both("POWER_UP"),
    ),
    Kind(
        "watchdog",
        BOTH,
        "the firmware hangs and its watchdog restarts it",
        {
            "card": Key("while it feeds (alder) or lets out (birch) the n-th card", 7),
            "cycle": _PASS,
            "event": _INSTEAD,
        },
        both("POWER_UP"),
    ),
    Kind("torn_write", BOTH, "power fails in the middle of an NVRAM write", {"event": EVENT}, both("POWER_UP")),
    Kind(
        "write_cut",
        BOTH,
        "power fails at an NVRAM write",
        {
            "write": Key("the n-th write of this run", 1),
            "how": Key("nothing of it is kept, half of it, or all", "torn", choices=("before", "torn", "after")),
        },
        both("POWER_UP"),
    ),
    Kind("gap", BOTH, "an event is lost from the ring and leaves a hole in seq", {"event": EVENT}),
    Kind(
        "event_twice",
        BOTH,
        "an event is told twice",
        {"event": EVENT, "bytes": Key("those of the second time", "same", choices=("same", "other"))},
    ),
    Kind(
        "unknown_event",
        BOTH,
        "an event of a code that no document has; 9A and 9F are open faults",
        {"event": EVENT, "code": Key("the code", "17", choices=_UNKNOWN)},
    ),
    Kind(
        "ring_full",
        BOTH,
        "a loose tamper switch fills the ring; what finds no slot is lost",
        {"event": EVENT, "records": Key("so many events at once", 200)},
        both("TAMPER"),
    ),
    Kind(
        "ring_small",
        BOTH,
        "the ring has few slots, so that motion waits for the host's acknowledgements",
        {"slots": Key("so many; a motion needs 32 of them free", 40, least=33)},
    ),
    Kind("wiped", BOTH, "power fails and NVRAM comes back blank: another epoch", {"event": EVENT}, both("POWER_UP")),
    Kind(
        "other_unit",
        BOTH,
        "another unit of the family is put in its place: the line drops, the serial is another",
        {"event": EVENT},
        both("POWER_UP"),
    ),
)
