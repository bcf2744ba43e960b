"""STATUS reports at the host: the last one, and the questions that it answers (dogwood.md §2).

A report may be lost. One that is older than an event is no answer to anybody who asks because of that event.
"""

from __future__ import annotations

from protocols.dogwood.datasheet import FLAG_LID_CLOSED, STATUS_FRESH, STATUS_MISSED, STATUS_SETTLES
from protocols.message import Body, Hint, Response
from protocols.vocabulary import Result


def standing(body: Body) -> object:
    """What hands go by: the state, and whether the lid is closed. The rest changes with each event or tells nothing."""
    return body["state"], body["flags"] & FLAG_LID_CLOSED


class Status:
    """No operation asks for STATUS: the next report answers a question, or the last one if none comes at once and the
    device has told of no event since.
    """

    def __init__(self) -> None:
        self._last: Hint | None = None
        self._came_at = 0.0
        self._asked: list[tuple[int, float]] = []

    def link_up(self, now: float) -> None:
        """What was said before is of before."""
        self._last, self._came_at = None, now
        self._asked.clear()

    def ask(self, id: int, now: float) -> None:
        """Somebody wants to know."""
        self._asked.append((id, now))

    def came(self, hint: Hint, now: float) -> list[Response]:
        """A report came: the answers to all who asked."""
        self._last, self._came_at = hint, now
        answers = [Response("STATUS", id, Result.OK, hint.body) for id, _ in self._asked]
        self._asked.clear()
        return answers

    def told(self) -> None:
        """An event came, or is known to have been: what the last report said may be over."""
        self._last = None

    def due(self, now: float) -> list[Response]:
        """Answers from the last report, where it is fresh and no other one came."""
        if self._last is None or now >= self._came_at + STATUS_FRESH:
            return []
        due = [id for id, at in self._asked if now >= at + STATUS_SETTLES]
        self._asked = [asked for asked in self._asked if asked[0] not in due]
        return [Response("STATUS", id, Result.OK, self._last.body) for id in due]

    @property
    def missed_at(self) -> float:
        """When a report is missed."""
        return self._came_at + STATUS_MISSED

    def missed(self, now: float) -> None:
        """The report is missed."""
        self._last, self._came_at = None, now

    def deadline(self) -> float:
        """When something is due."""
        waiting = [at + STATUS_SETTLES for _, at in self._asked] if self._last is not None else []
        fresh = [at for at in waiting if at < self._came_at + STATUS_FRESH]
        return min([*fresh, self.missed_at])
