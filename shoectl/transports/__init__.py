"""Pipes of bytes, found by URL scheme through the entry points `shoectl.transports`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from urllib.parse import SplitResult, urlsplit

from shoectl.errors import BadInput
from shoectl.transports.base import InUse, Transport, TransportError

__all__ = ["InUse", "Transport", "TransportError", "open_transport", "split_url"]

GROUP = "shoectl.transports"


@cache
def schemes() -> Mapping[str, EntryPoint]:
    """The transports that are installed, by URL scheme. Looked up once: it reads the words of every package."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def split_url(url: str) -> SplitResult:
    """A device URL in parts. Raises BadInput, listing the schemes, for text that is none or has an unknown scheme."""
    known = ", ".join(schemes())
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        raise BadInput(f"{url!r} is no device URL; known schemes: {known}") from None
    if not parts.scheme or any(ord(letter) < 0x20 for letter in url):
        raise BadInput(f"{url!r} is no device URL such as serial:///dev/ttyUSB0; known schemes: {known}")
    if parts.scheme not in schemes():
        raise BadInput(f"{url!r}: unknown scheme {parts.scheme!r}; known schemes: {known}")
    return parts


def open_transport(url: str) -> Transport:
    """A transport for a device URL, not yet opened. Raises BadInput, listing the schemes, for a URL that is none."""
    parts = split_url(url)
    try:
        made = schemes()[parts.scheme].load()
    except ImportError as error:
        raise BadInput(f"{url!r}: {parts.scheme} needs {error.name or error}, which is not installed") from None
    transport: Transport = made(parts)
    return transport
