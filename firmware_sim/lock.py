"""The security profile of a device without a key (common.md §14.3): level 0, and what the handshake says then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.timeline import Timeline
from protocols.vocabulary import Capability, Result

SHORT_REST, LONG_REST, IN_A_ROW = 1.0, 60.0, 5
ONE_EVENT_IN = 60.0

PROOF, LEVEL = 1, 4
"""Reasons of AUTH_FAIL."""


@dataclass
class Lock:
    """`failed(reason, count)` is called where an AUTH_FAIL event is due. Times are of the line's clock."""

    caps: Capability
    clock: Timeline
    failed: Callable[[int, int], object]
    _count: int = 0
    _row: int = 0
    _until: float = 0.0

    def __post_init__(self) -> None:
        self._told: dict[int, float] = {}

    def auth1(self, level: int) -> Result:
        """The answer to AUTH1: there is no key, so no level can be had."""
        if level not in (1, 2):
            return Result.E_PARAM
        if not self.caps & (Capability.MAC if level == 1 else Capability.AEAD):
            return Result.E_UNSUPPORTED
        if self.clock.now < self._until:
            return Result.E_BUSY
        self._fail(LEVEL)
        return Result.E_AUTH

    def auth2(self) -> Result:
        """The answer to AUTH2: there was no AUTH1 that succeeded."""
        self._row += 1
        self._until = self.clock.now + (LONG_REST if self._row >= IN_A_ROW else SHORT_REST)
        self._fail(PROOF)
        return Result.E_AUTH

    def _fail(self, reason: int) -> None:
        self._count = min(self._count + 1, 0xFFFF)
        if self.clock.now >= self._told.get(reason, float("-inf")) + ONE_EVENT_IN:
            self._told[reason] = self.clock.now
            self.failed(reason, self._count)
