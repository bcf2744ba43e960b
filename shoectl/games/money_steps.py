"""Steps about chips: what is collected, paid, credited and returned, who says that it is right, and the papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoectl.games.answers import Reading, Settled
from shoectl.games.procedure import Answer, Done, Role, Step


@dataclass(frozen=True)
class Collect(Step[Done]):
    """Take a losing or forfeited wager. `outcome` is lose or forfeit."""

    seat: int
    wager: str
    amount: int
    outcome: str = "lose"
    do: ClassVar[str] = "collect"


@dataclass(frozen=True)
class Pay(Step[Done]):
    """Pay a winning wager: `amount` on top of the stake, which goes home too (once, however often it is paid).

    `keeps_stake`: odds "for 1", where the house keeps the stake and `amount` includes it.
    """

    seat: int
    wager: str
    amount: int
    stake: int
    odds: str
    won_for: str
    keeps_stake: bool = False
    do: ClassVar[str] = "pay"


@dataclass(frozen=True)
class Credit(Pay):
    """Pay a winning wager from elsewhere than the tray. `via`: the player's game account, or the papers by which the
    cage pays (a share of a meter).
    """

    via: str = "game account"
    do: ClassVar[str] = "credit"


@dataclass(frozen=True)
class Return(Step[Done]):
    """Give a wager back. `outcome` is push or void."""

    seat: int
    wager: str
    amount: int
    outcome: str = "push"
    do: ClassVar[str] = "return"


@dataclass(frozen=True)
class Acknowledge(Step[Done]):
    """The dealer says that a seat's wagers are settled as shown."""

    seat: int
    do: ClassVar[str] = "acknowledge"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class Verify(Step[Done]):
    """A floorperson verifies a hand before it is paid."""

    seat: int
    wager: str
    what: str
    do: ClassVar[str] = "verify"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class HoldCards(Step[Done]):
    """Cards stay on the table until the papers about a payment to this seat are done: its own, or those of `place`."""

    seat: int
    why: str
    place: str = ""
    do: ClassVar[str] = "hold"


@dataclass(frozen=True)
class Papers(Step[Done]):
    """A floorperson says that the papers about a seat's payment are done: its cards may go."""

    seat: int
    why: str
    do: ClassVar[str] = "papers"
    by: ClassVar[Role] = Role.PEOPLE


@dataclass(frozen=True)
class ReadSystem(Step[Reading]):
    """What the table's game system says of `what`, a house option without a fixed value: `kind` is amount (a meter),
    card or place (a pick).
    """

    what: str
    kind: str
    do: ClassVar[str] = "read_system"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Reading


@dataclass(frozen=True)
class SettleByHand(Step[Settled]):
    """A floorperson says how a wager is settled that the procedure cannot settle any more; `most` may be paid."""

    seat: int
    wager: str
    stake: int
    most: int
    do: ClassVar[str] = "settle_by_hand"
    by: ClassVar[Role] = Role.PEOPLE
    takes: ClassVar[type[Answer]] = Settled
