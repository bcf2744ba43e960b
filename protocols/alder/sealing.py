"""Payloads of DATA in a session (alder.md §4): which are sealed, and how."""

from __future__ import annotations

from protocols.alder import wire
from protocols.alder.datasheet import PAYLOAD_MAX
from protocols.errors import DecodeError, ErrorKind
from protocols.seal import Session, overhead

AAD = bytes([wire.SEALED])
_AUTH = frozenset(wire.CATALOGUE.by_name[name].code for name in ("AUTH1", "AUTH2"))
_OPEN = _AUTH | {wire.CATALOGUE.by_name["IDENT"].code}


def plain_always(payload: bytes) -> bool:
    """Whether a payload is of the handshake, which is never sealed."""
    return bool(payload) and (payload[0] & ~wire.ANSWER) in _AUTH


def open_to_all(payload: bytes) -> bool:
    """Whether a device that insists on a session answers a plain request without one."""
    return bool(payload) and payload[0] in _OPEN


def room(level: int) -> int:
    """Bytes of plain payload that fit into DATA."""
    return PAYLOAD_MAX - (len(AAD) + overhead(level) if level else 0)


def parts(payload: bytes) -> tuple[bytes, bytes]:
    """What a seal covers besides, and the sealed message. Raises DecodeError of kind `sealed` for what is none."""
    if payload[:1] != AAD:
        raise DecodeError(ErrorKind.SEALED)
    return AAD, payload[1:]


def opened(session: Session | None, payload: bytes) -> bytes:
    """The plain payload. Raises DecodeError: `sealed` for plain in a session and the reverse, `mac`, `replay`."""
    if session is not None and not plain_always(payload):
        return session.incoming.open(*parts(payload))
    if payload[:1] == AAD:
        raise DecodeError(ErrorKind.SEALED)
    return payload


def closed(session: Session | None, payload: bytes) -> bytes:
    """What travels for a plain payload. Raises LocalError for one that is too long for that."""
    if session is None or plain_always(payload):
        return payload
    return wire.fitting(AAD + session.outgoing.close(AAD, payload))
