"""The kinds of field that bodies are made of, in `construct`: numbers, raw bytes, strings, cards, flags, lists."""

from __future__ import annotations

from typing import Any

from construct import (
    Adapter,
    Bytes,
    Construct,
    GreedyBytes,
    Int8sl,
    Int8ul,
    Int16ul,
    Int32ul,
    PrefixedArray,
    stream_read,
    stream_write,
)

from protocols.errors import DecodeError, ErrorKind, LocalError
from protocols.vocabulary import is_card_byte

u8, u16, u32, i8 = Int8ul, Int16ul, Int32ul, Int8sl

STRING_MAX = 16


class _Hex(Adapter):  # type: ignore[misc]
    """Raw bytes, shown as lower-case hex text."""

    def _decode(self, obj: bytes, context: Any, path: Any) -> str:
        return obj.hex()

    def _encode(self, obj: str, context: Any, path: Any) -> bytes:
        try:
            return bytes.fromhex(obj)
        except (TypeError, ValueError):
            raise LocalError(f"not hex text: {obj!r}") from None


class _Text(Construct):  # type: ignore[misc]
    """`str`: a length byte, then up to 16 printable ASCII bytes."""

    def _parse(self, stream: Any, context: Any, path: Any) -> str:
        size = stream_read(stream, 1, path)[0]
        if size > STRING_MAX:
            raise DecodeError(ErrorKind.STRING)
        data = stream_read(stream, size, path)
        if not all(0x20 <= byte <= 0x7E for byte in data):
            raise DecodeError(ErrorKind.STRING)
        return str(data, "ascii")

    def _build(self, obj: Any, stream: Any, context: Any, path: Any) -> Any:
        if not isinstance(obj, str) or len(obj) > STRING_MAX or not all(" " <= char <= "~" for char in obj):
            raise LocalError(f"not a string of at most {STRING_MAX} printable characters: {obj!r}")
        stream_write(stream, bytes([len(obj)]) + obj.encode("ascii"), 1 + len(obj), path)
        return obj


class _Card(Adapter):  # type: ignore[misc]
    """A card byte that means something (common.md §1)."""

    def _decode(self, obj: int, context: Any, path: Any) -> int:
        if not is_card_byte(obj):
            raise DecodeError(ErrorKind.CARD)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> int:
        if not isinstance(obj, int) or not is_card_byte(obj):
            raise LocalError(f"undefined card byte: {obj!r}")
        return obj


class _Reserved(Adapter):  # type: ignore[misc]
    """An integer with bits that must be zero."""

    def __init__(self, subcon: Any, mask: int) -> None:
        super().__init__(subcon)
        self.mask = mask

    def _decode(self, obj: int, context: Any, path: Any) -> int:
        if obj & self.mask:
            raise DecodeError(ErrorKind.VALUE)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> int:
        if not isinstance(obj, int) or obj & self.mask:
            raise LocalError(f"reserved bits set: {obj!r}")
        return obj


class _Nonzero(Adapter):  # type: ignore[misc]
    """An integer that means something only where it is not 0."""

    def _decode(self, obj: int, context: Any, path: Any) -> int:
        if obj == 0:
            raise DecodeError(ErrorKind.VALUE)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> Any:
        if obj == 0:
            raise LocalError("0 is not allowed")
        return obj


class _Sized(Adapter):  # type: ignore[misc]
    """A list whose length has limits."""

    def __init__(self, subcon: Any, low: int, high: int) -> None:
        super().__init__(subcon)
        self.low, self.high = low, high

    def _decode(self, obj: Any, context: Any, path: Any) -> Any:
        if not self.low <= len(obj) <= self.high:
            raise DecodeError(ErrorKind.BODY)
        return obj

    def _encode(self, obj: Any, context: Any, path: Any) -> Any:
        if not self.low <= len(obj) <= self.high:
            raise LocalError(f"{self.low} to {self.high} elements, not {len(obj)}")
        return obj


def raw(size: int) -> Any:
    """`bN`: a fixed number of raw bytes, as hex text."""
    return _Hex(Bytes(size))


def reserved(number: Any, mask: int) -> Any:
    """A number with bits that must be zero (kind `value`)."""
    return _Reserved(number, mask)


def nonzero(number: Any) -> Any:
    """A number that is not 0 (kind `value`)."""
    return _Nonzero(number)


def flags(reserved: int) -> Any:
    """A flag byte; bits of `reserved` must be zero (kind `value`)."""
    return _Reserved(u8, reserved)


def listing(element: Any, low: int = 0, high: int = 255) -> Any:
    """A list: a count byte, then the elements; a count outside the limits is kind `body`."""
    return _Sized(PrefixedArray(u8, element), low, high)


text = _Text()
card = _Card(u8)
rest = _Hex(GreedyBytes)
