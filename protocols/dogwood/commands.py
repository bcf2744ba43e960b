"""The host's commands to a Dogwood: one at a time, the same again while no result comes (dogwood.md §4)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from protocols.dogwood import reports
from protocols.dogwood.datasheet import ANSWER_WITHIN, ID_MAX, TRIES
from protocols.dogwood.reports import NO_OP
from protocols.message import Request, Response


@dataclass
class Asked:
    """One command. `gathers`: FAULTS without a beginning asks on until it has them all. `auth`: of the handshake."""

    request: Request
    tries: int = 0
    at: float | None = None
    gathers: bool = False
    faults: list[dict[str, Any]] = field(default_factory=list)
    auth: bool = False


class Commands:
    """Commands in their order; the first one is out, or about to leave."""

    def __init__(self) -> None:
        self._queue: deque[Asked] = deque()
        self._auth_id = 0
        self._auth_tries = 0

    def add(self, request: Request) -> None:
        """A command that waits for its turn. Raises LocalError for what does not fit its type."""
        gathers = request.type == "FAULTS" and "from" not in request.body
        if gathers:
            request = replace(request, body={**request.body, "from": 0})
        reports.say_command(request)
        self._queue.append(Asked(request, gathers=gathers))

    def authenticate(self, request: Request) -> None:
        """A request of the handshake goes before all others, under a number of its own each time."""
        self._auth_id = self._auth_id % ID_MAX + 1
        self._queue.appendleft(Asked(replace(request, id=self._auth_id), auth=True))

    def hold(self) -> None:
        """The session is over: what is out is to be sent again, and a handshake that was begun is forgotten."""
        if self.auth:
            self._queue.popleft()
        if self._queue:
            self._queue[0].at = None

    def forget(self) -> None:
        """The link is lost: nobody waits any more."""
        self._queue.clear()
        self._auth_tries = 0

    @property
    def auth(self) -> bool:
        """Whether the command that is out or about to leave is of the handshake."""
        return bool(self._queue) and self._queue[0].auth

    def waiting(self, *, all: bool) -> bool:
        """Whether a command could leave now; without `all` only those of the handshake."""
        return bool(self._queue) and self._queue[0].at is None and (all or self._queue[0].auth)

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
        """The result is late: whether there may be another try. The handshake has its tries as a whole."""
        asked = self._queue[0]
        asked.at = None
        if asked.auth:
            self._auth_tries += 1
            return self._auth_tries < TRIES
        return asked.tries < TRIES

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
        self._auth_tries = 0
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
