"""One connection to the broker: aiomqtt's client, which also tells what the broker did with a message.

aiomqtt takes any PUBACK for a good one. Under MQTT 5 a broker acknowledges a message that its rights forbid with a
reason code; whoever took that for delivered would move the cursor past entries that nobody got. So messages of QoS 1
go through `deliver` here, over a few names of aiomqtt 2 that are not public (`_client`, two of its futures, and the
callbacks); tests/mqtt holds this against a real broker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import aiomqtt
from aiomqtt import Message, MqttCodeError, MqttError, ProtocolVersion, Will
from paho.mqtt import client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from shoectl.mqtt.reasons import Denied, Gone
from shoectl.mqtt.settings import Address, Pace

T = TypeVar("T")
PACKET_MOST: Final = 32 * 1024  # bytes; a longer message is kept by the broker
COMMANDS_WAITING: Final = 32
_FAILED: Final = 0x80
_KEEPALIVE: Final = 0x8D
_quiet = logging.getLogger("shoectl.mqtt.library")
_quiet.setLevel(logging.CRITICAL)  # what it has to say comes back as an error, once


class Inbox(asyncio.Queue[Message]):
    """Commands that wait. One too many is dropped and counted: the broker may hand them over as fast as it can."""

    dropped = 0

    def put_nowait(self, item: Message) -> None:
        """Take a message, or drop it."""
        if self.full():
            self.dropped += 1
        else:
            super().put_nowait(item)


class Link(aiomqtt.Client):
    """A connection, entered once. `own` is our status topic: what is heard there goes to `heard`, not to `messages`."""

    def __init__(
        self,
        address: Address,
        pace: Pace,
        *,
        password: str | None,
        tls: ssl.SSLContext | None,
        will: bytes,
        heard: Callable[[bytes], None],
    ) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.MaximumPacketSize = PACKET_MOST
        super().__init__(
            address.bus.host,
            address.bus.port,
            username=address.bus.username,
            password=password,
            logger=_quiet,
            identifier=address.client_id,
            queue_type=Inbox,
            protocol=ProtocolVersion.V5,
            will=Will(address.topics.status, will, qos=1, retain=True),
            timeout=pace.acknowledged,
            keepalive=pace.keepalive,
            clean_start=True,
            max_queued_incoming_messages=COMMANDS_WAITING,
            max_queued_outgoing_messages=64,
            properties=properties,
            tls_context=tls,
            # a window of small messages would wait for the peer's delayed acknowledgement
            socket_options=((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
        )
        self._client.connect_timeout = pace.connect
        self._own, self._heard = address.topics.status, heard
        self._outcomes: dict[int, asyncio.Future[int]] = {}

    async def __aenter__(self) -> Self:
        try:
            return await super().__aenter__()
        except BaseException:
            self._drop()  # a socket that is open all the same
            raise

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        try:
            with contextlib.suppress(MqttError):  # it must not take the place of what ended the block
                await super().__aexit__(exc_type, exc, tb)
        finally:
            self._drop()

    def _drop(self) -> None:
        """Close the socket, whatever the broker thinks of it; after what the library still has to do with it."""
        self._loop.call_soon(self._close)

    def _close(self) -> None:
        _ = self.ended_by  # looked at, or the loop would complain of an error that nobody saw
        open_one = self._client.socket()
        if open_one is not None and open_one.fileno() >= 0:
            self._loop.remove_reader(open_one.fileno())
            self._loop.remove_writer(open_one.fileno())
            open_one.close()
        if self._misc_task is not None:
            self._misc_task.cancel()

    @property
    def gone(self) -> bool:
        """Whether the connection has ended."""
        return self._disconnected.done()

    @property
    def ended_by(self) -> BaseException | None:
        """What ended the connection, in the broker's own words where it had some; None while it stands."""
        return self._disconnected.exception() if self._disconnected.done() else None

    @property
    def dropped(self) -> int:
        """How many commands were dropped because too many waited."""
        return self._queue.dropped if isinstance(self._queue, Inbox) else 0

    async def deliver(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish with QoS 1; the broker has taken it when this returns. Messages leave in the order of the calls.

        Raises Denied (refused by the broker), MqttError (not acknowledged in time, or gone).
        """
        sent = self._client.publish(topic, payload, 1, retain)
        if sent.rc != paho.MQTT_ERR_SUCCESS:
            raise MqttCodeError(sent.rc, "Could not publish message")
        outcome = self._outcomes[sent.mid] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self.timeout):
                code = await outcome
        except TimeoutError:
            raise MqttError("Operation timed out") from None
        finally:
            del self._outcomes[sent.mid]
        if code >= _FAILED:
            raise Denied(topic, code)

    async def listen(self, topic: str) -> None:
        """Subscribe. What is retained there has come before a later message of ours is acknowledged. Raises Denied,
        MqttError.
        """
        # as published: a command that was sent to stay at the broker is to be told from one that was not
        options = SubscribeOptions(qos=1, retainAsPublished=True)
        for code in await self.subscribe(topic, options=options):
            if isinstance(code, ReasonCode) and code.value >= _FAILED:
                raise Denied(topic, code.value)

    # what the library calls

    async def _wait_for(self, fut: Awaitable[T], timeout: float | None) -> T:  # noqa: ASYNC109
        """The library's own loses a cancellation that comes at the same moment as the answer (`wait_for` before
        Python 3.12), and a task that was cancelled would never end.
        """
        try:
            async with asyncio.timeout(self.timeout if timeout is None else timeout):
                return await fut
        except TimeoutError:
            raise MqttError("Operation timed out") from None

    def _on_publish(
        self, client: paho.Client, userdata: Any, mid: int, reason_code: ReasonCode, properties: Properties
    ) -> None:
        outcome = self._outcomes.get(mid)
        if outcome is None:
            super()._on_publish(client, userdata, mid, reason_code, properties)
        elif not outcome.done():
            outcome.set_result(reason_code.value)

    def _on_message(self, client: paho.Client, userdata: Any, message: paho.MQTTMessage) -> None:
        if message.topic == self._own:
            self._heard(bytes(message.payload))
        else:
            super()._on_message(client, userdata, message)

    def _on_disconnect(
        self,
        client: paho.Client,
        userdata: Any,
        flags: paho.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        if not self._connected.done():  # refused before a word of MQTT, as for a client certificate
            self._connected.set_exception(
                Gone("the broker closed the connection without a word; does it ask for a client certificate?")
            )
        elif reason_code.is_failure and not flags.is_disconnect_packet_from_server and not self._disconnected.done():
            silent = reason_code.value == _KEEPALIVE
            self._disconnected.set_exception(
                Gone("the broker does not answer" if silent else "the connection to the broker was lost")
            )
        else:
            super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_socket_register_write(self, client: paho.Client, userdata: Any, sock: Any) -> None:
        self._loop.call_soon_threadsafe(self._await_room, client, sock)

    def _await_room(self, client: paho.Client, sock: Any) -> None:
        """The library's own does not look whether the socket was closed meanwhile, and another may have its number."""
        if sock.fileno() >= 0:
            self._loop.add_writer(sock.fileno(), self._write, client)

    def _write(self, client: paho.Client) -> None:
        try:
            client.loop_write()
        except OSError as error:
            if not self._disconnected.done():
                self._disconnected.set_exception(error)
