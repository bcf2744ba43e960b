"""The keys that a configuration may have, as the schema has them: for the tests that hold example and page to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from shoectl.config_sections import Config
from shoectl.secret import Secret

PLACES = "devices.PLACE"
NEEDED = "needed"


def keys() -> dict[str, Any]:
    """`table.name` and all others with what applies where it is left out; a free section as `limits.…`."""
    return dict(_keys(Config, ""))


def _keys(section: type[BaseModel], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, field in section.model_fields.items():
        inner = [kind for kind in (field.annotation, *get_args(field.annotation)) if _is_section(kind)]
        if inner and inner[0] is not Secret:
            yield from _keys(inner[0], PLACES + "." if name == "devices" else f"{prefix}{name}.")
        elif not prefix:
            yield f"{name}.…", {}
        else:
            yield prefix + name, NEEDED if field.is_required() else field.default


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def named(data: dict[str, Any]) -> set[str]:
    """The keys of a file that was read, in the same form."""
    found = set()
    for section, content in data.items():
        if section in ("limits", "house"):
            found.add(f"{section}.…")
        elif section == "devices":
            found |= {f"{PLACES}.{key}" for device in content.values() for key in device}
        else:
            found |= {f"{section}.{key}" for key in content}
    return found
