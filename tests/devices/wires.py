"""The wire between a host and scripted devices, and what may happen on it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from protocols.alder.wire import AlderFramer
from protocols.alder.wire import Frame as AlderFrame
from protocols.alder.wire import encode as alder_encode
from protocols.birch.frames import BirchFramer
from protocols.birch.frames import Frame as BirchFrame
from protocols.birch.frames import encode as birch_encode
from shoectl.transports.base import Lost, Received, Transport
from shoectl.transports.memory import MemoryTransport, Tamper, pair
from tests.devices.scripted import Device

MARKED = 0x70  # an event code that nobody assigned
_GOOD, _BAD = b"\x70\xaa\xbb\xcc\xdd", b"\x02\xaa\xbb\xcc\xdd"  # a STATE of four bytes is none


class Wire:
    """A port with devices behind it, which all hear the host. Each opening by the host makes a fresh pipe."""

    def __init__(self, *devices: Device) -> None:
        self.devices = list(devices)
        self.openings = 0
        self.tamper_device: Tamper | None = None
        self.tamper_host: Tamper | None = None
        self.delay = 0.001
        self.answer_delay = 0.001
        self.echo = False
        self.talk: list[tuple[float, str]] = []  # when the host or a device put something on the wire
        self.refusal: Exception | None = None
        self.holds: float | None = None  # seconds after which a port that was opened vanishes again
        self.host: MemoryTransport | None = None
        self.far: MemoryTransport | None = None

    def make(self, url: str) -> Transport:
        """A transport for the host's end, as `open_transport` gives one."""
        return _End(self)

    def pull(self) -> None:
        """The adapter is pulled out of the host; the devices stay on."""
        assert self.host is not None
        self.host.cut()

    def heard(self, data: bytes) -> None:
        """Bytes from the host."""
        self.talk.append((asyncio.get_running_loop().time(), "host"))
        if self.echo and self.far is not None:
            self.far.write(data)
        for device in self.devices:
            device.received(data)

    def say(self, data: bytes) -> None:
        """Bytes from a device."""
        if self.far is not None and data:
            self.talk.append((asyncio.get_running_loop().time(), "device"))
            self.far.write(data)


class _End(Transport):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._host, self._far = pair(wire.delay)

    async def open(self, received: Received, lost: Lost) -> None:
        wire = self._wire
        wire.openings += 1
        if wire.refusal is not None:
            raise wire.refusal
        wire.host, wire.far = self._host, self._far
        self._far.delay = wire.answer_delay
        if wire.tamper_device is not None:
            self._far.tamper = wire.tamper_device
        if wire.tamper_host is not None:
            self._host.tamper = wire.tamper_host
        await self._host.open(received, lost)
        await self._far.open(wire.heard, lambda reason: None)
        for device in wire.devices:
            device.power_on(wire.say)
        if wire.holds is not None:
            asyncio.get_running_loop().call_later(wire.holds, self._host.cut)

    def write(self, data: bytes) -> None:
        self._host.write(data)

    async def close(self) -> None:
        await self._host.close()


def spoil_marked(device: Device) -> Tamper:
    """Make each event of code MARKED malformed on its way to the host, inside frames that are right."""
    if device.family.name == "alder":

        def alder_frames(data: bytes) -> list[bytes]:
            frames = [one for one in AlderFramer().feed(data, 0.0) if isinstance(one, AlderFrame)]
            return [alder_encode(replace(one, payload=one.payload.replace(_GOOD, _BAD))) for one in frames]

        return alder_frames

    def birch_frames(data: bytes) -> list[bytes]:
        frames = [one for one in BirchFramer().feed(data, 0.0) if isinstance(one, BirchFrame)]
        return [birch_encode(replace(one, data=one.data.replace(_GOOD, _BAD))) for one in frames]

    return birch_frames
