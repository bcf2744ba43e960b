"""Our own word in the status topic: what it says now, and whether somebody has overwritten it.

The will of a connection that the broker found dead late comes after the birth of the new one, and stays (retained). So
the table listens to its own topic and says again that it is there; not for ever, if somebody insists.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic import ValidationError

from shoectl.mqtt.payloads import Status
from shoectl.mqtt.retained import Revisions

CORRECTIONS_MOST: Final = 5  # within a minute
MINUTE: Final = 60.0
BIRTHS_MOST: Final = 999  # of a connection

What = Literal["ours", "overwritten", "another"]


@dataclass
class Availability:
    """The status of one daemon; `instance` is another one at each of its starts."""

    instance: str
    version: str
    revisions: Revisions
    _connection: int = 0
    _births: int = 0
    _corrected: deque[float] = field(default_factory=deque)

    def will(self) -> bytes:
        """Begin another connection: what the broker is to say for us when we are gone without a word.

        Its revision is above that of every birth of this connection, and below that of every later one.
        """
        self._connection, self._births = self._connection + 1, 0
        return self._said("offline", "lost", BIRTHS_MOST)

    def online(self) -> bytes:
        """Birth, and birth again."""
        self._births = min(self._births + 1, BIRTHS_MOST - 1)
        return self._said("online", "", self._births)

    def stopped(self, reason: Literal["lost", "stopped"] = "stopped") -> bytes:
        """The last word of a connection that is ended from here."""
        return self._said("offline", reason, BIRTHS_MOST)

    def _said(self, state: Literal["online", "offline"], reason: Literal["", "lost", "stopped"], n: int) -> bytes:
        revision = self.revisions.first + self._connection * (BIRTHS_MOST + 1) + n
        status = Status(revision=revision, state=state, reason=reason, instance=self.instance, version=self.version)
        return status.model_dump_json().encode()

    def heard(self, payload: bytes) -> What:
        """What somebody has said in our topic: we ourselves, something that is not so, or another daemon that lives."""
        status = _read(payload)
        if status is None or status.state == "offline":
            return "overwritten"
        return "ours" if status.instance == self.instance else "another"

    def rival_in(self, payload: bytes) -> str:
        """The instance that was here while we were not, by what we find in our topic; empty where it was none.

        One that has stopped in good order is none: it is gone.
        """
        status = _read(payload)
        if status is None or status.reason == "stopped" or status.instance == self.instance:
            return ""
        return status.instance

    def may_correct(self, now: float) -> bool:
        """Whether to say again that we are there. `now`: seconds of a clock that never jumps."""
        while self._corrected and now - self._corrected[0] > MINUTE:
            self._corrected.popleft()
        if len(self._corrected) >= CORRECTIONS_MOST:
            return False
        self._corrected.append(now)
        return True


def _read(payload: bytes) -> Status | None:
    try:
        return Status.model_validate_json(payload)
    except ValidationError:
        return None
