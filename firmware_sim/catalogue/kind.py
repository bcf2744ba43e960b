"""What one fault is: a name, the families that can have it, its keys, and what the device says because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

ALDER, BIRCH, BOTH = ("alder",), ("birch",), ("alder", "birch")


@dataclass(frozen=True)
class Key:
    """A key of a fault: its default (None: any count triggers, or chosen by the seed) and its meaning.

    `choices` makes it a text; numbers are `least` or more. `only` names the families that have it, where not all do.
    """

    meaning: str
    default: int | str | None = None
    least: int = 1
    choices: tuple[str, ...] | None = None
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """One way to break. `tells`: events (by name) that appear on the wire because of it, by family.

    `plugged`: what breaks is a USB plug, so there has to be one.
    """

    name: str
    families: tuple[str, ...]
    meaning: str
    own: Mapping[str, Key] = field(default_factory=dict)
    tells: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plugged: bool = False

    @property
    def keys(self) -> dict[str, Key]:
        """Its own keys and those that every fault has."""
        return {**self.own, "times": Key("how often it strikes, 0 for ever", 1, least=0)}

    def keys_of(self, family: str | None) -> dict[str, Key]:
        """Those that mean something for a family; all where none is named."""
        return {name: key for name, key in self.keys.items() if family is None or family in (key.only or (family,))}


@dataclass(frozen=True)
class Had:
    """That a family can have a fault too: the keys that it shares with others, what it tells, keys of its own."""

    shared: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    own: Mapping[str, Key] = field(default_factory=dict)

    def added_to(self, kind: Kind, family: str) -> Kind:
        """The kind with this family among those that have it."""
        own = dict(kind.own)
        for name in self.shared:
            key = own[name]
            own[name] = replace(key, only=(*key.only, family) if key.only else ())
        own |= {name: replace(key, only=(family,)) for name, key in self.own.items()}
        tells = {**kind.tells, family: self.tells} if self.tells else kind.tells
        return replace(kind, families=(*kind.families, family), own=own, tells=tells)


EVENT = Key("the n-th event of this run", 1)
CYCLE = Key("only in the n-th cycle of this device (a Cedar: motion)", only=ALDER)
LOAD = Key("only in the n-th loading of this device", only=BIRCH)


def both(*names: str) -> dict[str, tuple[str, ...]]:
    """The same events, whichever family it is."""
    return {"alder": names, "birch": names}
