"""JSON from outside, read strictly: what two readers could understand in two ways is refused.

That is a key that stands there twice (of which others take the first, or the last), a number that is none of JSON, text
that is no UTF-8, and what is nested too deeply.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from shoectl.errors import BadInput

_NAME: Final = re.compile(r"[a-z][a-z0-9_:]{0,39}")


class NotJson(BadInput):
    """Text that cannot be read as JSON."""


class KeyTwice(NotJson):
    """A key that stands twice in one object: which of both is meant, nobody knows."""


def loads(text: str | bytes) -> Any:
    """The value of a text. Raises NotJson, KeyTwice: one line, what is wrong and where."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise NotJson("not JSON that can be read: it is no UTF-8 text") from None
    except RecursionError:
        raise NotJson("not JSON that can be read: nested too deeply") from None
    except ValueError as error:  # JSONDecodeError, or a number of more digits than Python takes
        raise NotJson(f"not JSON that can be read: {error}".split("; use sys.")[0]) from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        # a name of ours is said again; whatever else was sent may be a secret, or a face
        raise KeyTwice(f"{f'the key {twice}' if _NAME.fullmatch(twice) else 'a key'} stands there twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
