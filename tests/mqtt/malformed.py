"""Commands that are good but for what is changed of them, and those of every malformed kind."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from typing import Any

numbers = itertools.count(1)


def said(name: str, **changes: Any) -> dict[str, Any]:
    """A command that is good, but for the changes; a field that is None is left out."""
    more: dict[str, Any] = {
        "list": {},
        "answer": {"step": "1.2.0", "with": {"choice": "fold"}},
        "held": {"step": "1.2.0", "how": "go on"},
        "report": {"step": "1.2.0", "what": "exposed", "at": "seat 1"},
    }[name]
    command = {"id": f"c{next(numbers)}", "issued_at": datetime.now(UTC).isoformat(), "by": "dealer", **more, **changes}
    return {key: value for key, value in command.items() if value is not None}


MALFORMED = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"answer"',
    b"\xff\xfe",
    b'{"id": "\xed\xa0\x80"}',
    b"[" * 2000,
    b'{"a":' * 600,
    b"1e999999",
    *(
        json.dumps({**said("answer"), **change}).encode()
        for change in (
            {"id": 1},
            {"id": ""},
            {"id": "a b"},
            {"id": "x" * 65},
            {"issued_at": 0},
            {"issued_at": "yesterday"},
            {"issued_at": "2026-06-01T12:00:00"},
            {"issued_at": None},
            {"by": None},
            {"by": ["dealer"]},
            {"by": "dealer\n"},
            {"step": "1"},
            {"step": "1.2.3.4"},
            {"step": "-1.2"},
            {"step": "1.2.0\n"},
            {"with": []},
            {"with": "fold"},
            {"more": 1},
            {"given": {}},
        )
    ),
    *(json.dumps(said("answer", **{field: None})).encode() for field in ("id", "issued_at", "by", "step", "with")),
]
