"""Whole rounds of Lunar Poker: random ones against the second reading, and with trouble at every point."""

import random
import re
from collections import Counter

import pytest

from shoectl.games.layout import Layout
from shoectl.games.printed import Printed
from shoectl.games.procedure import Done, GoOn, Irregularity, Role, Round, Trouble, Void, guarded
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import RecordHands, settle
from shoectl.games.steps import Acknowledge, Announce, CallFloor, PlaceWagers
from shoectl.games.text import step_json
from shoectl.games.turns import void
from tests.games import generate
from tests.games.random_rounds import check_round

LUNAR = game("lunar-poker")
WITHDRAWN = Irregularity(Trouble.DEVICE_FAILED, text="it stopped")


@pytest.mark.parametrize("part", range(4))
def test_field_case_133_random_rounds_are_settled_as_the_second_reading_has_them(part):
    for number in range(500):
        check_round(f"suite {part}/{number}")


def records(number, seats=(3, 4, 5)):
    """Records of some seats, the same at every run."""
    rng = random.Random("trouble")
    found = []
    while len(found) < number:
        record = generate.random_record(rng)
        if len(record["seats"]) in seats and not generate.renewed(record):
            found.append(record_of(record))
    return found


class Table:
    """One record, played under a policy for trouble, with trouble at one point."""

    def __init__(self, record, consequence):
        self.house = LUNAR.house({"seats": 7, **record.house})
        self.layout = Layout()
        self.hands = RecordHands(LUNAR, self.house, record, Printed(self.layout))
        self.record = record
        self.consequence = consequence
        self.round = Round(self.play, self.layout)
        self.number = 0

    def play(self, table):
        offers = LUNAR.offers(self.house, {"ante": (1, 10**9), "super": (1, 10**9)})
        yield from PlaceWagers(tuple(range(1, 8)), offers, rule="671a.7")
        try:
            until = LUNAR.until_showdown(table, self.house, self.record.dealing)
            yield from guarded(until, self.consequence)
            yield from guarded(LUNAR.showdown(table, self.house), self.consequence)
        except Irregularity as trouble:
            yield from void(table, trouble, "671a")

    def advance(self):
        """Answer the part that is due."""
        step = self.round.step
        if self.number != self.round.number:
            self.number = self.round.number
            self.hands.printed.asked(step)
        if step.by is Role.NOBODY:
            self.round.give()
        else:
            answer = Done() if isinstance(step, CallFloor | Acknowledge) else self.hands(self.round)
            self.layout.check(step, self.round.part, answer)
            self.round.give(answer)

    def points(self):
        """How many parts the round has after the wagers."""
        count = -1
        while not self.round.over:
            self.advance()
            count += 1
        return count


def money(layout):
    return Counter((one.seat, one.wager, one.gain, one.how) for one in layout.booked)


def test_a_round_that_is_void_at_any_point_gives_back_what_lies_there_and_racks_every_card():
    for record in records(12):
        points = Table(record, lambda *_: Void()).points()
        for point in range(points):
            table = Table(record, lambda *_: Void())
            for _ in range(point + 1):
                table.advance()
            before, dealt = money(table.layout), table.layout.dealt()
            lying = Counter(table.layout.standing())
            table.round.throw(WITHDRAWN)
            table.points()
            layout = table.layout
            assert not layout.occupied()
            assert not list(layout.standing())
            assert sum(len(racked.cards) for racked in layout.rack) == dealt
            after = money(layout) - before
            assert not before - money(layout), "what was booked before stays booked"
            assert Counter((seat, wager) for seat, wager, _, _ in after.elements()) == Counter(
                (seat, wager) for seat, wager, _ in lying.elements()
            )
            assert all(how == "void" and gain == 0 for _, _, gain, how in after)


def test_trouble_that_is_set_right_at_any_point_changes_nothing_in_the_settlement():
    floor = GoOn((CallFloor("look", ("go on",), rule="671a.13"),))
    for record in records(6):
        plain = settle(record)
        points = Table(record, lambda *_: GoOn()).points()
        for point in range(points):
            for remedy in (GoOn(), floor):
                table = Table(record, lambda *_, remedy=remedy: remedy)
                for _ in range(point + 1):
                    table.advance()
                table.round.throw(Irregularity(Trouble.EXPOSED_CARD, part=table.round.part))
                while not table.round.over:
                    if isinstance(table.round.step, CallFloor):
                        table.round.give(table.round.step.takes("go on"))
                    else:
                        table.advance()
                assert table.layout.booked == plain.layout.booked
                assert table.layout.rack == plain.layout.rack


def test_no_step_carries_a_face():
    faces = set(generate.DECK)
    for record in records(40, seats=(1, 4, 7)):
        table = Table(record, lambda *_: Void())
        while not table.round.over:
            words = re.findall(r"\w+", str(step_json(table.round.step)))
            assert faces.isdisjoint(words), words
            table.advance()


def test_an_announcement_before_the_showdown_names_no_hand():
    for record in records(40):
        table = Table(record, lambda *_: Void())
        while not table.round.over:
            step = table.round.step
            if isinstance(step, Announce):
                assert step.text in ("no more bets", "all decisions are locked in") or step.text.endswith(
                    "declares a winning hand"
                )
            table.advance()
