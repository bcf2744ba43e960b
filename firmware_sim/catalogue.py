"""Every fault by name: which families it is for, its keys, what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware_sim.mechanics import STANDARD


@dataclass(frozen=True)
class Key:
    """A key of a fault: its default (None: any count triggers, or chosen by the seed) and its meaning.

    `choices` makes it a text; numbers are `least` or more.
    """

    meaning: str
    default: int | str | None = None
    least: int = 1
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Kind:
    """One way to break."""

    name: str
    families: tuple[str, ...]
    meaning: str
    own: Mapping[str, Key] = field(default_factory=dict)

    @property
    def keys(self) -> dict[str, Key]:
        """Its own keys and those that every fault has."""
        return {**self.own, "times": Key("how often it strikes, 0 for ever", 1, least=0)}


ALDER, BIRCH, BOTH = ("alder",), ("birch",), ("alder", "birch")

_CARD = Key("at the n-th card fed in the cycle", 31)
_CYCLE = Key("only in the n-th cycle of this device")
_DRAW = Key("at the n-th draw after loading", 1)
_LOAD = Key("only in the n-th loading of this device")
_FRAME = Key("the n-th frame from device to host")
_FACE = Key("its face", None, choices=STANDARD)
_BACK = Key("its back", "red", choices=("red", "blue", "green", "black", "other"))

_KINDS = (
    Kind(
        "jam",
        ALDER,
        "a card sticks in the path",
        {"card": _CARD, "cycle": _CYCLE, "tries": Key("the try that frees it, 1 to 3; 0 none does", 0, least=0)},
    ),
    Kind("missing", ALDER, "a card leaves the path unseen and drops to the floor", {"card": _CARD, "cycle": _CYCLE}),
    Kind(
        "extra",
        ALDER,
        "a card that nobody wanted lies among those in the infeed",
        {"card": Key("it is the n-th fed", 31), "cycle": _CYCLE, "face": _FACE, "back": _BACK},
    ),
    Kind("sort", ALDER, "the machine sorts though it was told to shuffle, and says so (mode 3)", {"cycle": _CYCLE}),
    Kind(
        "unmixed",
        ALDER,
        "the machine sorts though it was told to shuffle, and says that it shuffled",
        {"cycle": _CYCLE},
    ),
    Kind("stuck_shelf", ALDER, "the carousel reaches three shelves of ten only", {"cycle": _CYCLE}),
    Kind(
        "lying_count",
        BOTH,
        "a counting sensor is wrong",
        {
            "in": Key("added to what the path sensor counts (alder)", 0, least=-60),
            "out": Key("added to what the output sensor counts (alder)", 0, least=-60),
            "rest": Key("added to what the height sensor of the shoe says (birch)", 0, least=-60),
            "cycle": _CYCLE,
        },
    ),
    Kind(
        "no_count", ALDER, "the machine has no counting sensors: it lacks the capabilities and echoes what it was told"
    ),
    Kind("panel", ALDER, "somebody starts a cycle at the panel as soon as cards lie in the infeed", {"cycle": _CYCLE}),
    Kind("unreadable", BIRCH, "the reader cannot read a card", {"draw": _DRAW, "load": _LOAD}),
    Kind(
        "early_draw",
        BIRCH,
        "a card is pulled through the shut gate before the first ARM since loading",
        {"load": _LOAD},
    ),
    Kind(
        "overdraw",
        BIRCH,
        "one more card slips out as the gate shuts",
        {"draw": Key("after the n-th draw (the gate shuts behind it)"), "load": _LOAD},
    ),
    Kind("reply_lost", BOTH, "a frame to the host is lost", {"frame": _FRAME}),
    Kind("corrupt", BOTH, "one byte of a frame to the host is flipped", {"frame": _FRAME}),
    Kind("noise", BOTH, "rubbish bytes before a frame to the host", {"frame": _FRAME}),
    Kind("hang_up", BOTH, "the line drops after a frame to the host and comes back", {"frame": _FRAME}),
    Kind(
        "gap",
        BOTH,
        "an event is lost from the ring and leaves a hole in seq",
        {"event": Key("the n-th event of this run", 1)},
    ),
    Kind(
        "power_cut",
        BOTH,
        "the device loses power",
        {
            "card": Key("while it feeds (alder) or lets out (birch) the n-th card", 31),
            "cycle": _CYCLE,
            "cause": Key("what POWER_UP says: 0 normal, 1 brown-out, 2 watchdog", 1, least=0),
        },
    ),
    Kind(
        "torn_write",
        BOTH,
        "power fails in the middle of an NVRAM write",
        {"event": Key("with the n-th event of this run", 1)},
    ),
)

CATALOGUE: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
