"""Which faults a Cedar can have. A motion, in which cards are counted, is a load, feeding, delivery, count, unload."""

from __future__ import annotations

from firmware_sim.catalogue.kind import Had, Key, Kind

FAMILY = "cedar"

_FED = ("card", "cycle")
_DRAWN = ("draw", "load")
_SHORT = ("SHOE_COUNT", "COUNT_MISMATCH")
_ZONE = Key("where it is stuck", "path", choices=("path", "carousel", "buffer", "output"))
_MOTION = Key("only in the n-th motion of this device", only=("cedar",))

HAS: dict[str, Had] = {
    "jam": Had(_FED, ("JAM",), {"zone": _ZONE}),
    "double_feed": Had(_FED, ("DOUBLE_FEED",)),
    "card_damaged": Had(_FED, ("CARD_DAMAGED",)),
    "missing": Had(_FED, _SHORT),
    "extra": Had(_FED, _SHORT),
    "duplicate": Had(_FED, ("COMPOSITION",)),
    "foreign": Had(_FED, ("FOREIGN",)),
    "wrong_back": Had(_FED, ("WRONG_BACK",)),
    "face_up": Had(_FED, ("FACE_UP",)),
    "unreadable": Had(_FED, ("UNREADABLE",)),
    "misread": Had(_DRAWN, ("CARD_DRAWN",)),
    "residual": Had(("cycle",), ("RESIDUAL",)),
    "early_draw": Had(("load",), ("EARLY_DRAW",)),
    "overdraw": Had(_DRAWN, ("OVERDRAW",)),
    "pushed_back": Had(_DRAWN, ("CARD_RETURNED",)),
    "door": Had(("cycle",), ("DOOR",)),
    "service": Had(("cycle",), ("SERVICE_PORT", "POWER_UP")),
    "tamper": Had(("cycle",), ("TAMPER",)),
    "flutter": Had(("cycle",)),
    "motor_stall": Had(("cycle",), ("MOTOR_STALL",)),
    "sensor_blocked": Had(("cycle",), ("SENSOR_BLOCKED",)),
    "sensor_weak": Had(("cycle",), ("SENSOR_WEAK", "CLEARED")),
    "overtemp": Had(("cycle",), ("OVERTEMP", "CLEARED")),
    "nvram_error": Had(("cycle",), ("NVRAM_ERROR",)),
    "clock": Had(("cycle",), ("CLOCK", "CLEARED")),
    "rng_health": Had(("cycle",), ("RNG_HEALTH",)),
    "fw_integrity": Had(("cycle",), ("FW_INTEGRITY",)),
    "lying_count": Had(("in", "out", "rest")),
    "power_cut": Had((), ("POWER_UP",)),
    "watchdog": Had((), ("POWER_UP",)),
    "torn_write": Had((), ("POWER_UP",)),
    "write_cut": Had((), ("POWER_UP",)),
    "gap": Had(),
    "event_twice": Had(),
    "unknown_event": Had(),
    "ring_full": Had((), ("TAMPER",)),
    "ring_small": Had(),
    "wiped": Had((), ("POWER_UP",)),
    "other_unit": Had((), ("POWER_UP",)),
    "reply_lost": Had(),
    "late": Had(),
    "corrupt": Had(),
    "frame_twice": Had(),
    "mute": Had(),
    "command_lost": Had(),
    "command_corrupt": Had(),
    "hang_up": Had(),
    "renamed": Had(),
}

KINDS: dict[str, tuple[Kind, ...]] = {
    "Cards": (
        Kind(
            "packet_size",
            (FAMILY,),
            "a packet gets more cards than it should, or fewer; the tray's sensor counts what lies there",
            {
                "card": Key("as the n-th card of the motion is given out", 2),
                "cycle": _MOTION,
                "by": Key("so many more come with it; below 0 it does not come", 1, least=-1),
            },
            {FAMILY: ("PACKET_READY",)},
        ),
        Kind(
            "packet_left",
            (FAMILY,),
            "hands that were to take a packet leave it in the tray; the next ones take it",
            {"packet": Key("the n-th packet taken from this device", 1)},
        ),
    ),
}
