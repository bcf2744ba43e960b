"""Whole rounds of any game against a second reading: what all games share of it, the command line too.

A game brings a module with `random_record(rng)` and `script(record)`: the printed steps that its section prescribes for
a record, worked out without the procedure, each as (do, where, wager, amount, rule).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter

from shoectl.games.layout import Layout
from shoectl.games.printed import Printed
from shoectl.games.procedure import Done, Irregularity, Role, Round, Trouble, Void, guarded
from shoectl.games.records import record_of
from shoectl.games.registry import game
from shoectl.games.settle import RecordHands, settle
from shoectl.games.steps import Acknowledge, CallFloor, PlaceWagers
from shoectl.games.turns import void

MONEY = ("collect", "pay", "return")
STOPPED = Irregularity(Trouble.DEVICE_FAILED, text="it stopped")
VOIDS = 0.1  # how many of the random rounds are played once more, and voided at some point


def printed(step):
    """A printed step in the form of a script."""
    where = step.get("seat") or step.get("place") or step.get("from") or ""
    match step["do"]:
        case "announce":
            return ("announce", step["text"], "", 0, step["rule"])
        case "deal":
            return ("deal", " ".join(one.replace("seat ", "s") for one in step["to"]), "", 0, step["rule"])
        case "ask":
            return ("ask", where, step["decision"], step.get("amount", 0), step["rule"])
        case "reveal":
            return ("reveal", where, step["cards"], 0, step["rule"])
        case "set":
            return ("set", where, f"{step['high']} | {step['low']}", 0, step["rule"])
        case "discard":
            return ("discard", step["from"], "", 0, step["rule"])
    return (step["do"], where, step["wager"], step["amount"], step["rule"])


def check_script(out, script):
    """Step by step, so that a failure names the first that differs."""
    got = [printed(step) for step in out["steps"]]
    for number, (one, other) in enumerate(zip(got, script, strict=False)):
        assert one == other, f"step {number}: {one}, the second reading has {other}"
    assert len(got) == len(script), (got[len(script) :], script[len(got) :])


def stakes(record, placed):
    """Every stake that lay there: those of the record and `placed` by decisions."""
    before = {(int(seat), w): s for seat, one in record["seats"].items() for w, s in one["wagers"].items()}
    return before | placed


def check_money(out, stakes):
    """To the unit: each stake ends once, and what the seats gain is what the house paid less what it collected."""
    ended, house = Counter(), 0
    for step in out["steps"]:
        if step["do"] in MONEY:
            key = (step["seat"], step["wager"])
            if key in stakes:
                assert step["stake" if step["do"] == "pay" else "amount"] == stakes[key], step
                ended[key] += 1
            else:
                assert step["do"] == "pay"
                assert step["wager"] == "ante_bonus"
            house += {"collect": step["amount"], "pay": -step["amount"], "return": 0}[step["do"]]
    assert ended == Counter(stakes.keys())
    assert house == -sum(seat["net"] for seat in out["seats"].values())
    for seat in out["seats"].values():
        assert seat["net"] == sum(wager["net"] for wager in seat["wagers"].values())


def check_cards(out):
    """Every card dealt is in the rack at the end, under the place that it came from, in the order dealt, once."""
    dealt, racked = {}, {}
    for step in out["steps"]:
        if step["do"] == "deal":
            for place, card in zip(step["to"], step["cards"].split(), strict=True):
                dealt.setdefault(place, []).append(card)
        if step["do"] == "discard" and step["from"] != "stub":
            assert step["from"] not in racked
            racked[step["from"]] = step["cards"].split()
    assert dealt == racked
    faces = [card for hand in dealt.values() for card in hand]
    assert len(set(faces)) == len(faces) <= 52


def check_round(module, seed):
    """Settle the record of a seed, seen and blind, and hold it against everything that is checked here."""
    rng = random.Random(seed)
    record = module.random_record(rng)
    read = record_of(record)
    settled = settle(read)
    out = settled.json()
    script, placed = module.script(record)
    check_script(out, script)
    check_money(out, stakes(record, placed))
    check_cards(out)
    blind = settle(read, blind=True)
    assert without_unseen(blind.steps) == without_unseen(settled.steps)
    assert blind.wagers == settled.wagers
    for table in (settled.layout, blind.layout):
        assert not table.occupied()
        assert not list(table.standing())
    if rng.random() < VOIDS:
        check_void(read, rng)
    return out


def without_unseen(steps):
    """Steps without the faces of cards that went to the rack: unseen ones are unknown in a blind round."""
    return [{**step, "cards": ""} if step["do"] == "discard" else step for step in steps]


def check_void(record, rng):
    """A round that is void at some point."""
    void_at(record, rng.randrange(Table(record).finish()))


def void_at(record, point):
    """A void round gives back what lies there and racks every card; what was booked before stays so."""
    table = Table(record)
    for _ in range(point + 1):
        table.advance()
    layout = table.layout
    before, dealt, lying = list(layout.booked), layout.dealt(), Counter(layout.standing())
    table.round.throw(STOPPED)
    table.finish()
    assert not layout.occupied()
    assert not list(layout.standing())
    assert sum(len(racked.cards) for racked in layout.rack) == dealt
    assert layout.booked[: len(before)] == before
    back = layout.booked[len(before) :]
    assert Counter((one.seat, one.wager, one.stake) for one in back) == lying
    assert {(one.how, one.gain) for one in back} <= {("void", 0)}


class Table:
    """One record, played under a policy for trouble (`consequence`); `limits` by default as a record has them."""

    def __init__(self, record, consequence=lambda *_: Void(), limits=None):
        self.game = game(record.game)
        self.house = self.game.house({"seats": 7, **record.house})
        self.limits = limits or dict.fromkeys(self.game.families, (1, 10**9))
        self.layout = Layout()
        self.hands = RecordHands(self.game, self.house, record, Printed(self.layout))
        self.record = record
        self.consequence = consequence
        self.round = Round(self.play, self.layout)
        self.number = 0

    def play(self, table):
        yield from PlaceWagers(tuple(range(1, 8)), self.game.offers(self.house, self.limits), rule="7")
        try:
            until = self.game.until_showdown(table, self.house, self.record.dealing)
            yield from guarded(until, self.consequence)
            yield from guarded(self.game.showdown(table, self.house), self.consequence)
        except Irregularity as trouble:
            yield from void(table, trouble, self.game.chapter)

    def answer(self, step):
        """What people, or the record, say to a step."""
        match step:
            case CallFloor(choices=choices):
                return step.takes(choices[0])
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
        else:
            answer = self.answer(step)
            self.layout.check(step, self.round.part, answer)
            self.round.give(answer)

    def finish(self):
        """Play to the end; returns how many parts that took after the wagers."""
        count = -1
        while not self.round.over:
            self.advance()
            count += 1
        return count


def main(module, arguments=None):
    """Many random rounds of a game, with progress."""
    parser = argparse.ArgumentParser(description=module.__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    begun, seen = time.monotonic(), Counter()
    for number in range(options.rounds):
        seed = f"{options.seed}/{number}"
        try:
            out = check_round(module, seed)
        except Exception:
            print(f"\nseed {seed}: {json.dumps(module.random_record(random.Random(seed)))}", file=sys.stderr)
            raise
        seen.update(f"{w} {one['outcome']}" for seat in out["seats"].values() for w, one in seat["wagers"].items())
        if number % 5000 == 4999 or (sys.stderr.isatty() and number % 100 == 99):
            end = "\r" if sys.stderr.isatty() else "\n"
            rate = (number + 1) / (time.monotonic() - begun)
            print(f"{number + 1} of {options.rounds} rounds, {rate:.0f}/s", end=end, file=sys.stderr)
    print(f"{options.rounds} rounds, all as the second reading has them, in {time.monotonic() - begun:.0f} s")
    print(", ".join(f"{what} {count}" for what, count in sorted(seen.items())))
