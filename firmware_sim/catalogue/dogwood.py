"""Which faults a Dogwood can have: those of a shoe, but for what only a gate or a counting sensor can do."""

from __future__ import annotations

from firmware_sim.catalogue.kind import Had, Kind

FAMILY = "dogwood"

_LYING = ("draw", "load")

HAS: dict[str, Had] = {
    "missing": Had(_LYING, ("SHOE_COUNT",)),
    "extra": Had(_LYING, ("SHOE_COUNT",)),
    "duplicate": Had(_LYING, ("DUPLICATE",)),
    "foreign": Had(_LYING, ("FOREIGN",)),
    "wrong_back": Had(_LYING, ("WRONG_BACK",)),
    "face_up": Had(_LYING, ("FACE_UP",)),
    "unreadable": Had(_LYING, ("UNREADABLE",)),
    "misread": Had((*_LYING, "later", "after"), ("CARD_DRAWN",)),
    "residual": Had(("load",)),
    "early_draw": Had(("load",), ("EARLY_DRAW",)),
    "overdraw": Had(_LYING, ("OVERDRAW",)),
    "pushed_back": Had(_LYING, ("CARD_RETURNED",)),
    "cut_card": Had(_LYING, ("CUT_CARD",)),
    "lid": Had(("load",), ("LID",)),
    "service": Had(("load",), ("SERVICE_PORT", "POWER_UP")),
    "tamper": Had(("load",), ("TAMPER",)),
    "flutter": Had(("load",)),
    "motor_stall": Had(("load",), ("MOTOR_STALL",)),
    "sensor_blocked": Had(("load",), ("SENSOR_BLOCKED",)),
    "sensor_weak": Had(("load",), ("SENSOR_WEAK", "CLEARED")),
    "overtemp": Had(("load",), ("OVERTEMP", "CLEARED")),
    "nvram_error": Had(("load",), ("NVRAM_ERROR",)),
    "clock": Had(("load",), ("CLOCK", "CLEARED")),
    "rng_health": Had(("load",), ("RNG_HEALTH",)),
    "fw_integrity": Had(("load",), ("FW_INTEGRITY",)),
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

KINDS: dict[str, tuple[Kind, ...]] = {}
