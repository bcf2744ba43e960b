"""How it is with a place, in one sentence for people; said in the log when it changes and then ever more rarely."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from pathlib import Path

from shoectl.devices.command import DeviceLost
from shoectl.devices.patience import MOST_S, PLUG_MOST_S, STEADY_S, Backoff, Losses, Repeated
from shoectl.transports import TransportError

log = logging.getLogger("shoectl.devices")


class Condition:
    """The sentence, and what it rests on: how often the device was lost lately, how long to wait for the next try.

    `changed` is called when the sentence became another one.
    """

    def __init__(self, place: str, changed: Callable[[], None]) -> None:
        self.text = "not started"
        self._place, self._changed = place, changed
        self._backoff, self._pause = Backoff(), Backoff()
        self._losses, self._repeated = Losses(), Repeated(logging.LoggerAdapter(log, {"device": place}))
        self._unplugged = False

    def tell(self, text: str, level: int = logging.WARNING, *, key: str = "", detail: str = "") -> None:
        """It is so now; `detail` is for the log alone. Texts with the same `key` count as the same there."""
        self._repeated.say(f"{self._place}: {text}{detail}", self._now, level, key)
        if text != self.text:
            self.text = text
            self._changed()

    def notice(self, text: str) -> None:
        """Something odd about the port that changes nothing."""
        self._repeated.say(f"{self._place}: {text}", self._now, logging.INFO)

    def lost(self, held: float, failure: Exception | None) -> None:
        """A device that was there is lost, after `held` seconds. For one that was steady the waiting begins anew.
        `failure` is that of its connection, None where only the session ended.
        """
        self._unplugged |= isinstance(failure, TransportError)
        self._losses.add(self._now)
        if held >= STEADY_S:
            self._backoff.reset()
            self._pause.reset()
            self._repeated.over()

    def unplugged(self) -> None:
        """The port is not there: the next look at it is not put off for long."""
        self._unplugged = True

    def unsteady(self) -> str:
        """That it comes and goes, in words; empty where it does not."""
        if not self._losses.flapping(self._now):
            return ""
        return f"unsteady: lost {self._losses.recent(self._now)} times in the last minute; check cable and plugs"

    def missing(self, what: str) -> None:
        """There is no device to talk to, and why. A port that comes and goes is called so."""
        unsteady = self.unsteady()
        if unsteady:
            self.tell(f"{unsteady} (now {what})", key="flaps")
        else:
            self.tell(what)

    def delay(self) -> float:
        """How long to wait before the port is opened again, in seconds."""
        most = PLUG_MOST_S if self._unplugged else MOST_S
        self._unplugged = False
        return self._backoff.delay(most)

    def pause(self) -> float:
        """How long to leave a device alone that goes as soon as it is there, while its port stays open, in seconds."""
        return self._pause.delay()

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def lost_because(failure: Exception) -> DeviceLost:
    """Why a connection failed, in words. Whatever a transport or a link raises is a lost link.

    Of an exception that nobody expected its class and place are told, and not its text, which might hold a frame.
    """
    if isinstance(failure, (TransportError, DeviceLost)):
        return DeviceLost(str(failure))
    frames = traceback.extract_tb(failure.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return DeviceLost(f"{type(failure).__name__}{place} in the transport or the link")
