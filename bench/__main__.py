"""`python -m bench`: what the table costs, beside what the machine below it costs in the same run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench import play, wire

ROUNDS = 60
CARDS = 300


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="shoectl-bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        pure = play.pure(3.0)
        print(f"rounds, procedures alone              {pure:9.0f} /s   (4 seats)")
        loose, entries = play.journaled(folder, ROUNDS, durable=False)
        print(f"rounds, with journal, not flushed     {loose:9.0f} /s   ({entries:.0f} entries a round)")
        firm, _ = play.journaled(folder, ROUNDS, durable=True)
        print(f"rounds, with journal                  {firm:9.0f} /s")
        sync = wire.bare_fdatasync(folder)
        print(f"bare write and fdatasync              {sync * 1e6:9.0f} µs")
        raw = wire.ping_pong() / 2
        print(f"raw descriptor, one way               {raw * 1e6:9.0f} µs   (pty, half of a ping-pong)")
        median, slow = wire.card_to_journal(folder, CARDS)
        share = f"median of {CARDS}; 99 %: {slow * 1e6:.0f}"
        print(f"last byte of a card to its entry      {median * 1e6:9.0f} µs   ({share})")
        print(f"  that is {median / sync:5.2f} of a fdatasync, {median / (sync + raw):5.2f} of both together")
        print(f"  a round with journal is {1 / firm / sync:5.1f} fdatasyncs long, {pure / firm:5.1f} times one without")


if __name__ == "__main__":
    main()
