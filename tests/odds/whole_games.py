"""Published edges, and whole games with the best play: each in full, with how long it takes.

`python -m tests.odds.whole_games` runs all of them (`make odds`); the suite runs the quick ones and pieces of the rest.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from shoectl.games.registry import game
from shoectl.odds.figures import Figures
from shoectl.odds.question import Question, calculations


@dataclass(frozen=True)
class Published:
    """An edge, in per cent, to so many decimals, and others of the figures, as somebody has printed or counted them."""

    game: str
    wager: str
    edge: float
    digits: int
    house: dict[str, object] = field(default_factory=dict)
    strategy: str = ""
    more: dict[str, tuple[float, int]] = field(default_factory=dict)  # to so many decimals
    seconds: float = 60
    within: float = 0.0  # in per cent: the error of a published estimate

    def __str__(self) -> str:
        words = [f"{name}={value}" for name, value in self.house.items()]
        return " ".join([self.game, self.wager, *words, *([self.strategy] if self.strategy else [])])

    def found(self) -> Figures:
        """The figures as this program counts them."""
        played = game(self.game)
        return calculations(played)[self.wager].find(Question(played.house(self.house), strategy=self.strategy))

    def differences(self, figures: Figures) -> list[str]:
        """What is not as published."""
        edge = 100 * float(figures.edge)
        close = abs(edge - self.edge) <= self.within if self.within else round(edge, self.digits) == self.edge
        wrong = [] if close else [f"edge {edge:.6f} %, published {self.edge} %"]
        for name, (value, digits) in self.more.items():
            if round(float(figures.more[name]), digits) != value:
                wrong.append(f"{name} {figures.more[name]}, published {value}")
        return wrong


FOUR, CAJUN, LUNAR, HI_LO = "four-card-poker", "cajun-stud", "lunar-poker", "five-card-hi-lo"
QUICK = (
    Published(CAJUN, "main", 4.91, 2, more={"average wager": (3.59, 2), "element of risk": (0.0137, 4)}, seconds=2),
    Published(CAJUN, "main", -74.5, 1, {"pair_6_10": "pay"}),
    Published(FOUR, "six_card", 10.22, 2),
    Published(FOUR, "six_card", 8.56, 2, {"six_card": "B"}),
    Published(FOUR, "six_card", 15.279, 3, {"six_card": "C"}),
    Published(FOUR, "six_card", 6.741, 3, {"six_card": "D"}),
    Published(CAJUN, "all_six", 10.22, 2),
    Published(CAJUN, "all_six", 8.56, 2, {"all_six": "B"}),
    Published(FOUR, "aces_up", 4.2355, 4),
    Published(FOUR, "aces_up", 3.8917, 4, {"aces_up": "B"}),
    Published(FOUR, "aces_up", 3.3724, 4, {"aces_up": "C"}),
    Published(FOUR, "aces_up", 1.9786, 4, {"aces_up": "D"}),
    Published(FOUR, "aces_up", 6.1486, 4, {"aces_up": "E"}),
    Published(FOUR, "aces_up", 2.5752, 4, {"aces_up": "F"}),
    Published(FOUR, "aces_up", 2.7759, 4, {"aces_up": "G"}),
    Published(FOUR, "aces_up", 4.6890, 4, {"aces_up": "H"}),
    Published(LUNAR, "super", 5.4642, 4),
    Published(LUNAR, "super", 5.3754, 4, {"super_sf_policy": "as_flush"}),
    Published(LUNAR, "instant_payout", -0.577, 3),
    Published(LUNAR, "instant_payout", -0.569, 3, {"instant_payout": "B"}),
    Published(LUNAR, "instant_payout", -0.500, 3, {"instant_payout": "C"}),
    Published(CAJUN, "pocket", 8.1, 1),
    Published(CAJUN, "board", 7.1, 1),
    Published(CAJUN, "lo_ball", 6.3, 1),
    Published(CAJUN, "lo_ball", 5.4, 1, {"lo_ball": "Q"}),
    Published(HI_LO, "poker_bonus", 6.1, 1),
    Published(HI_LO, "poker_bonus", 4.7, 1, {"poker_bonus": "7s"}),
)
SLOW = (
    Published(HI_LO, "main", 3.863, 3),  # nobody has published one: counted here
    Published(LUNAR, "main", 6.565, 3),  # nobody has, under these rules: counted here
    Published(LUNAR, "main", 17.198, 3, strategy="bet"),
    Published(HI_LO, "tie", 8.0, 1),
    Published(FOUR, "bad_beat", 19.4, 1, within=0.1),
    Published(FOUR, "main", 2.79, 2, {"ante_bonus_on_loss": True}, more={"element of risk": (0.0130, 4)}),
    Published(FOUR, "main", 2.79 + 0.127, 2, within=0.003),
    Published(
        FOUR,
        "main",
        3.560,
        3,
        {"ante_bonus_on_loss": True},
        "simple",
        {"average wager": (2.1769, 4)},
        within=0.020,  # two standard errors of the estimate
    ),
)


def main() -> int:
    """All of them. Returns 1 where one is not as published, or takes longer than it may."""
    failed = 0
    for one in (*QUICK, *SLOW):
        began = time.process_time()  # one process, so what others do on this machine does not count
        figures = one.found()
        took = time.process_time() - began
        wrong = one.differences(figures) + ([f"it took more than {one.seconds} s"] if took > one.seconds else [])
        failed += bool(wrong)
        print(f"{one}: {float(figures.edge):.5%}, {took:.1f} s: {'; '.join(wrong) or 'as published'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
