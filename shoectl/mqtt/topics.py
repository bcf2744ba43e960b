"""The names of a table's topics: `shoectl/v1/SITE/TABLE/…`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ROOT: Final = "shoectl/"
REPLY_MOST: Final = 200  # characters of a topic that somebody wants an answer at


@dataclass(frozen=True)
class Topics:
    """All topics of one table; `site` and `table` are one level each."""

    site: str
    table: str

    @property
    def base(self) -> str:
        """What all of them begin with, with the slash."""
        return f"{ROOT}v1/{self.site}/{self.table}/"

    @property
    def status(self) -> str:
        """Retained: whether the daemon is there. Birth, will and clean stop go here."""
        return self.base + "status"

    @property
    def round(self) -> str:
        """Retained: what everybody may see of the round."""
        return self.base + "round"

    @property
    def count(self) -> str:
        """Retained: rounds since the deck was counted, and whether a count is due."""
        return self.base + "count"

    @property
    def events(self) -> str:
        """The entries of the journal, in their order."""
        return self.base + "events"

    @property
    def telemetry(self) -> str:
        """How the daemon is; nothing of the game."""
        return self.base + "telemetry"

    @property
    def commands(self) -> str:
        """The filter of all commands."""
        return self.base + "cmd/+"

    def device(self, place: str) -> str:
        """Retained: the device at a place."""
        return f"{self.base}devices/{place}"

    def command_in(self, topic: str) -> str | None:
        """The name of the command that a topic stands for; None for another topic."""
        name = topic.removeprefix(self.base + "cmd/")
        return name if name != topic and "/" not in name else None

    def may_answer_at(self, topic: str) -> bool:
        """Whether an answer may be sent to a topic that somebody else has named.

        The table must not be made to write what is another's: below `shoectl/` it answers under its own `reply/` alone.
        """
        if not 0 < len(topic) <= REPLY_MOST or topic.startswith("$") or any(c in topic for c in "+#\0"):
            return False
        return not (topic + "/").startswith(ROOT) or topic.startswith(self.base + "reply/")
