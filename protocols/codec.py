"""Layouts that families share, written as `construct` declarations: these are the specification of each body.

Errors in what came in are DecodeError with the kind of common.md §11, found in reading order; errors in what we want
to say are LocalError. Enumerations are not checked (an unknown value is somebody else's to judge), card bytes, strings
and reserved bits are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

from construct import ConstructError, Container, ListContainer, Struct

from protocols.errors import DecodeError, ErrorKind, LocalError
from protocols.fields import flags, listing, raw, text, u8, u16, u32
from protocols.vocabulary import Result

EMPTY = Struct()
OK_RESULTS = (Result.OK, Result.ACCEPTED)
"""Results that carry the whole body of an answer (common.md §5)."""

RESUME = Struct("proto" / u8, "boot" / u16, "epoch" / u16, "cause" / u8, "oldest" / u32, "newest" / u32)

IDENTITY = Struct(
    "proto" / u8,
    "family" / u8,
    "hw_rev" / u8,
    "flags" / flags(reserved=0xC0),
    "caps" / u32,
    "boot" / u16,
    "epoch" / u16,
    "key_id" / u32,
    "fw_sha256" / raw(32),
    "maker" / text,
    "model" / text,
    "serial" / text,
    "fw_version" / text,
)

METERS = Struct(
    "cycles_ok" / u32,
    "cycles_bad" / u32,
    "cards" / u32,
    "jams" / u32,
    "crc_errors" / u32,
    "resends" / u32,
    "link_resets" / u32,
)

OF = Struct("of" / u16)
OF_RESULT = Struct("of_type" / u8, "of_result" / u8)
FAULTS = Struct("faults" / listing(Struct("seq" / u32, "code" / u8)))
UPTO = Struct("upto" / u32)
READ = Struct("from" / u32, "max" / u8)
CLEAR_FAULT = Struct("fault_seq" / u32, "operator" / u32)
AUTH1 = Struct("level" / u8, "nonce_h" / raw(16))
AUTH1_ANSWER = Struct("session" / u32, "nonce_d" / raw(16), "proof_d" / raw(16))
AUTH2 = Struct("proof_h" / raw(16))
HASH_START = Struct("nonce" / raw(16), "region" / u8)
HASH_READ = Struct("status" / u8, "region" / u8, "digest" / raw(32))
CONFIG_GET = Struct("key" / u8)
CONFIG_VALUE = Struct("value" / u32)
CONFIG_SET = Struct("key" / u8, "value" / u32, "who" / u32)
CYCLE = Struct("cycle" / u32)


def plain(value: Any) -> Any:
    """What construct gives, as plain values: dict, tuple, int, str."""
    if isinstance(value, Container):
        return {name: plain(item) for name, item in value.items() if name != "_io"}
    if isinstance(value, ListContainer):
        return tuple(plain(item) for item in value)
    return value


def parse(layout: Any, data: bytes) -> dict[str, Any]:
    """All of `data` by a layout. Raises DecodeError; bytes missing or left over are kind `body`."""
    stream = BytesIO(data)
    value = parse_some(layout, stream)
    if stream.tell() != len(data):
        raise DecodeError(ErrorKind.BODY)
    return value


def parse_some(layout: Any, stream: BytesIO) -> dict[str, Any]:
    """What comes next in a stream, by a layout. Raises DecodeError; bytes missing are kind `body`."""
    try:
        return plain(layout.parse_stream(stream))  # type: ignore[no-any-return]
    except ConstructError:
        raise DecodeError(ErrorKind.BODY) from None


def build(layout: Any, body: Mapping[str, Any], what: str) -> bytes:
    """The bytes of a body. Raises LocalError naming `what` and the field that is missing, unknown or unfit."""
    names = [field.name for field in layout.subcons]
    for name in body:
        if name not in names:
            raise LocalError(f"{what}: unknown field {name!r}; fields are {', '.join(names) or 'none'}")
    for name in names:
        if name not in body:
            raise LocalError(f"{what}: field {name!r} is missing")
    try:
        return bytes(layout.build(body))
    except LocalError as error:
        raise LocalError(f"{what}: {error}") from None
    except ConstructError as error:
        path = (error.path or "").removeprefix("(building) -> ")
        raise LocalError(f"{what}: field {path}: {str(error).splitlines()[-1]}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise LocalError(f"{what}: a field has the wrong form: {error}") from None


@dataclass(frozen=True)
class MessageType:
    """A request and its answer. `cls` is Q, S or M (common.md §6); the answer's layout is what follows its result."""

    code: int
    name: str
    cls: str
    request: Any = EMPTY
    response: Any = EMPTY

    @property
    def command(self) -> bool:
        """Whether it carries an id that the device remembers (S and M)."""
        return self.cls != "Q"


class Catalogue:
    """The messages of a family by code and by name."""

    def __init__(self, types: Iterable[MessageType]) -> None:
        self.types = tuple(types)
        self.by_code = {each.code: each for each in self.types}
        self.by_name = {each.name: each for each in self.types}

    def named(self, name: str) -> MessageType:
        """The type of that name. Raises LocalError for one that the family does not have."""
        found = self.by_name.get(name)
        if found is None:
            raise LocalError(f"no message type {name!r}")
        return found

    def coded(self, code: int) -> MessageType:
        """The type of that code. Raises DecodeError of kind `type`."""
        found = self.by_code.get(code)
        if found is None:
            raise DecodeError(ErrorKind.TYPE)
        return found

    @cached_property
    def commands(self) -> frozenset[str]:
        """Names of S and M messages."""
        return frozenset(each.name for each in self.types if each.command)

    @cached_property
    def motions(self) -> frozenset[str]:
        """Names of M messages."""
        return frozenset(each.name for each in self.types if each.cls == "M")


def parse_answer(layout: Any, data: bytes) -> tuple[int, dict[str, Any], int | None]:
    """Result, body and fault code of an answer by the body rule (common.md §5). Raises DecodeError."""
    if not data:
        raise DecodeError(ErrorKind.BODY)
    result, after = data[0], data[1:]
    if result in OK_RESULTS:
        return result, parse(layout, after), None
    if result == Result.E_FAULT:
        if len(after) != 1:
            raise DecodeError(ErrorKind.BODY)
        return result, {}, after[0]
    if after:
        raise DecodeError(ErrorKind.BODY)
    return result, {}, None


def build_answer(layout: Any, result: int, body: Mapping[str, Any], fault_code: int | None, what: str) -> bytes:
    """An answer by the body rule. Raises LocalError for a body or fault code where none belongs."""
    if not 0 <= result <= 0xFF:
        raise LocalError(f"{what}: result {result} is no byte")
    if (fault_code is not None) != (result == Result.E_FAULT):
        raise LocalError(f"{what}: fault_code goes with result 0B and no other")
    if result in OK_RESULTS:
        return bytes([result]) + build(layout, body, what)
    if body:
        raise LocalError(f"{what}: result {result:02X} carries no body")
    if fault_code is None:
        return bytes([result])
    if not 0 <= fault_code <= 0xFF:
        raise LocalError(f"{what}: fault_code {fault_code} is no byte")
    return bytes([result, fault_code])
