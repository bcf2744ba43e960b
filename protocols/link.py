"""The contract of a link: one class a family, playing either side, without a clock and without I/O.

    wire bytes ──receive──► Link ──► [Up, Received, Dropped, Down, Silent]
    messages   ──send─────► Link ──output──► wire bytes

The caller passes `now` (seconds on any steady clock) into each call, writes whatever `output` gives,
and calls `tick` no later than `deadline` says. A link is used once: after `Down` on the host side it goes on by itself
(it resets and comes `Up` again); a lost wire needs a new link.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from protocols.errors import ErrorKind
from protocols.message import Message
from protocols.vocabulary import Resume

if TYPE_CHECKING:
    from protocols.handshake import Guard, Securing


class Side(StrEnum):
    """Which end of the wire."""

    HOST = "host"
    DEVICE = "device"


@dataclass(frozen=True)
class Up:
    """The link stands. The host gets the device's resume block; on the device side it is what was sent."""

    resume: Resume


@dataclass(frozen=True)
class Down:
    """The link is lost; what was sent and not answered may or may not have been done."""

    reason: str


@dataclass(frozen=True)
class Received:
    """A message came in, once and in order."""

    message: Message


@dataclass(frozen=True)
class Dropped:
    """Something came in that is no message: counted by kind, its content never kept (common.md §11).

    `seq` is set where it was an event: neither that one nor a later one may be acknowledged (common.md §7).
    """

    kind: ErrorKind
    seq: int | None = None


@dataclass(frozen=True)
class Silent:
    """Device side: the host has not been heard for as long as the family allows (`ms`); COMMS_LOST follows."""

    ms: int


@dataclass(frozen=True)
class Heard:
    """Device side: the host is back after `Silent`."""


@dataclass(frozen=True)
class Secured:
    """Device side: a session of this level stands from now on; 0: it is over, gates shut and no new motion starts."""

    level: int


@dataclass(frozen=True)
class AuthFailed:
    """Device side: an AUTH_FAIL event is due, with these fields (common.md §7.1, §14.3)."""

    reason: int
    count: int


LinkEvent = Up | Down | Received | Dropped | Silent | Heard | Secured | AuthFailed


@dataclass(frozen=True)
class LinkCounters:
    """What a link has seen since it was made. `repeats`: frames that came in marked as sent again."""

    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0
    frames_out: int = 0
    dropped: int = 0
    resends: int = 0
    repeats: int = 0
    resets: int = 0


class Tally:
    """Counters while they count."""

    def __init__(self) -> None:
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames_in = 0
        self.frames_out = 0
        self.dropped = 0
        self.resends = 0
        self.repeats = 0
        self.resets = 0

    def counters(self) -> LinkCounters:
        """What they say now."""
        return LinkCounters(**vars(self))


class Link(ABC):
    """One side of one device's link.

    Device side: `resume` is set by the firmware before `open`. The link calls it when the device starts and at each
    reset by the host, in the very moment: whatever a reset does to the device (a gate that shuts) is done inside it,
    and the block that it returns tells the state after that. Its `cause` is filled in by the link.

    Device side: `guard` is set before `open` where the link itself keeps to the security profile: it then answers
    AUTH1 and AUTH2, and everything that needs a session while none stands. Without one these come up to the firmware.
    """

    side: Side
    resume: Callable[[], Resume]
    guard: Guard | None = None
    _securing: Securing | None = None  # host side

    def __init__(self) -> None:
        self._tally = Tally()
        self._events: list[LinkEvent] = []

    @abstractmethod
    def open(self, now: float) -> None:
        """Begin: the host asks for a reset, the device says that it started. Call `output` afterwards."""

    @abstractmethod
    def receive(self, data: bytes, now: float) -> list[LinkEvent]:
        """Take bytes as they come, whole frames or not. Never raises on bad input: it is `Dropped`."""

    @abstractmethod
    def send(self, message: Message, now: float) -> None:
        """Queue a message for the other side.

        Host: Request. Device: Response; Event, Progress and Hint too where the family has them (elsewhere the firmware
        answers the host's reads and these raise LocalError). Raises LocalError when the link is down or the
        message does not fit its type.
        """

    @abstractmethod
    def output(self, now: float) -> bytes:
        """The bytes to put on the wire now, maybe none. They count as sent."""

    @abstractmethod
    def tick(self, now: float) -> list[LinkEvent]:
        """Let time pass: retransmissions, keep-alives, polls, time-outs."""

    @abstractmethod
    def deadline(self) -> float | None:
        """When `tick` has to be called at the latest; None when nothing is awaited."""

    @property
    @abstractmethod
    def up(self) -> bool:
        """Whether messages can be sent."""

    @property
    def counters(self) -> LinkCounters:
        """What this link has seen."""
        return self._tally.counters()

    def _take_events(self) -> list[LinkEvent]:
        """What happened since the last call."""
        events, self._events = self._events, []
        return events

    @property
    def level(self) -> int:
        """The level of the session that stands, 0 without one."""
        side = self.guard or self._securing
        return 0 if side is None else side.level

    @property
    def stopped(self) -> str:
        """Host side: why no session will come about, however long one waits; empty where one may."""
        return "" if self._securing is None else self._securing.stopped

    @property
    def unproven(self) -> bool:
        """Host side: whether it stopped because the device does not prove who it is."""
        return self._securing is not None and self._securing.unproven

    @property
    def room(self) -> int:
        """Bytes that the family's longest message may have now, as its document counts them: a seal takes some."""
        return 0

    @property
    def idle(self) -> bool:
        """Whether nothing is under way, so that a shared line may be given to another link."""
        return True

    def unplugged(self, now: float) -> list[LinkEvent]:
        """Device: the plug was pulled, or the bus was reset, on a medium that tells. What was under way is lost."""
        return []

    def read_events_after(self, seq: int) -> None:
        """Host: the last event that is durable here. A polled family reads on from there."""
        return None
