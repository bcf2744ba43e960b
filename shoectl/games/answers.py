"""The vocabulary of answers: what came of a step, or of one part of it. Faces come in answers alone."""

from __future__ import annotations

from dataclasses import dataclass

from shoectl.cards import Card
from shoectl.games.procedure import Answer


@dataclass(frozen=True)
class Wagers(Answer):
    """All wagers of a round: (seat, wager, amount), amounts in the smallest unit. Empty: nobody plays."""

    placed: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True)
class Decision(Answer):
    """One of the choices offered; `amount` where the choice leaves it open."""

    choice: str
    amount: int = 0


@dataclass(frozen=True)
class Declared(Answer):
    """Whether the player declared."""

    declared: bool


@dataclass(frozen=True)
class Given(Answer):
    """How many cards a player gave up, and which, where it is known."""

    count: int
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True)
class Faces(Answer):
    """What lies face up now, in the order dealt; empty: as the shoe read them."""

    cards: tuple[Card, ...] = ()


@dataclass(frozen=True)
class Setting(Answer):
    """The cards of the low hand, as the player set it; empty: as the house sets it for him."""

    low: tuple[Card, ...] = ()


@dataclass(frozen=True)
class FloorWord(Answer):
    """What the floorperson decided."""

    choice: str


@dataclass(frozen=True)
class Settled(Answer):
    """How the floorperson has a wager settled by hand: `outcome` is pay, collect or return. `amount`: what is paid on
    top of the stake; the stake itself (or left out) where it is collected or goes back.
    """

    outcome: str
    amount: int = 0


@dataclass(frozen=True)
class Reading(Answer):
    """What the table's game system says: the amount of a meter, or its pick (`Ks`; `3` for a seat, `dealer`)."""

    amount: int = 0
    pick: str = ""


@dataclass(frozen=True)
class Brought(Answer):
    """Whether the deck is there; if not, the table goes on with the one it has and asks again later."""

    now: bool = True


@dataclass(frozen=True)
class Counted(Answer):
    """A person's count of the cards."""

    cards: int


@dataclass(frozen=True)
class Drawn(Answer):
    """One card dealt; None where nobody has read it. `idx` is the shoe's draw index, 0 without one."""

    card: Card | None
    idx: int = 0


@dataclass(frozen=True)
class ShoeClosed(Answer):
    """The shoe's inventory when it was closed: cards counted (drawn and rest), expected, and whether that is right.

    `wrong`: the shoe is sure that it is not (neither: it cannot tell, `reason` says why).
    """

    counted: int
    expected: int
    right: bool
    reason: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Fed(Answer):
    """Whether the shuffler holds the deck and can start; if not, why (its cards have to be taken out first)."""

    loaded: bool
    reason: str = ""


@dataclass(frozen=True)
class Started(Answer):
    """A shuffle has begun: the command id that stands for the motion, and the device's cycle number.

    `motion` 0: the device would not start it, `reason` says why.
    """

    motion: int
    cycle: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Shuffled(Answer):
    """How a shuffle ended. `proven`: shuffled and verified (common.md §9). `wrong`: the count or the composition is
    not that of the deck, so it must leave the table. `reason` says in words why it is not proven, or what was proven.
    Count and composition are two verdicts: `identity` tells whether the faces were compared with a deck's, too.
    `device` is the serial number of the shuffler that says so; `counts`: it can count (else the dealer has to).
    """

    proven: bool
    wrong: bool = False
    verdict: int = 0
    counted: int = 0
    cycle: int = 0
    reason: str = ""
    identity: bool = False
    device: str = ""
    counts: bool = True


@dataclass(frozen=True)
class Taken(Answer):
    """The deck left the shuffler's tray: how many cards it says they were."""

    count: int
