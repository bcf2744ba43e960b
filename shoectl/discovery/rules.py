"""The udev rules, as they are installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from shoectl.discovery.bus import UsbDevice
from shoectl.discovery.system import System

FOLDERS: Final = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")
INSTALL: Final = "udev/install.sh"


@dataclass(frozen=True)
class Rules:
    """The lines of all rule files whose name has `shoectl` in it."""

    lines: tuple[str, ...]

    @classmethod
    def of(cls, system: System) -> Rules:
        """Those of a machine."""
        files = [f"{folder}/{name}" for folder in FOLDERS for name in system.listed(folder)]
        text = "\n".join(system.text(name) for name in files if "shoectl" in name.rpartition("/")[2])
        lines = text.replace("\\\n", " ").splitlines()
        return cls(tuple(line for line in lines if line.strip() and not line.lstrip().startswith("#")))

    def about(self, device: UsbDevice) -> list[str]:
        """The lines that name a device by its ids."""
        ids = f'idVendor}}=="{device.vendor:04x}"', f'idProduct}}=="{device.product:04x}"'
        return [line for line in self.lines if all(each in line for each in ids)]

    def rights(self, device: UsbDevice) -> tuple[str, int] | None:
        """Group and mode that they give to a device's node; None where they give none."""
        for line in self.about(device):
            group, mode = re.search(r'\bGROUP="([^"]+)"', line), re.search(r'\bMODE="(0?[0-7]{3})"', line)
            if group and mode:
                return group[1], int(mode[1], 8)
        return None


def has_udev(system: System) -> bool:
    """Whether a udev runs there at all (a container has none)."""
    return system.there("/run/udev")
