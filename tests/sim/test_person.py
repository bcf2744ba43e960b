"""The dealer's hands: one pair, each movement once, and a person who needs nobody's word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocols.vocabulary import Result
from tests.sim.desk import SET_ID, Desk


def told(desk: Desk, order: dict[str, Any]) -> list[dict[str, Any]]:
    """Have the hands begin a movement; its answers as they come."""
    replies: list[dict[str, Any]] = []
    desk.bench.table.hands.do(order, replies.append)
    desk.run(0.1)
    return replies


def test_the_same_id_moves_once_and_answers_the_same() -> None:
    desk = Desk("birch")
    order = {"do": "move", "id": "1/4", "from": "rack", "to": "hand", "cards": 5}
    assert told(desk, order) == [{"ok": True, "moved": 5}]
    assert told(desk, order) == [{"ok": True, "moved": 5}]
    assert len(desk.cards("hand")) == 5


def test_named_cards_keep_their_order_and_a_missing_one_moves_nothing() -> None:
    desk = Desk("birch")
    assert told(desk, {"do": "move", "id": "a", "from": "rack", "to": "seat 1", "cards": ["9c", "8s"]})[0]["ok"]
    assert desk.cards("seat 1") == ["9c", "8s"]
    assert told(desk, {"do": "move", "id": "b", "from": "rack", "to": "seat 1", "cards": ["7c", "8s"]}) == [
        {"ok": False, "error": "move: '8s' does not lie at rack"}
    ]
    assert told(desk, {"do": "move", "id": "c", "from": "seat 1", "to": "rack", "cards": 3})[0]["ok"] is False
    assert desk.cards("seat 1") == ["9c", "8s"]
    assert told(desk, {"do": "move", "id": "d", "from": "seat 1", "to": "rack"}) == [{"ok": True, "moved": 2}]


def test_eyes_see_what_lies_face_up_and_lifting_shows_the_rest() -> None:
    desk = Desk("birch")
    told(desk, {"do": "move", "id": "a", "from": "rack", "to": "dealer", "cards": ["As", "Ks"]})
    look = desk.bench.table.hands.look
    assert look("dealer") == {"ok": True, "cards": [{"up": False}, {"up": False}], "count": 2}
    assert look("dealer", lift=True)["cards"] == [{"up": False, "card": "As"}, {"up": False, "card": "Ks"}]
    told(desk, {"do": "turn", "id": "b", "place": "dealer"})
    assert look("dealer")["cards"] == [{"up": True, "card": "As"}, {"up": True, "card": "Ks"}]
    told(desk, {"do": "move", "id": "c", "from": "dealer", "to": "rack"})
    assert look("rack")["cards"][-1] == {"up": False}
    desk.load()
    assert look("birch.shoe", lift=True)["cards"][0] == {"up": False}


def test_another_movement_ends_a_draw_that_waits() -> None:
    desk = Desk("birch")
    desk.load()
    desk.arm(1)
    waiting = told(desk, {"do": "draw", "id": "deal", "device": "birch", "to": ["seat 1", "seat 2"]})
    assert waiting == []
    assert told(desk, {"do": "turn", "id": "turn", "place": "seat 1"}) == [{"ok": True, "moved": 1}]
    assert waiting == [{"ok": False, "error": "ended", "moved": 1}]
    assert told(desk, {"do": "draw", "id": "deal", "device": "birch", "to": ["seat 1", "seat 2"]}) == waiting


def test_two_who_ask_for_one_movement_both_hear_of_it() -> None:
    desk = Desk("birch")
    desk.load()
    order = {"do": "draw", "id": "deal", "device": "birch", "to": ["seat 1"]}
    first, second = told(desk, order), told(desk, order)
    desk.arm(1)
    desk.run(0.5)
    assert first == second == [{"ok": True, "moved": 1}]


def test_a_fresh_deck_comes_from_the_supply_and_the_old_one_leaves() -> None:
    desk = Desk("birch")
    assert told(desk, {"do": "remove", "id": "a", "from": "rack", "to": "off"}) == [{"ok": True, "moved": 52}]
    assert told(desk, {"do": "bring", "id": "b", "deck": 1, "to": "rack"}) == [{"ok": True, "moved": 52}]
    assert {card.back for card in desk.bench.table.world.cards("rack")} == {"blue"}
    assert len(desk.cards("off")) == 52


def test_a_shuffle_by_hand_has_the_luck_of_its_id() -> None:
    orders = []
    for id in ("a", "a", "b"):
        desk = Desk("birch", seed=7)
        told(desk, {"do": "shuffle", "id": id, "from": "rack", "to": "hand"})
        orders.append(desk.cards("hand"))
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


@pytest.mark.parametrize(
    "order",
    [
        {"do": "fly", "id": "a"},
        {"do": "move", "from": "rack", "to": "hand"},
        {"do": "move", "id": "a", "from": "rack"},
        {"do": "feed", "id": "a", "device": "birch", "from": "rack"},
        {"do": "fill", "id": "a", "device": "elder", "from": "rack"},
        {"do": "draw", "id": "a", "device": "birch", "to": "seat 1"},
        {"do": "bring", "id": "a", "deck": 7, "to": "rack"},
        {"do": "push_back", "id": "a", "device": "birch", "from": "seat 1"},
        {"do": "move", "id": "a", "from": "rack", "to": "hand", "cards": "all"},
    ],
)
def test_what_hands_cannot_do_is_one_line(order: dict[str, Any]) -> None:
    desk = Desk("birch")
    (reply,) = told(desk, order)
    assert reply["ok"] is False
    assert "\n" not in reply["error"]


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 5])
def test_a_killed_simulator_goes_on_with_a_deal_where_it_was(tmp_path: Path, after: int) -> None:
    places = [f"seat {n}" for n in range(1, 6)]
    desk = Desk("birch", seed=7, state=tmp_path, truth=tmp_path / "truth")
    desk.load()
    deck = desk.cards("birch.shoe")
    desk.arm(5)
    order = {"do": "draw", "id": "deal", "device": "birch", "to": places}
    desk.bench.table.hands.do(order)
    world = desk.bench.table.world
    while desk.bench.machine("birch").body.draws < after:
        desk.bench.table.clocks.moves.step()
    for _ in range(2):
        desk.bench.table.clocks.moves.step()
    if after < 5:
        assert desk.bench.machine("birch").body.flight is not None
    world.close()

    desk = Desk("birch", seed=7, state=tmp_path, truth=tmp_path / "truth")
    if after < 5:
        assert desk.told("birch")[-1] == "STATE BOOT HOLD"
        assert desk.last("birch", "UNREADABLE") == {"card": 0x7F, "idx": after + 1}
        assert len(desk.cards("birch.mouth")) == 1
    replies = told(desk, order)
    if after < 5:
        assert desk.result("birch", "REREAD_OK", id=900, idx=after + 1, card=1, op1=1, op2=2) is Result.OK
        if after < 4:
            assert desk.result("birch", "ARM", id=901, round=1, lease=4 - after) is Result.OK
        desk.run(2)
    assert replies == [{"ok": True, "moved": 5}]
    assert [desk.cards(place) for place in places] == [[face] for face in deck[:5]]
    desk.bench.table.close()


def test_a_card_that_nvram_never_heard_of_is_still_in_the_mouth() -> None:
    """The hand has laid it down, the device lost power before it had written the draw: the hand takes it back."""
    desk = Desk("birch")
    desk.load()
    desk.arm(2)
    firmware, body = desk.bench.machine("birch").device, desk.bench.machine("birch").body
    desk.run(0.2)
    body.read = lambda seen: None
    assert told(desk, {"do": "draw", "id": "deal", "device": "birch", "to": ["seat 1"]}) == [{"ok": True, "moved": 1}]
    assert firmware.nvram.get("moving") is not None
    desk.power_cut("birch")
    assert desk.cards("birch.mouth") != []
    assert desk.last("birch", "UNREADABLE")["card"] == 0x7F


def test_a_person_of_his_own_keeps_cards_going_round() -> None:
    desk = Desk("alder", "birch", person="auto", seed=3)
    for turn in range(3):
        assert desk.bench.until(lambda: desk.state("alder") == "LOADED")
        assert desk.result("alder", "SHUFFLE_START", mode=1, deck=0, expected=52) is Result.ACCEPTED
        assert desk.bench.until(lambda: desk.state("alder") == "READY")
        assert desk.result("alder", "PRESENT", deck=0, override_by=0) is Result.ACCEPTED
        assert desk.bench.until(lambda: len(desk.cards("hand")) == 52), turn
        assert desk.result("birch", "LOAD_BEGIN", decks=1, expected=52, set_id=SET_ID, cut=0) is Result.OK
        assert desk.bench.until(lambda: len(desk.cards("birch.shoe")) == 52)
        desk.run(0.5)
        assert desk.result("birch", "LOAD_END") is Result.OK
        assert desk.arm(20) is Result.OK
        assert desk.bench.until(lambda: len(desk.cards("table")) == 20)
        desk.run(0.5)
        assert desk.result("birch", "SHOE_CLOSE", residual=32) is Result.ACCEPTED
    assert desk.bench.until(lambda: desk.state("alder") == "LOADED")


def test_a_lone_shuffler_and_a_lone_shoe_are_served_too() -> None:
    desk = Desk("alder", person="auto")
    for _ in range(2):
        desk.shuffle()
        desk.send("alder", "PRESENT", deck=0, override_by=0)
        assert desk.bench.until(lambda: desk.state("alder") == "LOADED")
    desk = Desk("birch", person="auto")
    for _ in range(2):
        assert desk.result("birch", "LOAD_BEGIN", decks=1, expected=52, set_id=SET_ID, cut=0) is Result.OK
        assert desk.bench.until(lambda: len(desk.cards("birch.shoe")) == 52)
        desk.run(0.5)
        assert desk.result("birch", "LOAD_END") is Result.OK
        assert desk.arm(0xFF) is Result.OK
        assert desk.bench.until(lambda: desk.state("birch") == "EMPTY")
        assert desk.result("birch", "SHOE_CLOSE", residual=0) is Result.ACCEPTED
        assert desk.bench.until(lambda: len(desk.cards("rack")) == 52)
