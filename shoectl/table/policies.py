"""What trouble does to a round: the house's options, turned into the consequence that a guard asks for.

The options themselves, with defaults, alternatives and sources, are data in games/table_options.py; two guards stand
side by side in a round, one until the showdown and one from there on, and that is how "until when a round may be void"
is said.
"""

from __future__ import annotations

from typing import Any

from shoectl.games.procedure import Consequence, GoOn, Irregularity, Step, Trouble, Void
from shoectl.games.steps import CallFloor, Deal, PlaceWagers
from shoectl.table.state import TableState

GO_ON = "go on"
AT_THE_SHOE = (Trouble.EARLY_DRAW, Trouble.EXTRA_CARD)


def call_floor(trouble: Irregularity, rule: str) -> GoOn:
    """The floor is called, then what was interrupted is asked again."""
    return GoOn(CallFloor(str(trouble), (GO_ON,), rule=rule))


def before_showdown(state: TableState, rule: str) -> Consequence:
    """What trouble does while a round may still be void. Remembers how many cards were exposed in the stretch."""
    exposed = 0

    def judge(trouble: Irregularity) -> Void | GoOn:
        nonlocal exposed
        match trouble.kind:
            case Trouble.EARLY_DRAW | Trouble.EXTRA_CARD:
                return Void() if state.option("card_drawn_in_error") == "void" else GoOn()
            case Trouble.EXPOSED_CARD:
                exposed += 1
                match state.option("one_exposed_card" if exposed == 1 else "more_exposed_cards"):
                    case "discard":
                        return GoOn()
                    case "floor":
                        return call_floor(trouble, rule)
                return Void()
            case Trouble.DEVICE_FAILED if state.option("jam_in_round") == "floor":
                return call_floor(trouble, rule)
            case Trouble.DEVICE_RESTARTED if state.option("restart_in_round") == "floor":
                return call_floor(trouble, rule)
            case _:
                return Void()

    def consequence(trouble: Irregularity, step: Step[Any]) -> Void | GoOn:
        decided = judge(trouble)
        may_void = trouble.kind is Trouble.WITHDRAWN or isinstance(step, Deal | PlaceWagers)
        if isinstance(decided, Void) and state.option("void_until") == "deal" and not may_void:
            return call_floor(trouble, rule)
        return decided

    return consequence


def after_showdown(state: TableState, rule: str) -> Consequence:
    """What trouble does once the showdown has begun: payments made are not reversed, the floor is called."""
    before = before_showdown(state, rule)

    def consequence(trouble: Irregularity, step: Step[Any]) -> Void | GoOn:
        if state.option("void_until") == "end_of_round":
            return before(trouble, step)
        return GoOn() if trouble.kind in AT_THE_SHOE else call_floor(trouble, rule)

    return consequence


def patient(trouble: Irregularity, step: Step[Any]) -> Void | GoOn:
    """A card that came too much changes nothing while decks are handled: it goes to the rack and the step goes on."""
    return GoOn() if trouble.kind in AT_THE_SHOE else Void()
