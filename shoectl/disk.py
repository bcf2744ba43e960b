"""A thread of its own for what may wait for a disk, beside a loop that must not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Disk:
    """One thread: things are done one after the other. `name` is what the thread is called."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have it done. Whoever does not wait any more leaves it to end by itself."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*args, **kwargs))

    def end(self) -> None:
        """Nothing more is asked for; what was begun is ended, and only then may be closed what it works with."""
        self._thread.shutdown(wait=True)
