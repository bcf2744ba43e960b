"""`python -m tests.service.hanging ENTRY …`: shoectl with a disk that never answers again from a journal entry on."""

from __future__ import annotations

import sys
import threading

from shoectl.cli import main
from shoectl.journal import Entry, Journal


def hang(at: int) -> None:
    whole = Journal._write

    def write(journal: Journal, batch: list[Entry]) -> None:
        if batch[-1].n >= at:
            threading.Event().wait()
        whole(journal, batch)

    Journal._write = write  # type: ignore[method-assign]


if __name__ == "__main__":
    hang(int(sys.argv[1]))
    main(sys.argv[2:])
