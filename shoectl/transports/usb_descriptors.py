"""USB descriptors: bytes, and their fields by the names that the USB specification gives them."""

from __future__ import annotations

from types import SimpleNamespace

Layout = tuple[tuple[str, int], ...]
"""Names and sizes in bytes, in order; numbers are little endian."""

DEVICE, CONFIGURATION, INTERFACE, ENDPOINT = 1, 2, 4, 5

DEVICE_FIELDS = (
    ("bLength", 1), ("bDescriptorType", 1), ("bcdUSB", 2), ("bDeviceClass", 1), ("bDeviceSubClass", 1),
    ("bDeviceProtocol", 1), ("bMaxPacketSize0", 1), ("idVendor", 2), ("idProduct", 2), ("bcdDevice", 2),
    ("iManufacturer", 1), ("iProduct", 1), ("iSerialNumber", 1), ("bNumConfigurations", 1),
)  # fmt: skip
CONFIGURATION_FIELDS = (
    ("bLength", 1), ("bDescriptorType", 1), ("wTotalLength", 2), ("bNumInterfaces", 1), ("bConfigurationValue", 1),
    ("iConfiguration", 1), ("bmAttributes", 1), ("bMaxPower", 1),
)  # fmt: skip
INTERFACE_FIELDS = (
    ("bLength", 1), ("bDescriptorType", 1), ("bInterfaceNumber", 1), ("bAlternateSetting", 1), ("bNumEndpoints", 1),
    ("bInterfaceClass", 1), ("bInterfaceSubClass", 1), ("bInterfaceProtocol", 1), ("iInterface", 1),
)  # fmt: skip
ENDPOINT_FIELDS = (
    ("bLength", 1), ("bDescriptorType", 1), ("bEndpointAddress", 1), ("bmAttributes", 1), ("wMaxPacketSize", 2),
    ("bInterval", 1),
)  # fmt: skip


def fields(data: bytes, layout: Layout) -> SimpleNamespace:
    """A descriptor as pyusb wants it: its fields by name."""
    told, at = SimpleNamespace(), 0
    for name, size in layout:
        setattr(told, name, int.from_bytes(data[at : at + size], "little"))
        at += size
    return told


def size_of(layout: Layout) -> int:
    """The bytes of a descriptor of this kind."""
    return sum(size for _, size in layout)


def described(data: bytes, layout: Layout, extra: list[bytes]) -> SimpleNamespace:
    """The same, with the descriptors behind it that are none of its own kind."""
    told = fields(data, layout)
    told.extra_descriptors = list(b"".join(extra))
    return told


def parts(data: bytes) -> list[bytes]:
    """The descriptors that stand one after the other."""
    found = []
    while len(data) > 1 and data[0] > 1:
        found.append(data[: data[0]])
        data = data[data[0] :]
    return found


def until(all_parts: list[bytes], *kinds: int) -> list[bytes]:
    """Those before the first of these kinds."""
    end = next((at for at, part in enumerate(all_parts) if part[1] in kinds), len(all_parts))
    return all_parts[:end]
