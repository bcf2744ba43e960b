"""Late, doubled, early, wrong, or by the wrong person: an answer that a step cannot take moves nothing."""

from __future__ import annotations

from pathlib import Path

from shoectl.games.answers import FloorWord, Shuffled
from shoectl.games.procedure import Irregularity, Trouble
from tests.session.scenes import BY_HAND, Hands, table
from tests.timeloop import virtual

from .answers import play

SHORT = Shuffled(False, True, 2, 51, 17, "the shuffler counted 51 cards, 52 are right")


@virtual
async def test_field_case_110_what_a_step_cannot_take_is_refused_by_name_and_moves_nothing(tmp_path: Path) -> None:
    seen: set[str] = set()
    tried = 0
    for name, state, hands, throw in (
        ("devices", table(), Hands(seed=4), {}),
        ("by hand", table(BY_HAND), Hands(seed=2), {}),
        ("a deck leaves", table(), Hands(said={"await_shuffle": [SHORT]}), {}),
        (
            "the floor",
            table(house={"jam_in_round": "floor"}),
            Hands(said={"floor": [FloorWord("go on")]}),
            {"deal": Irregularity(Trouble.DEVICE_FAILED), "fill_shoe": Irregularity(Trouble.DEVICE_FAILED)},
        ),
    ):
        folder = tmp_path / name
        folder.mkdir()
        steps, answers = await play(folder, state, hands, 6, throw)
        seen, tried = seen | steps, tried + answers
    assert {"deal", "ask", "reveal", "wagers", "await_shuffle", "bring_deck", "close_shoe"} <= seen
    assert tried > 5000
