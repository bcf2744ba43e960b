"""Commands, one after the other: checked, taken down, carried out at the desk, answered, counted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final

from aiomqtt import Message, MqttError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoectl.errors import ShoectlError
from shoectl.mqtt import authority
from shoectl.mqtt.commands import Answer, Command, CommandRefused, Held, List, Report, read
from shoectl.mqtt.connection import Link
from shoectl.mqtt.payloads import Reply, View
from shoectl.mqtt.topics import Topics
from shoectl.people.persons import Persons
from shoectl.table.desk import Desk

log = logging.getLogger("shoectl.mqtt")
TOLD_EVERY_S: Final = 60.0
PAUSE_S: Final = 1.0  # without commands, after more came than could wait


class Intake:
    """Takes the commands of all connections. `remember` takes an id down durably; False where it was taken before."""

    def __init__(
        self, desk: Desk, topics: Topics, persons: Persons, remember: Callable[[str], Awaitable[bool]]
    ) -> None:
        self._desk, self._topics, self._persons, self._remember = desk, topics, persons, remember
        self.refused: Counter[str] = Counter()
        self.done = 0
        self._told_at = -TOLD_EVERY_S

    async def run(self, link: Link) -> None:
        """The commands of one connection, until it ends. Raises MqttError."""
        dropped = 0
        async for message in link.messages:
            await self._take(link, message)
            if link.dropped > dropped:
                await self._close_ears(link)
                self._count("dropped", link.dropped - dropped)
                dropped = link.dropped

    async def _close_ears(self, link: Link) -> None:
        """A flood: only the broker can keep it from here. Taking a message off the wire costs time that cards need."""
        await link.unsubscribe(self._topics.commands)
        await asyncio.sleep(PAUSE_S)
        await link.listen(self._topics.commands)

    async def _take(self, link: Link, message: Message) -> None:
        name = self._topics.command_in(message.topic.value) or ""
        payload = message.payload
        at, reply = _reply_to(message), Reply(id=None, ok=False)
        try:
            command = read(name, payload, retained=message.retain, now=time.time())
            if at is not None and not self._topics.may_answer_at(at):
                raise CommandRefused("reply topic", "an answer is not sent to that topic", id=command.id)
            reply = await self._carry_out(command)
            self.done += 1
        except CommandRefused as refused:
            self._count(refused.why)
            reply = Reply(id=refused.id, ok=False, why=refused.why, error=str(refused), rule=refused.rule)
        if at is not None and reply.why not in ("retained", "reply topic"):
            await self._answer(link, message, at, reply)

    async def _carry_out(self, command: Command) -> Reply:
        try:
            authority.check(command, self._desk.runner, self._persons)
            if not await self._remember(command.id):
                raise CommandRefused("repeated", "a command of this id was taken before", id=command.id)
            return await self._do(command)
        except CommandRefused:
            raise
        except ShoectlError as error:
            rule = getattr(error, "rule", None)
            raise CommandRefused("not allowed", str(error), id=command.id, rule=rule) from None

    async def _do(self, command: Command) -> Reply:
        desk = self._desk
        match command:
            case Answer(id=id, step=step, given=given, by=by):
                return Reply(id=id, ok=True, entry=await desk.answer(step, given, by=by))
            case Held(id=id, step=step, how=how, card=card):
                return Reply(id=id, ok=True, entry=await desk.end_hold(step, how, by=command.persons, card=card))
            case Report(id=id, step=step, what=what, at=at, card=card, by=by):
                return Reply(id=id, ok=True, entry=await desk.report(step, what, at, by=by, card=card))
            case List(id=id):
                view = View.model_validate(desk.runner.view("public"))
                return Reply(id=id, ok=True, steps=desk.steps(), view=view)
        raise AssertionError(f"no command: {type(command).__name__}")

    async def _answer(self, link: Link, message: Message, at: str, reply: Reply) -> None:
        """Send it, once. Whoever asks is told, or is not: he looks at the table again."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        correlation = _property(message, "CorrelationData")
        if isinstance(correlation, bytes):
            properties.CorrelationData = correlation
        payload = reply.model_dump_json(exclude_unset=True).encode()
        # QoS 0: a broker that refuses this topic must not hold up the next command, and a lost answer is no loss
        try:
            await link.publish(at, payload, 0, properties=properties)
        except (MqttError, ValueError) as error:
            log.info("an answer could not be sent: %s", type(error).__name__)

    def _count(self, why: str, number: int = 1) -> None:
        if number <= 0:
            return
        self.refused[why] += number
        now = time.monotonic()
        if now - self._told_at >= TOLD_EVERY_S:
            self._told_at = now
            log.warning("commands refused so far: %s", ", ".join(f"{n} {why}" for why, n in self.refused.items()))


def _reply_to(message: Message) -> str | None:
    topic = _property(message, "ResponseTopic")
    return topic if isinstance(topic, str) else None


def _property(message: Message, name: str) -> Any:
    return getattr(message.properties, name, None)
