"""The contract of a transport: a pipe of bytes, used once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from urllib.parse import SplitResult, parse_qs

from shoectl.errors import BadInput, DeviceFailed

WRITE_DEADLINE_S = 2.0  # the slowest line takes its largest frame in half of that
WAITING_LIMIT = 64 * 1024  # bytes to be sent, far beyond what any link has under way: a writer that does not look
CLOSE_DEADLINE_S = 1.0  # a port that does not close by then is left to the kernel

Received = Callable[[bytes], None]
Lost = Callable[[Exception | None], None]


class TransportError(DeviceFailed):
    """A port cannot be opened, or was lost. One line: what happened, and what to do about it."""

    def __init__(self, reason: str, do: str = "") -> None:
        super().__init__(f"{reason}: {do}" if do else reason)
        self.reason = reason
        self.do = do


class InUse(TransportError):
    """Another program has it, as far as can be told."""


class Transport(ABC):
    """A pipe of bytes to a device. Open it once, close it once; then make another one."""

    notices: tuple[str, ...] = ()  # what is odd about this port and harmless, one line each
    node: str = ""  # what the stable name stood for when it was opened

    @abstractmethod
    async def open(self, received: Received, lost: Lost) -> None:
        """Open. From now on `received` gets bytes as they come; `lost` is called once if the pipe ends by itself.

        `lost` gets the reason, or None where the other side just closed. After it nothing is received.
        Raises TransportError.
        """

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send bytes, after all that were given before. Never blocks and never raises.

        A pipe that takes nothing for WRITE_DEADLINE_S is lost.
        """

    @abstractmethod
    async def close(self) -> None:
        """Give the port back. What was not yet sent is discarded. Takes at most CLOSE_DEADLINE_S; may be repeated."""


def options_of(url: SplitResult, allowed: dict[str, str]) -> dict[str, str]:
    """The options of a URL (`?baud=57600`). Raises BadInput for one that is not allowed or is given twice."""
    try:
        given = parse_qs(url.query, keep_blank_values=True, strict_parsing=True) if url.query else {}
    except ValueError:
        raise BadInput(f"{url.geturl()!r}: options are written ?name=value&name=value") from None
    for name, values in given.items():
        if name not in allowed:
            raise BadInput(
                f"{url.geturl()!r}: no option {name!r} here; allowed: {', '.join(sorted(allowed)) or 'none'}"
            )
        if len(values) > 1:
            raise BadInput(f"{url.geturl()!r}: option {name!r} is given twice")
    return {**allowed, **{name: values[0] for name, values in given.items()}}


def number_of(url: SplitResult, name: str, text: str, least: int, most: int) -> int:
    """A whole number among the options of a URL. Raises BadInput naming what is allowed."""
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise BadInput(f"{url.geturl()!r}: {name} is a whole number from {least} to {most}")
    return int(text)
