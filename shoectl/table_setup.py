"""From a configuration to the state that a table begins with, and to what may change between two rounds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from protocols.family import Family, Verb, families
from protocols.vocabulary import Capability
from shoectl.config import deck_number, house_of, limits_of
from shoectl.config_sections import Config
from shoectl.errors import BadInput
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
        if equipment.mixes:
            raise BadInput("table.dealing: hand, but the deck stays in a shoe that mixes; allowed are shoe, manual")
        equipment = replace(equipment, shoe=None)  # a shoe that stands there is not used
    number = deck_number(config.house, has_shuffler=equipment.shuffler is not None and not equipment.mixes)
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
    """What the devices allow: packets, or cards out of the shoe one at a time, or from the hand where there is none."""
    if equipment.shoe and equipment.shoe.packets:
        return Dealing.AUTOMATED
    return Dealing.MANUAL if equipment.shoe else Dealing.HAND


def _equipment(config: Config) -> Equipment:
    """What the families of the configured devices can do."""
    places = {place: families()[one.family] for place, one in config.devices.items()}
    shuffler, shoe = places.get("shuffler"), places.get("shoe")
    if shoe is not None and Verb.FEED in shoe.verbs:
        if shuffler is not None:
            raise BadInput(
                f"devices.shuffler: {shuffler.name}, but the shoe ({shoe.name}) shuffles itself; leave it out"
            )
        return Equipment(ShufflerKind(True, Capability.COMPOSITION in shoe.caps, shoe.name), _shoe(shoe))
    return Equipment(_shuffler(shuffler) if shuffler else None, _shoe(shoe) if shoe else None)


def _shuffler(family: Family) -> ShufflerKind:
    counts = Capability.COUNT_OUT_AFTER_SHUFFLE in family.caps
    return ShufflerKind(counts, Capability.COMPOSITION in family.caps, family.name)


def _shoe(family: Family) -> ShoeKind:
    reads, gated = Capability.READS_EACH_DRAW in family.caps, Capability.GATE in family.caps
    mixes, packets = {Verb.FEED, Verb.COUNT} <= family.verbs.keys(), Verb.DELIVER_PLAN in family.verbs
    return ShoeKind(reads, gated, family.name, mixes=mixes, packets=packets)
