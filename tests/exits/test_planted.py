"""The listener can fail: a card planted at any exit is heard there, and a hash without its salt is guessed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocols.vocabulary import card_byte
from shoectl.commands import journal as commands
from shoectl.console import api, errors, guarded, watching
from shoectl.console.face import Face
from shoectl.console.metrics import Metrics
from shoectl.console.stream import Stream
from shoectl.devices.station import Station
from shoectl.journal import reader, writer
from shoectl.mqtt import contents, intake, outbox
from shoectl.mqtt.availability import Availability
from shoectl.table import visibility
from shoectl.table.desk import Desk
from shoectl.table.runner import Runner
from tests.survival.world import World

from . import guesses, renders
from .faces import hidden
from .listener import Listener
from .rounds import Block, heard, played

ONE = Block("one round", 1)
log = logging.getLogger("shoectl.table")


class Traitor:
    """Knows a card that nobody may know yet: one that is dealt and hidden, else one that lies in the shoe."""

    world: World | None = None

    def card(self) -> str:
        if self.world is None:
            return "As"
        course = self.world.runner.course
        for face in hidden(course.layout):
            return str(face)
        places = self.world.table.world.places if self.world.table else {}
        return next((cards[-1].text for place, cards in places.items() if place.endswith(".shoe") and cards), "As")

    def also(self, owner: Any, name: str, told: Callable[[Any, str], Any], patch: pytest.MonkeyPatch) -> None:
        """What a function returns is another thing from now on: it tells the card too."""
        true = getattr(owner, name)
        patch.setattr(owner, name, lambda *given, **named: told(true(*given, **named), self.card()))


def _betrays_all(traitor: Traitor, patch: pytest.MonkeyPatch) -> None:
    """A leak at every exit there is."""
    _looks(traitor.also, patch)
    _messages(traitor.also, patch)
    _errors_and_log(traitor, patch)
    patch.setattr(Station, "condition", property(lambda _: f"holds the {traitor.card()}"))
    patch.setattr(outbox, "may_leave", lambda *_: True)
    patch.setattr(commands, "_secret", lambda _, end: end + 1)
    patch.setattr(commands, "_hide", lambda _: None)


def _looks(also: Callable[..., None], patch: pytest.MonkeyPatch) -> None:
    also(Runner, "view", lambda view, card: view | {"journal": card}, patch)
    also(Desk, "steps", lambda steps, card: [{**step, "more": card} for step in steps], patch)
    also(Face, "common", lambda values, card: values | {"title": card}, patch)
    also(Face, "values", lambda values, card: values | {"said": card}, patch)
    also(Stream, "event", lambda text, card: f": {card}\n{text}", patch)
    also(Metrics, "text", lambda text, card: text + f"# {card}\n".encode(), patch)
    for module in (watching, renders):
        also(module, "health", lambda health, card: (health[0], {**health[1], "more": card}), patch)
    for module in (api, renders):
        also(module, "devices", lambda devices, card: [*devices, {"card": card_byte(card)}], patch)
    also(api, "Me", lambda me, card: me.model_copy(update={"name": card}), patch)
    also(watching, "described", lambda schema, card: {**schema, "more": card}, patch)


def _messages(also: Callable[..., None], patch: pytest.MonkeyPatch) -> None:
    also(contents, "rounds_left", lambda _, card: card_byte(card), patch)
    also(contents, "links", lambda links, card: {**links, card: next(iter(links.values()))}, patch)
    also(Availability, "_said", lambda said, card: said + card.encode(), patch)
    also(intake, "Reply", lambda reply, card: reply.model_copy(update={"error": card}), patch)


def _errors_and_log(traitor: Traitor, patch: pytest.MonkeyPatch) -> None:
    true_answer, true_plain, true_tell = errors.answer, guarded._Answer.plain, Runner._tell

    def answer(request: Any, status: int, said: str, *more: Any) -> Any:
        return true_answer(request, status, f"{said} {traitor.card()}", *more)

    async def plain(self: Any, scope: Any, status: int, text: str) -> None:
        await true_plain(self, scope, status, f"{text} {traitor.card()}")

    def tell(self: Any) -> None:
        log.debug("next is the %s", traitor.card())
        true_tell(self)

    patch.setattr(errors, "answer", answer)
    patch.setattr(guarded._Answer, "plain", plain)
    patch.setattr(Runner, "_tell", tell)


@pytest.fixture(scope="module")
def betrayed(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], set[str]]:
    """The exits that were heard in a round in which each of them leaks, and those at which a leak was noticed."""
    traitor, true = Traitor(), Listener.__call__

    async def call(self: Listener, world: World) -> None:
        traitor.world = world
        await true(self, world)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Listener, "__call__", call)
        _betrays_all(traitor, patch)
        listener = Listener(every=2, asks=3)
        entries = played("lunar-poker", ONE, tmp_path_factory.mktemp("betrayed"), listener)
        leaks = listener.leaks(entries)
    noticed = {re.split(" at entry | depends on | is another one", leak)[0] for leak in leaks}
    return set(listener.count), noticed


def test_a_leak_at_any_exit_is_noticed_there(betrayed: tuple[set[str], set[str]]) -> None:
    exits, noticed = betrayed
    assert len(exits) > 60
    assert exits - noticed == set()


def test_a_page_whose_length_tells_something_is_noticed(patch_view: None, tmp_path: Path) -> None:
    listener = Listener(every=2)
    entries = played("four-card-poker", ONE, tmp_path, listener)
    leaks = listener.leaks(entries)
    assert {"view, observer depends on a hidden card", "view, dealer depends on a hidden card"} <= set(leaks)
    assert not any("at entry" in leak for leak in leaks), "no face is named"


@pytest.fixture
def patch_view(monkeypatch: pytest.MonkeyPatch) -> None:
    true = visibility.view

    def view(course: Any, viewer: str, **given: Any) -> dict[str, Any]:
        return true(course, viewer, **given) | {"more": "." * sum(map(card_byte, map(str, hidden(course.layout))))}

    monkeypatch.setattr(visibility, "view", view)


def test_a_table_that_knows_what_is_still_in_the_shoe_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    true = Listener._look_into_the_shoe

    def look(self: Listener) -> None:
        table, course = self._world.table, self._world.runner.course
        if table is not None and (dealt := course.layout.places.get("dealer")) and dealt[0].face is not None:
            shoe = table.world.places["birch.shoe"]
            card = next(iter(table.world.places["dealer"]))
            shoe.append(card)
            true(self)
            shoe.pop()

    monkeypatch.setattr(Listener, "_look_into_the_shoe", look)
    listener = Listener(every=2)
    entries = played("lunar-poker", ONE, tmp_path, listener)
    assert any("still in the shoe" in leak for leak in listener.leaks(entries))


def test_hashes_without_a_salt_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reader, writer, guesses):
        monkeypatch.setattr(module, "salt_of", lambda key, n: b"")
    came = heard("lunar-poker", ONE, every=10)
    assert came.right == came.cards > 20


def test_a_salt_that_is_the_same_for_all_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reader, writer, guesses):
        monkeypatch.setattr(module, "salt_of", lambda key, n: key)
    came = heard("lunar-poker", ONE, every=10)
    assert came.right == came.cards > 20
