"""A family whose STATUS is made of hints: whoever has gone by one that is not true any more is told to look again."""

from __future__ import annotations

from typing import Any

from protocols.family import families
from protocols.link import Received, Side, Up
from protocols.message import Hint, Response
from protocols.vocabulary import Resume
from shoectl.devices.driver import Bell, Driver

DOGWOOD, CEDAR = families()["dogwood"], families()["cedar"]
SAID: dict[str, Any] = {"state": 1, "flags": 1, "drawn": 0, "depth": 0}
UP = Up(Resume(1, 3, 1, 1, 1, 5))
ANSWER = Received(Response("STATUS", 1, 0, SAID))


def rung(*heard: Up | Received, family: Any = DOGWOOD) -> int:
    """How often somebody is told to look again."""
    rings: list[None] = []
    driver = Driver(family, family.make_link(Side.HOST), Bell(), lambda: rings.append(None))
    driver.take(heard, 0.0)
    return len(rings)


def hint(**fields: int) -> Received:
    return Received(Hint({**SAID, **fields}))


def test_another_state_or_lid_than_was_answered_rings_once_until_the_next_answer() -> None:
    assert rung(UP, ANSWER, hint(state=2), hint(state=3)) == 1
    assert rung(UP, ANSWER, hint(flags=0)) == 1
    assert rung(UP, ANSWER, hint(state=2), ANSWER, hint(state=2)) == 2


def test_what_hands_do_not_go_by_rings_for_nobody() -> None:
    assert rung(UP, ANSWER, hint(), hint(depth=3), hint(flags=0x29), hint(drawn=4)) == 0


def test_without_an_answer_on_this_link_nobody_has_gone_by_anything() -> None:
    assert rung(UP, hint(state=2), hint(state=3)) == 0
    assert rung(UP, ANSWER, UP, hint(state=2)) == 0


def test_a_family_that_answers_questions_about_its_state_is_not_held_to_its_hints() -> None:
    assert rung(UP, ANSWER, hint(state=2), family=CEDAR) == 0
