"""The seam for link security (common.md §14): where a plain message becomes what travels, and back.

Only the plain seal exists so far. A session of level 1 or 2 will be another `Seal`; links and layouts ask the seal
that is in force and need no change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod


class Seal(ABC):
    """How one direction of one session turns plain messages into sealed ones."""

    level: int
    """0 plain, 1 MAC, 2 encrypted."""

    @abstractmethod
    def close(self, aad: bytes, body: bytes) -> bytes:
        """What travels for `body`. Each call takes the next counter."""

    @abstractmethod
    def open(self, aad: bytes, sealed: bytes) -> bytes:
        """The plain message. Raises DecodeError of kind `sealed`, `mac` or `replay`."""


class PlainSeal(Seal):
    """Level 0: nothing is added and nothing is checked. Development only."""

    level = 0

    def close(self, aad: bytes, body: bytes) -> bytes:
        """The body itself."""
        return body

    def open(self, aad: bytes, sealed: bytes) -> bytes:
        """The body itself."""
        return sealed


PLAIN = PlainSeal()
