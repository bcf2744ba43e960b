"""What is wrong with a configuration, as one line: key, what, what is allowed. A secret that was typed is not said."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shoectl.config_sections import PATTERNS, Config, Place
from shoectl.secret import Secret

_PAIR: Final = "a pair [least, most] of whole numbers is needed"
_NAMED: Final = '{ file = "/path" } or { credential = "name" }'
_ECHO_MOST: Final = 60  # letters of a value that are said again


def first(error: ValidationError) -> str:
    """The first thing wrong, as `key: what; allowed is what`."""
    found = error.errors(include_url=False)[0]
    path = [str(part) for part in found["loc"] if part != "[key]"]
    key = ".".join(path)
    if path[0] == "house" and len(path) > 1:
        allowed = "a word, a whole number, true, false or the lines of a paytable"
        return f"house.{path[1]}: {_said(found['input'])} is not allowed; {allowed}"
    if isinstance(found["loc"][-1], int):
        return f"{'.'.join(path[:-1])}: {_PAIR}"
    if _within(path, Secret):
        return _secret(found, path, key)
    match found["type"]:
        case "extra_forbidden":
            return f"unknown key {key!r}{allowed_words(path[-1], _keys(path[:-1]))}"
        case "missing":
            return f"{key} is missing"
        case "literal_error" if path[-1] in get_args(Place) or path[0] != "devices":
            return f"{key}: {_said(found['input'])} is not allowed; allowed: {found['ctx']['expected']}"
        case "literal_error":
            return f"unknown key {key!r}{allowed_words(path[-1], get_args(Place))}"
        case "too_long" | "too_short" | "tuple_type":
            return f"{key}: {_PAIR}"
        case "model_type" | "dict_type":
            return f"{key}: {_said(found['input'])} is not allowed; a section [{key}] is needed"
        case _:
            return f"{key}: {_said(found['input'])} is not allowed; {_message(found)}"


def allowed_words(word: str, words: Iterable[str]) -> str:
    """What would be allowed in the place of a word, and which of it was meant."""
    words = list(words)
    near = difflib.get_close_matches(word, words, n=1)
    meant = f", did you mean {near[0]!r}?" if near else ";"
    return f"{meant} allowed: {', '.join(words)}"


def _message(found: ErrorDetails) -> str:
    """The library's words, and ours where it would show a pattern."""
    if found["type"] == "string_pattern_mismatch":
        return PATTERNS[found["ctx"]["pattern"]]
    return (found["msg"][0].lower() + found["msg"][1:]).removeprefix("input ")


def _said(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _ECHO_MOST else f"{text[:_ECHO_MOST]}…"


def _secret(found: ErrorDetails, path: list[str], key: str) -> str:
    """Something is wrong with a secret; whatever was written there may be it."""
    if found["type"] == "extra_forbidden" and path[-1] not in Secret.model_fields:
        return f"unknown key {key!r}{allowed_words(path[-1], Secret.model_fields)}"
    if found["type"] == "value_error":
        return f"{key}: {found['ctx']['error']}; {_NAMED}"
    return f"{key}: a secret is named here and not written; {_NAMED}"


def _within(path: list[str], kind: type[BaseModel]) -> bool:
    """Whether a key is one of these sections, or in one."""
    return any(_section(path[:length]) is kind for length in range(1, len(path) + 1))


def _section(path: list[str]) -> type[BaseModel] | None:
    """The section at a path; None where there is none."""
    section: Any = Config
    for part in path:
        field = section.model_fields.get(part) if hasattr(section, "model_fields") else None
        kinds = [field.annotation, *get_args(field.annotation)] if field else [section, *get_args(section)]
        section = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        if section is None and field:
            section = field.annotation
    return section if isinstance(section, type) and issubclass(section, BaseModel) else None


def _keys(path: list[str]) -> list[str]:
    """The keys that the section at a path allows."""
    section = _section(path)
    return list(section.model_fields) if section else []
