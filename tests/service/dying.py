"""`python -m tests.service.dying TASK …`: shoectl in which one task meets what nobody expected, once SIGUSR1 has come.

Only that one place is another: what becomes of the error is the program's own affair.
"""

from __future__ import annotations

import signal
import sys
from typing import Any, Final

from shoectl.cli import main
from shoectl.console.history import Fold
from shoectl.devices.pulse import Pulse
from shoectl.journal import Journal
from shoectl.mqtt import contents

PLACES: Final[dict[str, tuple[Any, str]]] = {
    "journal": (Journal, "_write"),
    "link": (Pulse, "beat"),
    "bus": (contents, "retained"),
    "console": (Fold, "take"),
}


def die_in(task: str) -> None:
    """From the signal on that place raises."""
    owner, name = PLACES[task]
    whole, told = getattr(owner, name), list[int]()

    def place(*given: Any, **named: Any) -> Any:
        if told:
            raise ZeroDivisionError(task)
        return whole(*given, **named)

    setattr(owner, name, place)
    signal.signal(signal.SIGUSR1, lambda number, _: told.append(number))


if __name__ == "__main__":
    die_in(sys.argv[1])
    main(sys.argv[2:])
