"""Random rounds of Four Card Poker against the second reading: `python -m tests.games.four_card_rounds`."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter

from shoectl.cards import STANDARD
from shoectl.games.answers import Reading
from shoectl.games.layout import Layout
from shoectl.games.printed import Printed
from shoectl.games.procedure import Done, Irregularity, Role, Round, Trouble
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import RecordHands, settle
from shoectl.games.steps import Acknowledge, PlaceWagers, ReadSystem
from shoectl.games.turns import void
from tests.games import four_card_generate, four_card_order, order
from tests.games.four_card_reference import best, strength

FOUR_CARD = game("four-card-poker")
LIMITS = dict.fromkeys(FOUR_CARD.families, (1, 10**9))
SAID = [*four_card_generate.METERS, "magic_card", "lucky_bonus"]


class Table:
    """One record under way, with trouble at some point. What the game system says is entered as it is asked for."""

    def __init__(self, record, *, asked=False, blind=False):
        read = record_of(record)
        given = record.get("house", {})
        said = {name: given[name] for name in SAID if name in given}
        options = {name: value for name, value in read.house.items() if not (asked and name in said)}
        options |= {name: "on" for name in ("magic_card", "lucky_bonus") if asked and name in said}
        self.said = said
        self.house = FOUR_CARD.house({"seats": 7, **options})
        self.layout = Layout()
        self.hands = RecordHands(FOUR_CARD, self.house, read, Printed(self.layout), blind)
        self.dealing = read.dealing
        self.round = Round(self.play, self.layout)
        self.number = 0

    def play(self, table):
        yield from PlaceWagers(tuple(range(1, 8)), FOUR_CARD.offers(self.house, LIMITS), rule="641a.7")
        try:
            yield from FOUR_CARD.play(table, self.house, self.dealing)
        except Irregularity as trouble:
            yield from void(table, trouble, "641a")

    def answer(self, step):
        match step:
            case ReadSystem(what, "amount"):
                return Reading(self.said[what])
            case ReadSystem(what):
                return Reading(pick=str(self.said[what]))
            case Acknowledge():
                return Done()
        return self.hands(self.round)

    def advance(self):
        """Answer the part that is due."""
        step = self.round.step
        if self.number != self.round.number:
            self.number = self.round.number
            self.hands.printed.asked(step)
        if step.by is Role.NOBODY:
            self.round.give()
            return
        answer = self.answer(step)
        self.layout.check(step, self.round.part, answer)
        self.round.give(answer)

    def run(self):
        """To its end; how many parts that were."""
        parts = 0
        while not self.round.over:
            self.advance()
            parts += 1
        return parts


def check_round(seed):
    """Make the record of a seed, settle it in every way, and hold it against everything that is checked here."""
    rng = random.Random(seed)
    record = four_card_generate.random_record(rng)
    read = record_of(record)
    settled = settle(read)
    out = settled.json()
    four_card_order.check_order(record, out)
    four_card_order.check_money(record, out)
    four_card_order.check_outcomes(record, out)
    order.check_cards(record, out, False)
    assert not settled.layout.occupied()
    assert not list(settled.layout.standing())
    blind = settle(read, blind=True)
    lines = [faceless(one) for one in blind.steps]
    assert lines == [faceless(one) for one in settled.steps]
    assert blind.wagers == settled.wagers
    asked = Table(record, asked=True)
    parts = asked.run()
    assert asked.hands.printed.steps == settled.steps
    check_void(record, rng.randrange(parts), blind=rng.random() < 0.5)
    return record, out


def faceless(step):
    """A printed step without the faces that nobody has turned up."""
    return {key: value for key, value in step.items() if step["do"] != "discard" or key != "cards"}


def check_void(record, point, *, blind=False):
    """Trouble at a point voids the round: what lies there goes back, what was booked stays, 52 cards are explained."""
    table = Table(record, blind=blind)
    for _ in range(point):
        if not table.round.over:
            table.advance()
    layout = table.layout
    lying, dealt = Counter(layout.standing()), layout.dealt()
    booked = list(layout.booked)
    if not layout.placed or table.round.over:
        return
    table.round.throw(Irregularity(Trouble.DEVICE_FAILED, part=table.round.part))
    table.run()
    assert not layout.occupied()
    assert not list(layout.standing())
    assert layout.dealt() == sum(len(racked.cards) for racked in layout.rack) == dealt <= len(STANDARD)
    assert layout.booked[: len(booked)] == booked
    back = layout.booked[len(booked) :]
    assert Counter((one.seat, one.wager, one.stake) for one in back) == lying
    assert all((one.how, one.gain) == ("void", 0) for one in back)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    begun, met = time.monotonic(), Counter()
    for number in range(options.rounds):
        seed = f"{options.seed}/{number}"
        try:
            record, out = check_round(seed)
        except Exception:
            record = four_card_generate.random_record(random.Random(seed))
            print(f"\nseed {seed}: {json.dumps(record)}", file=sys.stderr)
            raise
        met.update(what_happened(record, out))
        if number % 5000 == 4999:
            rate = (number + 1) / (time.monotonic() - begun)
            print(f"{number + 1} of {options.rounds} rounds, {rate:.0f}/s", file=sys.stderr)
    print(f"{options.rounds} rounds, all as the second reading has them, in {time.monotonic() - begun:.0f} s")
    print(", ".join(f"{what} {times}" for what, times in sorted(met.items())))


def tied(cards, dealer):
    """Whether a player's best four and the dealer's are equal."""
    one, other = (strength(best(hand.split(), 4)) for hand in (cards, dealer))
    return one == other


def what_happened(record, out):
    """What a round had in it, for the report: folds, ties, shares of meters, each wager won and lost."""
    for seat, one in record["seats"].items():
        yield from ["folds"] * (one["decisions"] == ["fold"])
        yield from ["no ante"] * ("ante" not in one["wagers"])
        yield from ["ties"] * (one["decisions"] not in ([], ["fold"]) and tied(one["cards"], record["dealer"]))
        yield from (f"{wager} {how['outcome']}" for wager, how in out["seats"][seat]["wagers"].items())
    yield from ("meter shares" for step in out["steps"] if step["do"] == "hold")


if __name__ == "__main__":
    main()
