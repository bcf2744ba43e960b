"""What goes wrong with cards: on their way, in the deck, at the reader, and in people's hands."""

from __future__ import annotations

from firmware_sim.catalogue.kind import ALDER, BIRCH, BOTH, CYCLE, LOAD, Key, Kind, both
from firmware_sim.mechanics import STANDARD

_FED = Key("at the n-th card fed in the cycle (a Cedar: moved in the motion)", 31, only=ALDER)
_LATER = Key("at the n-th draw after loading", 7, only=BIRCH)
_LYING = Key("it is the n-th to be drawn after loading", 7, only=BIRCH)
_FACE = Key("its face", None, choices=STANDARD)
_BACKS = ("red", "blue", "green", "black", "other")
_ONE = {"card": _FED, "cycle": CYCLE, "draw": _LYING, "load": LOAD}
_SHORT = {"alder": ("SHUFFLE_DONE", "COUNT_MISMATCH"), "birch": ("SHOE_COUNT",)}

CARDS = (
    Kind(
        "jam",
        ALDER,
        "a card sticks in the path",
        {"card": _FED, "cycle": CYCLE, "tries": Key("the try that frees it, 1 to 3; 0 none does", 0, least=0)},
        {"alder": ("JAM",)},
    ),
    Kind(
        "double_feed",
        ALDER,
        "two cards go into the path at once; from one and a half on the machine sees it, else both pass as one",
        {"card": _FED, "cycle": CYCLE, "thickness": Key("what is measured, percent of one card", 190)},
        {"alder": ("DOUBLE_FEED",)},
    ),
    Kind(
        "card_damaged",
        ALDER,
        "a bent card is seen in the path, and stays there",
        {"card": _FED, "cycle": CYCLE},
        {"alder": ("CARD_DAMAGED",)},
    ),
    Kind(
        "missing",
        BOTH,
        "a card drops to the floor unseen: from the path of a shuffler, from a shoe as it is loaded",
        _ONE,
        _SHORT,
    ),
    Kind(
        "extra",
        BOTH,
        "a card that nobody wanted lies among the others",
        {**_ONE, "face": _FACE, "back": Key("its back", "red", choices=_BACKS)},
        _SHORT,
    ),
    Kind(
        "duplicate",
        BOTH,
        "a card was exchanged for a second one of another face (a shuffler sees it only if it reads)",
        {**_ONE, "face": _FACE},
        {"alder": ("DUPLICATE", "COMPOSITION"), "birch": ("DUPLICATE",)},
    ),
    Kind(
        "foreign",
        BOTH,
        "a card was exchanged for one of another game (a shuffler sees it only if it reads)",
        _ONE,
        both("FOREIGN"),
    ),
    Kind(
        "wrong_back",
        BOTH,
        "a card was exchanged for the same with another back (a shuffler sees it only if it reads, or sees backs)",
        {**_ONE, "back": Key("its back", "green", choices=_BACKS)},
        both("WRONG_BACK"),
    ),
    Kind(
        "face_up",
        BOTH,
        "a card lies face up in the deck until it is dealt or taken out (a shuffler sees it only if it reads)",
        _ONE,
        both("FACE_UP"),
    ),
    Kind(
        "unreadable",
        BOTH,
        "the reader cannot read a card (a shuffler must have one)",
        {"draw": Key("at the n-th draw after loading", 1, only=BIRCH), "load": LOAD, "card": _FED, "cycle": CYCLE},
        both("UNREADABLE"),
    ),
    Kind(
        "misread",
        BOTH,
        "the reader takes a card for another (a shuffler must have one)",
        {
            "draw": _LATER,
            "load": LOAD,
            "card": _FED,
            "cycle": CYCLE,
            "face": Key("what it is taken for", None, choices=STANDARD),
            "later": Key(
                "what the shoe makes of it: nothing, CARD_RESOLVED with the right card, or with another wrong one",
                "never",
                choices=("never", "right", "wrong"),
                only=BIRCH,
            ),
            "after": Key("so many draws later, or as the shoe is closed", 1, only=BIRCH),
        },
        {"alder": ("COMPOSITION",), "birch": ("CARD_DRAWN",)},
    ),
    Kind(
        "residual",
        BOTH,
        "a card stays behind: in a zone of the shuffler as a cycle begins, in the well of a shoe as it is unloaded",
        {
            "zone": Key("where it lies", "rack", choices=("path", "rack", "output"), only=ALDER),
            "cycle": CYCLE,
            "load": LOAD,
        },
        {"alder": ("RESIDUAL",)},
    ),
    Kind(
        "early_draw",
        BIRCH,
        "a card is pulled through the shut gate before the first ARM since loading",
        {"load": LOAD},
        {"birch": ("EARLY_DRAW",)},
    ),
    Kind(
        "overdraw",
        BIRCH,
        "one more card slips out as the gate shuts",
        {"draw": Key("after the n-th draw (the gate shuts behind it)", only=BIRCH), "load": LOAD},
        {"birch": ("OVERDRAW",)},
    ),
    Kind(
        "pushed_back",
        BIRCH,
        "a hand pushes the card that it has drawn back into the mouth; it is the next one again",
        {"draw": _LATER, "load": LOAD},
        {"birch": ("CARD_RETURNED",)},
    ),
    Kind(
        "cut_card",
        BIRCH,
        "a cut card that nobody asked for lies in the shoe",
        {"draw": Key("behind the n-th card to be drawn", 7, only=BIRCH), "load": LOAD},
        {"birch": ("CUT_CARD",)},
    ),
)
