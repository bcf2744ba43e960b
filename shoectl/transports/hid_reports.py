"""HID report descriptors: whether a device is the one that it claims to be, and none that types into the system."""

from __future__ import annotations

from collections.abc import Iterator

from protocols.family import families
from protocols.usb import UsbPlug
from shoectl.transports.base import TransportError

KEYBOARD_PAGE = 0x07
GENERIC_PAGE = 0x01
KEYBOARDS = (0x06, 0x07)  # usages of the generic page: keyboard, keypad
_LONG_ITEM = 0xFE
_USAGE_PAGE, _USAGE = 0x04, 0x08  # tags with their type, size bits off
_SIZES = (0, 1, 2, 4)


def check_reports(name: str, descriptor: bytes, vendor: int, product: int) -> None:
    """Raises TransportError for a device that types, and for one whose reports are not those of its document."""
    if types(descriptor):
        raise TransportError(f"{name} is in keyboard mode", "set the reader to HID reports (its manual says how)")
    for family, plug in _known():
        if (plug.vendor, plug.product) == (vendor, product) and plug.report != descriptor:
            raise TransportError(
                f"{name} has other reports than a {family}", "it is another device, or another version"
            )


def types(descriptor: bytes) -> bool:
    """Whether a report descriptor has anything of a keyboard in it."""
    page = 0
    for tag, value, size in _items(descriptor):
        if tag == _USAGE_PAGE:
            page = value
            if page == KEYBOARD_PAGE:
                return True
        elif tag == _USAGE:
            on, usage = (value >> 16, value & 0xFFFF) if size == 4 else (page, value)
            if on == KEYBOARD_PAGE or (on == GENERIC_PAGE and usage in KEYBOARDS):
                return True
    return False


def _known() -> Iterator[tuple[str, UsbPlug]]:
    for name, family in families().items():
        plug = family.line.get("usb")
        if isinstance(plug, UsbPlug) and plug.report:
            yield name, plug


def _items(descriptor: bytes) -> Iterator[tuple[int, int, int]]:
    """Tag with type, value, size in bytes of each short item."""
    at = 0
    while at < len(descriptor):
        head = descriptor[at]
        if head == _LONG_ITEM:
            at += 3 + (descriptor[at + 1] if at + 1 < len(descriptor) else 0)
            continue
        size = _SIZES[head & 3]
        yield head & 0xFC, int.from_bytes(descriptor[at + 1 : at + 1 + size], "little"), size
        at += 1 + size
