"""Calls that may block, each in a thread of its own.

The loop's thread pool will not do: it refuses work while the interpreter goes down, which is when ports are closed,
and it waits at the end for a call that never returns.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")


def in_thread(call: Callable[[], T], *, unwanted: Callable[[T], object] | None = None) -> asyncio.Future[T]:
    """Run `call` in a daemon thread; the future takes what it returns or raises.

    If nobody waits any more when it returns (cancelled, loop closed), `unwanted` gets the result, so that it can
    be given back. An error that nobody waits for is dropped, without a word from the loop.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def take(result: T | None, error: BaseException | None) -> None:
        if future.done():
            if error is None and unwanted is not None:
                give_back = partial(unwanted, result)  # type: ignore[arg-type]
                threading.Thread(target=give_back, name="shoectl-port", daemon=True).start()
        elif error is not None:
            future.set_exception(error)
            future.exception()  # seen: an error after a time-out is no news
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def body() -> None:
        result, error = None, None
        try:
            result = call()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(take, result, error)
        except RuntimeError:  # the loop is gone
            if error is None and unwanted is not None:
                unwanted(result)  # type: ignore[arg-type]

    threading.Thread(target=body, name="shoectl-port", daemon=True).start()
    return future
