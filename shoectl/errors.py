"""What can go wrong for a user, and with which exit code it ends.

    ShoectlError
    ├── CheckFailed    the thing checked did not hold                1
    ├── BadInput       bad input or usage; nothing else was done      2
    └── DeviceFailed   a device or broker failed                      3

Each text is one line: what, where, what is allowed.
"""

from __future__ import annotations


class ShoectlError(Exception):
    """An error that a user is meant to read. `exit_code` is what the command ends with."""

    exit_code = 1


class CheckFailed(ShoectlError):
    """The thing checked did not hold."""

    exit_code = 1


class BadInput(ShoectlError):
    """Bad input or usage. `rule` is the paragraph it offends, `seat` the seat it came from, where there are such."""

    exit_code = 2

    def __init__(self, reason: str, *, rule: str | None = None, seat: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.rule = rule
        self.seat = seat


class DeviceFailed(ShoectlError):
    """A device or broker failed."""

    exit_code = 3
