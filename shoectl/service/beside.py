"""What a table has beside it as a service: word to the service manager, lines for its log, the journal's care."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from shoectl.devices.station import Station
from shoectl.service.log import is_journald, told_in_log
from shoectl.service.notify import Notify
from shoectl.service.standing import stand
from shoectl.table.runner import Runner

Task = Callable[[Runner[Any], Mapping[str, Station]], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Service:
    """Tasks for the daemon's group, and what happens around a configuration that is read again."""

    tasks: tuple[Task, ...]
    reloading: Callable[[], AbstractContextManager[None]]


def service() -> Service:
    """By the environment of this process."""
    notify = Notify.of(os.environ)
    tasks: list[Task] = []
    if is_journald(os.environ):
        tasks.append(told_in_log)
    if notify:
        tasks.append(functools.partial(stand, notify=notify))
    return Service(tuple(tasks), notify.reloading)
