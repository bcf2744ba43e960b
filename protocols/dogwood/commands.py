"""The host's commands to a Dogwood: one at a time, the same again while no result comes (dogwood.md §4)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from protocols.dogwood.datasheet import ANSWER_WITHIN, TRIES
from protocols.dogwood.reports import NO_OP
from protocols.message import Request, Response


@dataclass
class Asked:
    """One command. `gathers`: FAULTS without a beginning asks on until it has them all."""

    request: Request
    tries: int = 0
    at: float | None = None
    gathers: bool = False
    faults: list[dict[str, Any]] = field(default_factory=list)


class Commands:
    """Commands in their order; the first one is out, or about to leave."""

    def __init__(self) -> None:
        self._queue: deque[Asked] = deque()

    def add(self, request: Request) -> None:
        """A command that waits for its turn."""
        gathers = request.type == "FAULTS" and "from" not in request.body
        if gathers:
            request = replace(request, body={**request.body, "from": 0})
        self._queue.append(Asked(request, gathers=gathers))

    def forget(self) -> None:
        """The link is lost: nobody waits any more."""
        self._queue.clear()

    @property
    def waiting(self) -> bool:
        """Whether a command could leave now."""
        return bool(self._queue) and self._queue[0].at is None

    def next(self, now: float) -> Asked:
        """The command that leaves now, for the first time or again."""
        asked = self._queue[0]
        asked.at, asked.tries = now, asked.tries + 1
        return asked

    def late_at(self) -> float | None:
        """When the result is late."""
        at = self._queue[0].at if self._queue else None
        return None if at is None else at + ANSWER_WITHIN

    def again(self) -> bool:
        """The result is late: whether the command may leave once more."""
        self._queue[0].at = None
        return self._queue[0].tries < TRIES

    def answered(self, response: Response) -> Response | None:
        """What a result tells of the command that is out: its answer, or None for a stale or not yet last one."""
        if not self._queue or self._queue[0].at is None:
            return None
        asked = self._queue[0]
        request = asked.request
        if response.type == NO_OP and response.id in (0, request.id):
            response = replace(response, type=request.type, id=request.id)
        if (response.type, response.id) != (request.type, request.id):
            return None
        if asked.gathers and response.ok:
            return self._gathered(asked, response)
        self._queue.popleft()
        return response

    def _gathered(self, asked: Asked, response: Response) -> Response | None:
        """Faults of one report; a result to an earlier question tells of earlier ones."""
        faults = response.body["faults"]
        if any(fault["seq"] < asked.request.body["from"] for fault in faults):
            return None
        asked.faults += faults
        if not faults:
            self._queue.popleft()
            return replace(response, body={"faults": tuple(asked.faults)})
        asked.request = replace(asked.request, body={"from": faults[-1]["seq"] + 1})
        asked.at, asked.tries = None, 0
        return None
