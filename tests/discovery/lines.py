"""Devices at the far end of pseudo-terminals, and what the doctor says of them."""

from __future__ import annotations

import contextlib
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path

from shoectl.devices.places import Place
from shoectl.discovery.doctor import Diagnosis, diagnose, places_of
from shoectl.discovery.history import Known
from shoectl.discovery.system import System
from tests.devices.plugs import behind
from tests.devices.ports import Adapter, adapter
from tests.devices.scripted import Device


@contextlib.contextmanager
def plugged(path: Path, device: Device, rate: int | None = None) -> Iterator[Adapter]:
    """A device behind an adapter; with a `rate` it hears nothing that comes at another one."""
    hears = device.received

    def received(data: bytes) -> None:
        if rate is None or termios.tcgetattr(made._slave)[4] == getattr(termios, f"B{rate}"):
            hears(data)

    device.received = received  # type: ignore[method-assign]
    with adapter(path) as made, behind(made, device):
        yield made


async def doctor(*places: Place, known: Mapping[str, Known] | None = None, patience: float = 1.0) -> Diagnosis:
    system = System()
    return await diagnose(system, places_of(system, places, known), patience=patience)


async def reasons(*places: Place, known: Mapping[str, Known] | None = None) -> list[tuple[str, str]]:
    """What is found, as (reason, what)."""
    return [(one.reason, one.what) for one in (await doctor(*places, known=known)).findings]
