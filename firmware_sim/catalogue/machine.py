"""What goes wrong with a machine: flaps, motors, sensors, memory, heat, and what it says of itself."""

from __future__ import annotations

from firmware_sim.catalogue.kind import ALDER, BIRCH, BOTH, CYCLE, LOAD, Key, Kind, both

_AT = {
    "card": Key("while the n-th card of the cycle is fed (alder), or behind the n-th draw (birch)", 7),
    "cycle": CYCLE,
    "load": LOAD,
    "event": Key("instead: at the n-th event of this run"),
}
_AT_ALDER = {name: key for name, key in _AT.items() if key.only != BIRCH}
_AT_BIRCH = {name: key for name, key in _AT.items() if key.only != ALDER}
_SHUT = Key("1: whoever did it sets it right after two seconds; 0: it stays so", 1, least=0)
_STAYS = Key("1: the cause stays until somebody cleans or frees it; 0: it is gone at once", 0, least=0)
_LASTS = Key("cards fed or drawn until it is gone; 0: until somebody cleans it", 5, least=0)
_LEVEL = Key("percent", 90, least=0)
_MOTORS = ("feed", "transport", "eject", "carousel")
_SENSORS = ("infeed", "path", "output", "reader", "flap")

MACHINE = (
    Kind("door", ALDER, "somebody opens the door", {**_AT_ALDER, "shut": _SHUT}, {"alder": ("DOOR",)}),
    Kind("lid", BIRCH, "somebody opens the lid", {**_AT_BIRCH, "shut": _SHUT}, {"birch": ("LID",)}),
    Kind(
        "service",
        BOTH,
        "something is plugged into the service port; unplugged, the device restarts",
        {**_AT, "shut": _SHUT},
        both("SERVICE_PORT", "POWER_UP"),
    ),
    Kind("tamper", BOTH, "the case is opened", {**_AT, "shut": _SHUT}, both("TAMPER")),
    Kind(
        "flutter",
        BOTH,
        "the switch of door or lid flutters; debounced, it says nothing",
        {**_AT, "edges": Key("how often it changes, a millisecond apart", 9)},
    ),
    Kind(
        "motor_stall",
        BOTH,
        "a motor does not turn",
        {**_AT, "which": Key("the motor", "transport", choices=_MOTORS), "level": _LEVEL, "stays": _STAYS},
        both("MOTOR_STALL"),
    ),
    Kind(
        "sensor_blocked",
        BOTH,
        "a sensor is covered",
        {**_AT, "which": Key("the sensor", "output", choices=_SENSORS), "level": _LEVEL, "stays": _STAYS},
        both("SENSOR_BLOCKED"),
    ),
    Kind(
        "sensor_weak",
        BOTH,
        "dirt on a sensor",
        {**_AT, "which": Key("the sensor", "output", choices=_SENSORS), "level": _LEVEL, "lasts": _LASTS},
        both("SENSOR_WEAK", "CLEARED"),
    ),
    Kind(
        "overtemp",
        BOTH,
        "a motor is too warm",
        {**_AT, "which": Key("the motor", "feed", choices=_MOTORS), "level": _LEVEL, "lasts": _LASTS},
        both("OVERTEMP", "CLEARED"),
    ),
    Kind("nvram_error", BOTH, "the memory reports an error", {**_AT, "stays": _STAYS}, both("NVRAM_ERROR")),
    Kind("clock", BOTH, "the clock is wrong", {**_AT, "lasts": _LASTS}, both("CLOCK", "CLEARED")),
    Kind("rng_health", BOTH, "the source of luck fails its test", {**_AT, "stays": _STAYS}, both("RNG_HEALTH")),
    Kind(
        "fw_integrity", BOTH, "the firmware does not match its check; only service ends that", _AT, both("FW_INTEGRITY")
    ),
    Kind(
        "sort",
        ALDER,
        "the machine sorts though it was told to shuffle, and says so (mode 3)",
        {"cycle": CYCLE},
        {"alder": ("SHUFFLE_DONE",)},
    ),
    Kind(
        "unmixed",
        ALDER,
        "the machine sorts though it was told to shuffle, and says that it shuffled",
        {"cycle": CYCLE},
    ),
    Kind("stuck_shelf", ALDER, "the carousel reaches three shelves of ten only", {"cycle": CYCLE}),
    Kind(
        "lying_count",
        BOTH,
        "a counting sensor is wrong",
        {
            "in": Key("added to what the path sensor counts", 0, least=-60, only=ALDER),
            "out": Key("added to what the output sensor counts", 0, least=-60, only=ALDER),
            "rest": Key("added to what the height sensor of the shoe says", 0, least=-60, only=BIRCH),
            "cycle": Key("only in the n-th cycle, or loading, of this device"),
        },
    ),
    Kind(
        "no_count", ALDER, "the machine has no counting sensors: it lacks the capabilities and echoes what it was told"
    ),
    Kind(
        "panel",
        ALDER,
        "somebody starts a cycle at the panel as soon as cards lie in the infeed",
        {"cycle": CYCLE},
        {"alder": ("SHUFFLE_STARTED",)},
    ),
)
