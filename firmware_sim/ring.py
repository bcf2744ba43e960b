"""A device's event ring and its command memory (common.md §6, §7), both in NVRAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.nvram import Nvram
from protocols.message import Event, Request, Response
from protocols.vocabulary import FIRST_FAULT, EventCode, Result

KEPT_FOR_FAULTS = 16
ROOM_FOR_MOTION = 2 * KEPT_FOR_FAULTS
"""A motion needs as many slots free again beside those that are kept."""

COMMANDS_KEPT = 16


class EventRing:
    """Events until the host has acknowledged them. Nothing unacknowledged is ever overwritten."""

    def __init__(self, nvram: Nvram, size: int) -> None:
        self._nvram = nvram
        self.size = size
        self._events: dict[int, Event] = {}
        for key in nvram.keys("event/"):
            stored = nvram.get(key)
            event = Event(stored[0], stored[1], stored[2], stored[3], tupled(stored[4]))
            self._events[event.seq] = event

    @property
    def newest(self) -> int:
        """The last seq ever assigned, 0 if none."""
        return int(self._nvram.get("newest", 0))

    @property
    def oldest(self) -> int:
        """The oldest retained seq; newest + 1 when there is none."""
        return min(self._events, default=self.newest + 1)

    @property
    def free(self) -> int:
        """Slots that hold nothing."""
        return self.size - len(self._events)

    @property
    def high(self) -> bool:
        """Whether more than two thirds are in use (RING_HIGH)."""
        return 3 * len(self._events) > 2 * self.size

    def append(self, boot: int, t_ms: int, code: int, body: Mapping[str, Any], *, lose: bool = False) -> Event | None:
        """Write an event down. None when it found no slot (or `lose`): then only its seq is used up."""
        event = Event(self.newest + 1, boot, t_ms, code, dict(body))
        kept = code >= FIRST_FAULT or code in (EventCode.POWER_UP, EventCode.CMD_DONE)
        lost = lose or self.free <= (0 if kept else KEPT_FOR_FAULTS)
        with self._nvram.transaction():
            self._nvram.put("newest", event.seq)
            if lost:
                return None
            self._nvram.put(f"event/{event.seq}", [event.seq, boot, t_ms, code, listed(body)])
        self._events[event.seq] = event
        return event

    def retained(self, start: int = 0) -> list[Event]:
        """What is kept from `start` on, ascending."""
        return [self._events[seq] for seq in sorted(self._events) if seq >= start]

    def acknowledge(self, upto: int) -> bool:
        """The host has everything up to there. False where it cannot: beyond the newest."""
        if upto > self.newest:
            return False
        with self._nvram.transaction():
            for seq in [seq for seq in self._events if seq <= upto]:
                del self._events[seq]
                self._nvram.put(f"event/{seq}", None)
        return True


@dataclass(frozen=True)
class Stored:
    """What the device remembers of one S or M command: its bytes and the response it gave."""

    id: int
    code: int
    bytes: str
    response: Response


class CommandMemory:
    """The last 16 S and M commands with their answers."""

    def __init__(self, nvram: Nvram) -> None:
        self._nvram = nvram

    def find(self, id: int) -> Stored | None:
        """What is stored under an id."""
        for entry in self._nvram.get("commands", ()):
            if entry["id"] == id:
                answer = Response(entry["type"], id, entry["result"], tupled(entry["body"]), entry["fault"])
                return Stored(id, entry["code"], entry["bytes"], answer)
        return None

    def keep(self, request: Request, data: bytes, response: Response) -> None:
        """Remember a command by its exact bytes (type and body); the seventeenth last is forgotten."""
        entry = {
            "id": request.id,
            "type": request.type,
            "code": data[0],
            "bytes": data.hex(),
            "result": int(response.result),
            "body": listed(response.body),
            "fault": response.fault_code,
        }
        kept = [other for other in self._nvram.get("commands", ()) if other["id"] != request.id]
        self._nvram.put("commands", [*kept, entry][-COMMANDS_KEPT:])


def result_of(stored: Stored | None) -> tuple[Result, dict[str, int]]:
    """The answer to RESULT."""
    if stored is None:
        return Result.E_UNKNOWN_ID, {}
    return Result.OK, {"of_type": stored.code, "of_result": stored.response.result}


def listed(value: Any) -> Any:
    """As JSON keeps it."""
    if isinstance(value, Mapping):
        return {name: listed(item) for name, item in value.items()}
    return [listed(item) for item in value] if isinstance(value, list | tuple) else value


def tupled(value: Any) -> Any:
    """As messages hold it: lists are tuples."""
    if isinstance(value, Mapping):
        return {name: tupled(item) for name, item in value.items()}
    return tuple(tupled(item) for item in value) if isinstance(value, list | tuple) else value
