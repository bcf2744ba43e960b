"""USB devices given up again and again: pulled where giving them up fails, and closed while threads read.

In the suite a few; in full: python -m tests.fieldcases.given_back [--pulled 500] [--closed 100]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import io
from collections.abc import Callable
from typing import Any

import pytest
from usb.backend import libusb1
from usb.core import USBError

from shoectl.transports import usb_find
from shoectl.transports.usbip_backend import Handle, UsbipBackend
from tests.transports.ends import UsbEnd, standing
from tests.transports.hosts import open_things, reopened, until

READERS = 2  # of a cedar

Told = Callable[[int], None]


def silent(number: int) -> None:
    return None


class Stubborn(UsbipBackend):
    """Its devices cannot be given up once they are gone."""

    handles = 0

    def open_device(self, dev: Any) -> Handle:
        opened = super().open_device(dev)
        Stubborn.handles += 1
        return opened

    def close_device(self, dev_handle: Handle) -> None:
        super().close_device(dev_handle)
        Stubborn.handles -= 1

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        raise USBError("no such device", libusb1.LIBUSB_ERROR_NO_DEVICE, errno.ENODEV)


class Brittle(UsbipBackend):
    """What a native library does where one thread closes what another one uses: it would end the process."""

    used: int = 0
    broken: int = 0

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: Any, timeout: int) -> int:
        Brittle.used += 1
        try:
            return super().bulk_read(dev_handle, ep, intf, buff, timeout)
        finally:
            Brittle.used -= 1

    intr_read = bulk_read

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        Brittle.broken += Brittle.used
        super().release_interface(dev_handle, intf)

    def close_device(self, dev_handle: Handle) -> None:
        Brittle.broken += Brittle.used
        super().close_device(dev_handle)


async def pulled(count: int, told: Told = silent) -> None:
    """Pull the plug, close, plug in. Raises AssertionError where a handle, a descriptor or a thread stays behind."""
    Stubborn.handles = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usb_find, "UsbipBackend", Stubborn)
        async with standing(UsbEnd("cedar")) as end:
            await asyncio.sleep(0.02)
            before = open_things()
            for number in range(1, count + 1):
                host = await reopened(end)
                assert Stubborn.handles == 1
                end.pull()
                await host.loses()
                await host.transport.close()
                assert Stubborn.handles == 0
                end.put_back()
                told(number)
            await until(lambda: open_things() <= before)


async def closed(count: int, told: Told = silent) -> float:
    """Close, each time at another moment of the reads; the longest that it took, in seconds. Raises AssertionError
    where anything was given back while a thread was in a call for it.
    """
    Brittle.used = Brittle.broken = 0
    loop, longest = asyncio.get_running_loop(), 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usb_find, "UsbipBackend", Brittle)
        async with standing(UsbEnd("cedar")) as end:
            for number in range(1, count + 1):
                host = await reopened(end)
                await until(lambda: Brittle.used == READERS)
                await asyncio.sleep(number % 8 * 0.012)
                began = loop.time()
                await host.transport.close()
                longest = max(longest, loop.time() - began)
                told(number)
    assert (Brittle.used, Brittle.broken) == (0, 0)
    return longest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pulled", type=int, default=500)
    parser.add_argument("--closed", type=int, default=100)
    chosen = parser.parse_args()

    def told(number: int) -> None:
        if number % 50 == 0:
            print(f"  {number}", flush=True)

    print("pulled, where giving up fails", flush=True)
    with contextlib.redirect_stderr(io.StringIO()) as said:
        asyncio.run(pulled(chosen.pulled, told))
    assert said.getvalue() == "", said.getvalue()
    print("closed while threads read", flush=True)
    print(f"  longest: {asyncio.run(closed(chosen.closed, told)):.2f} s", flush=True)


if __name__ == "__main__":
    main()
