"""One port, and the links that share it: several shoes hang on one pair of RS-485 wires and speak in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from shoectl.devices.driver import Driver
from shoectl.transports import Transport, TransportError, open_transport

NOBODY = TransportError("nobody answers on this port", "check power, wiring and line rate")
LEAST_S = 0.0005  # a link that asks for the past again and again must not take the whole loop


class Port:
    """One opened transport with its drivers. Used once: when it is lost, every driver on it is used up."""

    def __init__(self, transport: Transport, gap: float) -> None:
        self.transport = transport
        self.drivers: list[Driver] = []
        self.dead = False
        self._gap = gap
        self._holder: Driver | None = None  # whose turn it is; the last one keeps it while the line is idle
        self._quiet_from = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._pumping = False
        self._again = False
        self._loop = asyncio.get_running_loop()

    async def open(self) -> None:
        """Open the transport. Raises TransportError; whatever else it raises becomes one."""
        try:
            await self.transport.open(self._received, self._lost)
        except TransportError:
            raise
        except OSError as error:
            raise TransportError(str(error)) from error
        except Exception as error:
            raise TransportError(f"the port does not open ({type(error).__name__})", "see the log") from error

    def add(self, driver: Driver) -> None:
        """Let a driver take part."""
        self.drivers.append(driver)
        driver.begin(self.pump, self._loop.time())
        self.pump()

    def remove(self, driver: Driver) -> None:
        """A driver goes; its turn ends with it."""
        self.drivers.remove(driver)
        if self._holder is driver:
            self._holder = None
        self.pump()

    def fail(self, error: Exception) -> None:
        """The port is lost for all drivers."""
        self.dead = True
        self._cancel_timer()
        for driver in list(self.drivers):
            driver.fail(error)

    async def close(self) -> None:
        """Give the port back."""
        self.dead = True
        self._cancel_timer()
        await self.transport.close()

    def pump(self) -> None:
        """Let the links do what is due, and set the timer for what comes next."""
        if self._pumping:
            self._again = True
            return
        self._pumping = True
        try:
            self._again = True
            while self._again and not self.dead:
                self._again = False
                self._step(self._loop.time())
            self._set_timer(self._loop.time())
        except Exception as error:  # whatever a transport or a link raises ends this connection, and only this one
            self.fail(error)
        finally:
            self._pumping = False

    def _received(self, data: bytes) -> None:
        now = self._loop.time()
        self._quiet_from = now + self._gap
        holder = self._holder
        if holder is None or self.dead:
            return  # nobody asked: rubbish on the line
        try:
            holder.take(holder.link.receive(data, now), now)
        except Exception as error:
            self.fail(error)
            return
        self.pump()

    def _lost(self, reason: Exception | None) -> None:
        self.fail(reason or TransportError("the port was closed by the other side", "check that the device is on"))

    def _step(self, now: float) -> None:
        """One thing: the holder's tick and output, or the turn passes to the next driver."""
        for _ in range(len(self.drivers)):
            driver = self._turn(now)
            if driver is None:
                return
            link = driver.link
            due = link.deadline()
            if due is not None and due <= now:
                driver.take(link.tick(now), now)
            data = link.output(now)
            if data:
                self._quiet_from = now + self._gap
                self.transport.write(data)
            elif link.idle:
                driver.wants = False
            if data or not link.idle:
                return

    def _turn(self, now: float) -> Driver | None:
        """Who may use the line now: the one who uses it already, else the next one who has something to do."""
        if len(self.drivers) == 1:
            self._holder = self.drivers[0]
        holder = self._holder
        if holder is not None and (len(self.drivers) == 1 or not holder.link.idle):
            return holder
        if now < self._quiet_from:
            return None
        first = self.drivers.index(holder) + 1 if holder in self.drivers else 0
        for driver in self.drivers[first:] + self.drivers[:first]:
            due = driver.link.deadline()
            if driver.wants or (due is not None and due <= now):
                self._holder = driver
                return driver
        return None

    def _set_timer(self, now: float) -> None:
        at = self._next(now)
        if at is not None:
            at = max(at, now + LEAST_S)
        if self._timer is not None and at == self._timer.when():
            return
        self._cancel_timer()
        if at is not None and not self.dead:
            self._timer = self._loop.call_at(at, self._timer_fired)

    def _next(self, now: float) -> float | None:
        holder = self._holder
        if holder is not None and (len(self.drivers) == 1 or not holder.link.idle):
            return holder.link.deadline()
        dues = [now if driver.wants else driver.link.deadline() for driver in self.drivers]
        known = [due for due in dues if due is not None]
        return max(min(known), self._quiet_from) if known else None

    def _timer_fired(self) -> None:
        self._timer = None
        self.pump()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Line:
    """A port by its URL, opened for the first driver that joins and closed after the last one has left.

    `gap` is how long the line has to be quiet, in seconds, before the turn passes to another link.
    """

    def __init__(self, url: str, gap: float = 0.0, make: Callable[[str], Transport] = open_transport) -> None:
        self.url = url
        self._gap, self._make = gap, make
        self._port: Port | None = None
        self._ports: dict[Driver, Port] = {}
        self._changing = asyncio.Lock()

    @property
    def notices(self) -> tuple[str, ...]:
        """What is odd about the open port and harmless."""
        return self._port.transport.notices if self._port is not None else ()

    @property
    def node(self) -> str:
        """What the stable name stood for when the port was opened."""
        return self._port.transport.node if self._port is not None else ""

    async def join(self, driver: Driver) -> None:
        """Connect a fresh driver, opening the port if need be. Raises TransportError."""
        async with self._changing:
            if self._port is not None and self._port.dead:
                await self._close(self._port)
            if self._port is None:
                port = Port(self._make(self.url), self._gap)
                try:
                    await port.open()
                except BaseException:
                    await port.close()
                    raise
                self._port = port
            self._ports[driver] = self._port
            self._port.add(driver)

    async def leave(self, driver: Driver) -> None:
        """Disconnect a driver. With the last one, or when none of the others has a session, the port is closed."""
        async with self._changing:
            port = self._ports.pop(driver, None)
            if port is None:
                return
            port.remove(driver)
            if not any(other.resume for other in port.drivers):
                port.fail(NOBODY)
                await self._close(port)

    async def _close(self, port: Port) -> None:
        if self._port is port:
            self._port = None
        await port.close()
