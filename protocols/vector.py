"""Messages as mappings with the field names of the golden vectors, and back: for `shoectl wire`, captures and tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocols.errors import DecodeError, ErrorKind, LocalError
from protocols.events import event_from_json, event_json, jsonable
from protocols.link import Side
from protocols.message import Event, Hint, Message, Progress, Request, Response
from protocols.seal import Keys, Seal


@dataclass(frozen=True)
class Secret:
    """A session that frames are read and made in: its keys, and the last counter that its receiver has accepted."""

    keys: Keys
    last: int = -1

    def open(self, sender: Side, aad: bytes, sealed: bytes) -> tuple[int, bytes]:
        """Counter and plain message. Raises DecodeError: `sealed`, `mac`, `replay`."""
        seal = Seal(self.keys, sender, last=self.last)
        body = seal.open(aad, sealed)
        return seal.last, body

    def close(self, sender: Side, aad: bytes, body: bytes, counter: int) -> bytes:
        """The sealed message."""
        return Seal(self.keys, sender, counter).close(aad, body)


def sealed_by(secret: Secret | None) -> Secret:
    """The session that a sealed frame needs. Raises DecodeError of kind `sealed` where there is none."""
    if secret is None:
        raise DecodeError(ErrorKind.SEALED)
    return secret


def sealing_with(secret: Secret | None) -> Secret:
    """The session to make a sealed frame in. Raises LocalError where there is none."""
    if secret is None:
        raise LocalError("a sealed frame is made with the keys of its session")
    return secret


def message_json(message: Message) -> dict[str, Any]:
    """A message as `kind`, `type`, `id` and the fields of its body."""
    match message:
        case Request():
            return {"kind": "request", "type": message.type, "id": message.id, **jsonable(message.body)}
        case Response():
            return {"kind": "response", "type": message.type, "id": message.id, **answer_json(message)}
        case Event():
            return {"kind": "event", **event_json(message)}
        case Progress():
            return {"kind": "progress", **vars(message)}
        case Hint():
            return {"kind": "hint", **jsonable(message.body)}


def answer_json(message: Response) -> dict[str, Any]:
    """Result, fault code if there is one, and body."""
    fault = {} if message.fault_code is None else {"fault_code": message.fault_code}
    return {"result": message.result, **fault, **jsonable(message.body)}


def take(fields: dict[str, Any], name: str, kind: type = int) -> Any:
    """Remove and give a field. Raises LocalError when it is missing or of another kind."""
    if name not in fields:
        raise LocalError(f"field {name!r} is missing")
    value = fields.pop(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise LocalError(f"field {name!r} is not {'a number' if kind is int else 'text'}: {value!r}")
    return value


def answer_from_json(name: str, id: int, fields: dict[str, Any]) -> Response:
    """The response of `result`, `fault_code` and the rest as its body."""
    result = take(fields, "result")
    fault_code = take(fields, "fault_code") if "fault_code" in fields else None
    return Response(name, id, result, fields, fault_code)


def message_from_json(value: Mapping[str, Any]) -> Message:
    """The message of such a mapping. Raises LocalError."""
    fields = dict(value)
    match take(fields, "kind", str):
        case "request":
            return Request(take(fields, "type", str), take(fields, "id"), fields)
        case "response":
            return answer_from_json(take(fields, "type", str), take(fields, "id"), fields)
        case "event":
            return event_from_json(fields)
        case "progress":
            message = Progress(*(take(fields, name) for name in ("cycle", "state", "done", "total")))
            if fields:
                raise LocalError(f"progress: unknown field {next(iter(fields))!r}")
            return message
        case kind:
            raise LocalError(f"no kind of message: {kind!r}")
