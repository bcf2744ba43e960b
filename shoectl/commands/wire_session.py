"""The session that sealed frames belong to: the key of the device from a file, the rest from its handshake."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocols.family import Family
from protocols.seal import derive
from protocols.vector import Secret
from shoectl.errors import BadInput
from shoectl.secret import Secret as KeyFile
from shoectl.strict_json import loads

NEEDED = "--key-file and --session are given together: the key of the device, and what its handshake said"
_NONCE = Field(pattern=r"^[0-9a-fA-F]{32}$")


class Handshake(BaseModel):
    """What both ends said in plain before the session stood, by the names that decoded frames have for it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    level: int = Field(ge=1, le=2)
    session: int = Field(ge=0, le=0xFFFF_FFFF)
    nonce_h: str = _NONCE
    nonce_d: str = _NONCE
    serial: str = Field(min_length=1, max_length=32, pattern=r"^[ -~]+$")
    key_id: int = Field(ge=1, le=0xFFFF_FFFF)
    boot: int = Field(ge=0, le=0xFFFF)
    epoch: int = Field(ge=0, le=0xFFFF)


@dataclass(frozen=True)
class Device:
    """Whose session it is, as far as its keys depend on that."""

    family: int
    serial: str
    key_id: int
    boot: int
    epoch: int


def secret_of(family: Family, key_file: Path | None, session: str | None) -> Secret | None:
    """The session to open or seal frames with; None where neither option is given. Raises BadInput.

    Nothing of the key, nor of what is made from it, is in any message.
    """
    if key_file is None and session is None:
        return None
    if key_file is None or session is None:
        raise BadInput(NEEDED)
    told = _handshake(session)
    if told.level not in family.levels:
        raise BadInput(f"--session: {family.name} has no level {told.level}")
    nonces = bytes.fromhex(told.nonce_h), bytes.fromhex(told.nonce_d)
    try:
        key = KeyFile(file=str(key_file)).read_key()
    except BadInput as error:
        raise BadInput(f"--key-file: {error}") from None
    who = Device(family.code, told.serial, told.key_id, told.boot, told.epoch)
    return Secret(derive(key, who, told.level, told.session, *nonces))


def _handshake(text: str) -> Handshake:
    try:
        value: Any = loads(text)
    except BadInput as error:
        raise BadInput(f"--session: {error}") from None
    try:
        return Handshake.model_validate(value)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, wrong["loc"])) or "the value"
        raise BadInput(
            f"--session: {name}: {wrong['msg'].lower()}; needed: {', '.join(Handshake.model_fields)}"
        ) from None
