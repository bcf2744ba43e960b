"""From a configuration to the state that a table begins with, and to what may change between two rounds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from protocols.family import Family, families
from protocols.vocabulary import Capability
from shoectl.config import Config, deck_number, house_of, limits_of
from shoectl.games.dealing import Dealing
from shoectl.table.decks_turn import second_deck
from shoectl.table.state import Deck, Equipment, ShoeKind, ShufflerKind, TableState

DEALINGS: Final = {"shoe": Dealing.AUTOMATED, "manual": Dealing.MANUAL, "hand": Dealing.HAND}
# What a running table takes over for its next round when its configuration is read again.
IN_PLAY: Final = ("seats", "house", "limits", "operators")
# What a table that starts again takes over besides.
AT_START: Final = (*IN_PLAY, "game", "dealing", "equipment")


def first_state(config: Config) -> TableState:
    """The state of a table that has played nothing yet; its deck lies in the rack."""
    table, house = config.table, house_of(config)
    equipment = _equipment(config)
    dealing = DEALINGS[table.dealing] if table.dealing else _usual_dealing(equipment)
    if dealing is Dealing.HAND:
        equipment = replace(equipment, shoe=None)  # a shoe that stands there is not used
    number = deck_number(config.house, has_shuffler=equipment.shuffler is not None)
    first = Deck(0, back=config.deck.back)
    return TableState(
        game=table.game,
        seats=tuple(range(1, int(house["seats"]) + 1)),
        house={**house, "decks": number},
        limits=limits_of(config),
        dealing=dealing,
        equipment=equipment,
        decks=(first, second_deck(first, config.deck.second, there=True)) if number == 2 else (first,),
        operators={"dealer": config.people.dealer, "floor": config.people.floor},
    )


def differences(wanted: TableState, state: TableState, names: tuple[str, ...]) -> dict[str, Any]:
    """The fields among `names` in which a table's state is not as wanted, as the JSON of the wanted values."""
    new, old = (json.loads(json.dumps(one.to_json())) for one in (wanted, state))
    return {name: new[name] for name in names if new[name] != old[name]}


def _usual_dealing(equipment: Equipment) -> Dealing:
    """What the devices allow: cards come out of the shoe one at a time, or from the hand where there is none."""
    return Dealing.MANUAL if equipment.shoe else Dealing.HAND


def _equipment(config: Config) -> Equipment:
    """What the families of the configured devices can do."""
    shuffler, shoe = (config.devices.get(place) for place in ("shuffler", "shoe"))
    return Equipment(
        _shuffler(families()[shuffler.family]) if shuffler else None,
        _shoe(families()[shoe.family]) if shoe else None,
    )


def _shuffler(family: Family) -> ShufflerKind:
    counts = Capability.COUNT_OUT_AFTER_SHUFFLE in family.caps
    return ShufflerKind(counts, Capability.COMPOSITION in family.caps, family.name)


def _shoe(family: Family) -> ShoeKind:
    return ShoeKind(Capability.READS_EACH_DRAW in family.caps, Capability.GATE in family.caps, family.name)
