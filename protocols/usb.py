"""What a device with a USB plug tells the bus about itself, as its protocol document prints it."""

from __future__ import annotations

from dataclasses import dataclass

FULL, HIGH = "full", "high"
"""Speeds: 12 and 480 Mbit/s."""
_ENDPOINT = 5


@dataclass(frozen=True)
class UsbPlug:
    """Descriptors, byte for byte. `configurations` by speed: each whole, interfaces and endpoints included.

    Strings 1, 2, 3 are maker, model and serial number as in the identity block. `report` is a HID report descriptor.
    """

    device: bytes
    configurations: dict[str, bytes]
    qualifier: bytes = b""
    report: bytes = b""

    @property
    def vendor(self) -> int:
        """The vendor id."""
        return int.from_bytes(self.device[8:10], "little")

    @property
    def product(self) -> int:
        """The product id."""
        return int.from_bytes(self.device[10:12], "little")

    def packet_size(self, ep: int, speed: str = FULL) -> int:
        """The largest packet of an endpoint, in bytes. Raises KeyError where there is none."""
        data = self.configurations[speed]
        at = 0
        while at < len(data):
            if data[at + 1] == _ENDPOINT and data[at + 2] == ep:
                return int.from_bytes(data[at + 4 : at + 6], "little")
            at += data[at]
        raise KeyError(f"no endpoint {ep:02X}")
