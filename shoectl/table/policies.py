"""What the house decides about a table, as data: option, default, alternatives, source.

The round's own options stand under the game; these are common to all games (dealing, trouble, counts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shoectl.errors import BadInput
from shoectl.games.procedure import Consequence, GoOn, Irregularity, Step, Trouble, Void
from shoectl.games.steps import CallFloor, Deal


@dataclass(frozen=True)
class Option:
    """One thing that the house decides. `source` is a paragraph, or "default" where no text was found."""

    default: str
    alternatives: tuple[str, ...]
    meaning: str
    source: str

    @property
    def allowed(self) -> tuple[str, ...]:
        """Every value that may be chosen."""
        return (self.default, *self.alternatives)


OPTIONS: Mapping[str, Option] = {
    "acknowledge": Option(
        "seat", ("step", "none"), "the dealer acknowledges once per seat what was collected and paid", "default"
    ),
    "count_policy": Option(
        "device_waives",
        ("no_waiver",),
        "a shuffler that counts after each shuffle waives the dealer's count, or does not",
        "671a.11(h)",
    ),
    "count_every": Option("5", ("1", "2", "3", "4"), "rounds between two counts by the dealer", "671a.11(h)"),
    "card_drawn_in_error": Option(
        "next_card",
        ("rack", "void"),
        "a card drawn too early or beyond the deal, its face not seen: it is the next card, or goes to the rack "
        "(discard and go on), or the round is void",
        "template of .13, from memory",
    ),
    "one_exposed_card": Option(
        "discard", ("void",), "one card found face up: discard and go on, or void", "template of .13, from memory"
    ),
    "more_exposed_cards": Option(
        "void", ("floor",), "a second card found face up in the round", "template of .13, from memory"
    ),
    "jam_in_round": Option(
        "void", ("floor",), "a device that does not finish the deal", "template of .13, from memory"
    ),
    "restart_in_round": Option(
        "explained",
        ("void", "floor"),
        "a dealing device that restarted in the round: go on where draw indices and counts explain every card, "
        "else void; an automated shoe voids always",
        "default",
    ),
    "wrong_count_scope": Option(
        "round", (), "a wrong count found in the round voids the whole round", "template of .13, from memory"
    ),
    "void_until": Option(
        "first_showdown",
        ("deal", "end_of_round"),
        "until when a round can be void; from then on the floor is called",
        "default",
    ),
}


def checked(options: Mapping[str, object]) -> dict[str, str]:
    """All options with the house's choices in them. Raises BadInput naming an unknown option or value."""
    for name, value in options.items():
        if name not in OPTIONS:
            raise BadInput(f"unknown table option {name!r}, allowed are {', '.join(OPTIONS)}")
        if str(value) not in OPTIONS[name].allowed:
            raise BadInput(f"table option {name}: {value!r} is not allowed, only {', '.join(OPTIONS[name].allowed)}")
    return {name: str(options.get(name, option.default)) for name, option in OPTIONS.items()}


GO_ON = "go on"


def call_floor(trouble: Irregularity, rule: str) -> GoOn:
    """The floor is called, then what was interrupted is asked again."""
    return GoOn(CallFloor(str(trouble), (GO_ON,), rule=rule))


def before_showdown(options: Mapping[str, str], rule: str) -> Consequence:
    """What trouble does while a round may still be void. Remembers how many cards were exposed in the stretch."""
    exposed = 0

    def judge(trouble: Irregularity) -> Void | GoOn:
        nonlocal exposed
        match trouble.kind:
            case Trouble.EARLY_DRAW | Trouble.EXTRA_CARD:
                return Void() if options["card_drawn_in_error"] == "void" else GoOn()
            case Trouble.EXPOSED_CARD:
                exposed += 1
                choice = options["one_exposed_card" if exposed == 1 else "more_exposed_cards"]
                return {"discard": GoOn(), "floor": call_floor(trouble, rule)}.get(choice, Void())
            case Trouble.DEVICE_FAILED if options["jam_in_round"] == "floor":
                return call_floor(trouble, rule)
            case Trouble.DEVICE_RESTARTED if options["restart_in_round"] == "floor":
                return call_floor(trouble, rule)
            case _:
                return Void()

    def consequence(trouble: Irregularity, step: Step[object]) -> Void | GoOn:
        decided = judge(trouble)
        withdrawn = trouble.kind is Trouble.WITHDRAWN
        if isinstance(decided, Void) and options["void_until"] == "deal" and not withdrawn and not _dealing(step):
            return call_floor(trouble, rule)
        return decided

    return consequence


def _dealing(step: Step[object]) -> bool:
    return isinstance(step, Deal) or step.do in ("wagers", "announce")


def after_showdown(options: Mapping[str, str], rule: str) -> Consequence:
    """What trouble does once the showdown has begun: payments made are not reversed, the floor is called."""
    before: Callable[[Irregularity, Step[object]], Void | GoOn] = before_showdown(options, rule)

    def consequence(trouble: Irregularity, step: Step[object]) -> Void | GoOn:
        if options["void_until"] == "end_of_round":
            return before(trouble, step)
        if trouble.kind in (Trouble.EARLY_DRAW, Trouble.EXTRA_CARD):
            return GoOn()
        return call_floor(trouble, rule)

    return consequence
