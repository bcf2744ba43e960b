"""Retained topics: the broker has the newest state of each, or is about to get it. Nothing older is ever sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Content = Mapping[str, Any]


class Revisions:
    """Numbers that rise through all lives of a table, from `first` in this one; small enough for every reader of JSON
    (below 2**53).
    """

    def __init__(self, life: int) -> None:
        self.first = self._last = life * 10**8

    def next(self) -> int:
        """The next one."""
        self._last += 1
        return self._last


class Board:
    """What the broker holds under each retained topic, as far as it has said so."""

    def __init__(self) -> None:
        self._held: dict[str, Content] = {}

    def forget(self) -> None:
        """The broker may have lost all of it: everything is due again."""
        self._held.clear()

    def due(self, now: Mapping[str, Content]) -> Iterator[tuple[str, Content]]:
        """Topics whose content is another one than the broker has."""
        for topic, content in now.items():
            if self._held.get(topic) != content:
                yield topic, content

    def holds(self, topic: str, content: Content) -> None:
        """The broker has acknowledged this."""
        self._held[topic] = content
