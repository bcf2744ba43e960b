"""No exit gives a card away before everybody may see it; nor do the hashes that leave the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoectl.cards import Card
from shoectl.games.layout import Layout, Slot
from tests.console.exits import exchanged
from tests.exits.listener import faces_in
from tests.exits.rounds import GAMES, guessed, heard


@pytest.mark.parametrize("text", ["As", "A♠", "ace of spades", "Ace of Spades, face up", '{"card": "As"}', ">A♠<"])
def test_the_listener_hears_a_card_however_it_is_written(text: str) -> None:
    assert faces_in(text) == {"As"}


def test_the_listener_changes_hidden_cards_only_and_puts_them_back() -> None:
    down, up = Slot(Card.parse("As"), up=False), Slot(Card.parse("Kd"), up=True)
    layout = Layout(places={"seat 1": [down, up]})
    with exchanged(layout) as hidden:
        assert hidden == 1
        assert layout.places["seat 1"][0].face not in (down.face, up.face)
        assert layout.places["seat 1"][1] == up
    assert layout.places == {"seat 1": [down, up]}


@pytest.mark.parametrize("game", GAMES)
def test_no_exit_names_a_card_before_it_may_be_seen(game: str, tmp_path: Path) -> None:
    listener, world = heard(game, tmp_path, rounds=2, every=3)
    assert listener.leaks(world.entries) == []
    assert listener.count["compared"] > 10
    assert {"events", "log", "bus round", "refused answer", "dealer page, dealer", "pit page, floor"} <= set(
        listener.count
    )
    assert any(listener.heard), "cards that lie face up are shown"


def test_no_hash_that_leaves_tells_a_card_to_one_who_tries_all_52(tmp_path: Path) -> None:
    listener, world = heard("lunar-poker", tmp_path, rounds=2, every=50)
    tried, found, sound = guessed(listener.messages, world.entries)
    assert tried > 40 * 52
    assert found == 0
    assert sound == tried // 52, "who knows the salt finds each of them"
