"""An event loop whose time jumps: when nothing is ready it goes to the next timer instead of waiting for it.

    @virtual
    async def test_something() -> None:
        await asyncio.sleep(3600)          # takes no time

`run(coroutine)` does the same for a single coroutine, and `TimeLoop` itself is a loop factory for
`asyncio.Runner` or pytest-asyncio. `loop.time()` is the clock; `time.monotonic()` is not touched.

Real descriptors are still polled. Where something outside the loop is waited for (a thread of the executor, one that
opens or closes a port, a child process), time passes as it really does until that has ended, for a jump would make
every deadline expire.

Between the two ends of a terminal a thread of the kernel carries the bytes, whenever it gets its turn. So time passes
no timer before that thread has carried what was written: a byte that was written after it, to a terminal of the loop's
own, has come through. On a busy machine that takes long, and no time.
"""

from __future__ import annotations

import asyncio
import functools
import os
import select
import selectors
import threading
import time
import tty
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, ParamSpec, TypeVar, TypeVarTuple

P = ParamSpec("P")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PORT_THREADS = "shoectl-port"  # the name of threads that open and close ports
# Real seconds for bytes that are on their way by other means than a terminal's, or carried at the same time as the
# loop's own byte: before a long jump, which may be a time-out, there are more.
ON_ITS_WAY_S, ON_ITS_WAY_MOST_S, ON_ITS_WAY_SHARE = 0.001, 0.010, 0.03
STUCK_AFTER_S = 5.0  # real seconds without timer, thread or descriptor: nobody is left who could wake the loop


class Stuck(RuntimeError):
    """The loop waits for something that cannot happen any more."""


class _Carried:
    """A terminal whose bytes tell that the kernel has carried those that were written to others before."""

    def __init__(self) -> None:
        self._far, self._near = os.openpty()
        tty.setraw(self._near)
        self._on_its_way = 0
        self._arrivals = select.poll()
        self._arrivals.register(self._far, select.POLLIN)

    def wait(self, selector: _JumpingSelector) -> None:
        """Until all has been carried, or the selector has something."""
        self._on_its_way += os.write(self._near, b"x")
        self._arrivals.register(selector.fileno(), select.POLLIN)
        while self._on_its_way:
            ready = [fd for fd, _ in self._arrivals.poll()]
            if self._far in ready:
                self._on_its_way -= len(os.read(self._far, 4096))
            if selector.fileno() in ready:
                return

    def close(self) -> None:
        os.close(self._far)
        os.close(self._near)


class _JumpingSelector(selectors.EpollSelector):
    """Never sleeps longer than something outside may need: reports the time that it skipped."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.outside = 0  # how many threads or children are waited for
        self._carried = _Carried()
        self._terminals = False  # whether any was ever listened to

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = super().register(fileobj, events, data)
        self._terminals = self._terminals or os.isatty(key.fd)
        return key

    def close(self) -> None:
        self._carried.close()
        super().close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        outside = self.outside > 0 or _opening_or_closing()  # asked first: what it wakes is then seen below
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self._terminals:
            self._carried.wait(self)
            if ready := super().select(0):
                return ready
        if not outside and timeout is not None:
            patience = min(max(ON_ITS_WAY_S, timeout * ON_ITS_WAY_SHARE), ON_ITS_WAY_MOST_S)
            if len(self.get_map()) > 1 and (ready := super().select(patience)):
                return ready
            self.now += timeout
            return []
        started = time.monotonic()
        if not outside:
            ready = super().select(STUCK_AFTER_S)
            if not ready and len(self.get_map()) <= 1:  # the loop's own wake-up pipe is the one
                raise Stuck("no timer, no thread and no descriptor is left that could wake the loop")
        else:
            most = 0.05 if timeout is None else min(timeout, 0.05)
            ready = super().select(most)
            self.now += min(time.monotonic() - started, most)  # what this machine did meanwhile is no time
        return ready


def _opening_or_closing() -> bool:
    return threading.active_count() > 1 and any(thread.name == PORT_THREADS for thread in threading.enumerate())


class TimeLoop(asyncio.SelectorEventLoop):
    """An event loop with virtual time, in seconds from 0."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumping.now

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """As in the base class; while the call runs, time is real."""
        future = super().run_in_executor(executor, func, *args)
        self._jumping.outside += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, _: asyncio.Future[Any]) -> None:
        self._jumping.outside -= 1

    async def _make_subprocess_transport(self, *args: Any, **kwargs: Any) -> Any:
        transport = await super()._make_subprocess_transport(*args, **kwargs)  # type: ignore[misc]
        self._jumping.outside += 1
        waiter = self.create_task(transport._wait())
        waiter.add_done_callback(self._came_back)
        return transport


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in virtual time."""
    with asyncio.Runner(loop_factory=TimeLoop) as runner:
        return runner.run(main)


def virtual(test: Callable[P, Awaitable[T]]) -> Callable[P, T]:
    """Decorate an async test (or any coroutine function): it becomes a plain one that runs in virtual time.

    Its parameters stay what they are, so fixtures work; async fixtures belong to another loop and do not.
    """

    @functools.wraps(test)
    def plain(*args: P.args, **kwargs: P.kwargs) -> T:
        async def main() -> T:
            return await test(*args, **kwargs)

        return run(main())

    return plain
