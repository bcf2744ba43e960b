"""What a failed USB transfer means: told by the class of the error, its errno and the backend's code, never by text.

Systems and backends number the same thing differently; what none of these tables knows is a failure of the link.
"""

from __future__ import annotations

import errno
from enum import Enum, auto

from usb.backend import libusb1
from usb.core import USBTimeoutError


class Trouble(Enum):
    """What happened."""

    SILENCE = auto()
    """Nothing passed in time. No word about whether the device is there."""
    STALL = auto()
    """The endpoint refuses until its halt is cleared."""
    BABBLE = auto()
    """More came than was asked for; it is lost."""
    GONE = auto()
    """The device is not there any more."""
    DENIED = auto()
    """This user may not."""
    BUSY = auto()
    """Another program has it."""
    FAILED = auto()
    """Anything else."""


WINDOWS_TIMEOUT, MAC_TIMEOUT, LIBUSB0_TIMEOUT = 10060, 60, -116

_BY_CODE = {
    libusb1.LIBUSB_ERROR_TIMEOUT: Trouble.SILENCE,
    LIBUSB0_TIMEOUT: Trouble.SILENCE,
    libusb1.LIBUSB_ERROR_PIPE: Trouble.STALL,
    libusb1.LIBUSB_ERROR_OVERFLOW: Trouble.BABBLE,
    libusb1.LIBUSB_ERROR_NO_DEVICE: Trouble.GONE,
    libusb1.LIBUSB_ERROR_ACCESS: Trouble.DENIED,
    libusb1.LIBUSB_ERROR_BUSY: Trouble.BUSY,
}
_BY_ERRNO = {
    errno.ETIMEDOUT: Trouble.SILENCE,
    MAC_TIMEOUT: Trouble.SILENCE,
    WINDOWS_TIMEOUT: Trouble.SILENCE,
    errno.EPIPE: Trouble.STALL,
    errno.EOVERFLOW: Trouble.BABBLE,
    errno.ENODEV: Trouble.GONE,
    errno.ENXIO: Trouble.GONE,
    errno.ESHUTDOWN: Trouble.GONE,
    errno.EACCES: Trouble.DENIED,
    errno.EPERM: Trouble.DENIED,
    errno.EBUSY: Trouble.BUSY,
}


def trouble_of(error: BaseException) -> Trouble:
    """What an exception of pyusb, or of the system, means."""
    if isinstance(error, USBTimeoutError):
        return Trouble.SILENCE
    code = getattr(error, "backend_error_code", None)
    if isinstance(code, int) and code in _BY_CODE:
        return _BY_CODE[code]
    number = getattr(error, "errno", None)
    return _BY_ERRNO.get(number, Trouble.FAILED) if isinstance(number, int) else Trouble.FAILED
