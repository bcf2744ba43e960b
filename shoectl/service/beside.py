"""What a table has beside it as a service: word to the service manager, lines for its log, the journal's care."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoectl.config_sections import Config
from shoectl.devices.station import Station
from shoectl.service.log import is_journald, told_in_log
from shoectl.service.notify import Notify
from shoectl.service.standing import stand
from shoectl.service.upkeep import Upkeep
from shoectl.status import UpkeepStatus
from shoectl.table.runner import Runner

Task = Callable[[Runner[Any], Mapping[str, Station]], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Service:
    """Tasks for the daemon's group; what happens around a configuration that is read again; how the journal is kept."""

    tasks: tuple[Task, ...]
    reloading: Callable[[], AbstractContextManager[None]]
    upkeep: Callable[[], UpkeepStatus]


def service(config: Config, journal: Path, tell: Callable[[str], None]) -> Service:
    """By a configuration and the environment of this process. Raises BadInput: no room for a new journal."""
    notify, upkeep = Notify.of(os.environ), Upkeep(journal, config.upkeep, tell)
    tasks: list[Task] = [upkeep]
    if is_journald(os.environ):
        tasks.append(told_in_log)
    if notify:
        tasks.append(functools.partial(stand, notify=notify))
    return Service(tuple(tasks), notify.reloading, upkeep.status)
