"""`python -m shoectl.mqtt.schemas FOLDER`: the JSON Schemas of all messages, made of their types."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from shoectl.mqtt import payloads
from shoectl.mqtt.commands import COMMANDS

MESSAGES: Final[Mapping[str, Any]] = {
    "status": payloads.Status,
    "round": payloads.Round,
    "events": payloads.Event | payloads.HiddenEvent,
    "device": payloads.Device,
    "count": payloads.Count,
    "telemetry": payloads.Telemetry,
    "reply": payloads.Reply,
    **{f"cmd-{name}": kind for name, kind in COMMANDS.items()},
}


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one kind of message (JSON Schema 2020-12), with the fields as they stand in it."""
    kind = MESSAGES[name]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        made = kind.model_json_schema(by_alias=True)
    else:
        made = TypeAdapter(kind).json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **made}


def text_of(name: str) -> str:
    """The schema as its file."""
    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"


def main(folder: Path) -> None:
    """Write them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MESSAGES:
        (folder / f"{name}.json").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/schemas"))
