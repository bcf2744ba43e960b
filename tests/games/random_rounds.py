"""Random rounds of Lunar Poker against the second reading: `python -m tests.games.random_rounds --rounds 100000`."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time

from shoectl.games.records import record_of
from shoectl.games.settle import settle
from tests.games import generate, order, reference


def check_round(seed):
    """Make the record of a seed, settle it in both ways, and hold it against everything that is checked here."""
    rng = random.Random(seed)
    record = generate.random_record(rng)
    renewed = generate.renewed(record)
    read = record_of(record)
    settled = settle(read)
    out = settled.json()
    order.check_order(record, out)
    order.check_money(record, out)
    order.check_cards(record, out, renewed)
    assert {number: seat["net"] for number, seat in out["seats"].items()} == reference.nets(record)
    table = settled.layout
    assert not table.occupied()
    assert not list(table.standing())
    check_blind(read, settled)
    return out


def check_blind(read, settled):
    """The same money in the same order where faces are read only when they are turned up, or exchanges unseen."""
    money = ("collect", "pay", "return")
    for other in (settle(read, blind=True), settle(read, exchange_seen=False)):
        assert [one for one in other.steps if one["do"] in money] == [
            one for one in settled.steps if one["do"] in money
        ]
        assert other.wagers == settled.wagers
        assert not other.layout.occupied()
        assert not list(other.layout.standing())


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    begun = time.monotonic()
    for number in range(options.rounds):
        seed = f"{options.seed}/{number}"
        try:
            check_round(seed)
        except Exception:
            print(f"\nseed {seed}: {json.dumps(generate.random_record(random.Random(seed)))}", file=sys.stderr)
            raise
        if sys.stderr.isatty() or number % 5000 == 4999:
            end = "\r" if sys.stderr.isatty() else "\n"
            if number % 100 == 99:
                rate = (number + 1) / (time.monotonic() - begun)
                print(f"{number + 1} of {options.rounds} rounds, {rate:.0f}/s", end=end, file=sys.stderr)
    print(f"{options.rounds} rounds, all as the second reading has them, in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
