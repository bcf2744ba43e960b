"""The errors of libusb 1.0, code and errno alike, for what the system raises where a device is on the network."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from usb.backend import libusb1
from usb.core import USBError, USBTimeoutError

T = TypeVar("T")

_CODES = {
    errno.EPIPE: libusb1.LIBUSB_ERROR_PIPE,
    errno.EOVERFLOW: libusb1.LIBUSB_ERROR_OVERFLOW,
    errno.ENODEV: libusb1.LIBUSB_ERROR_NO_DEVICE,
    errno.ESHUTDOWN: libusb1.LIBUSB_ERROR_NO_DEVICE,
    errno.EBUSY: libusb1.LIBUSB_ERROR_BUSY,
    errno.EACCES: libusb1.LIBUSB_ERROR_ACCESS,
    errno.ETIMEDOUT: libusb1.LIBUSB_ERROR_TIMEOUT,
}
_NUMBERS = {
    libusb1.LIBUSB_ERROR_NO_DEVICE: errno.ENODEV,
    libusb1.LIBUSB_ERROR_IO: errno.EIO,
    libusb1.LIBUSB_ERROR_NOT_FOUND: errno.ENOENT,
}


def as_libusb(call: Callable[[], T]) -> T:
    """Do it; an error of the system becomes the one that libusb would have raised."""
    try:
        return call()
    except USBError:
        raise
    except OSError as error:
        raise libusb_error(_CODES.get(error.errno or 0, libusb1.LIBUSB_ERROR_IO)) from None


def libusb_error(code: int) -> USBError:
    """The error with one of libusb's codes, and the errno that goes with it."""
    number = _NUMBERS.get(code) or next(number for number, known in _CODES.items() if known == code)
    kind = USBTimeoutError if code == libusb1.LIBUSB_ERROR_TIMEOUT else USBError
    return kind(f"USB/IP: libusb error {code}", code, number)
