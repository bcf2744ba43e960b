"""What a configuration changes is an entry, and holds from the next round on; a replay goes the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoectl.games.answers import Counted
from shoectl.games.layout import Layout
from shoectl.games.procedure import Procedure, Role
from shoectl.games.steps import CountDeck
from shoectl.journal import Journal
from shoectl.table.openstep import OpenStep
from shoectl.table.runner import Runner


@dataclass(frozen=True)
class Limit:
    limit: int = 10
    played: int = 0

    def check(self) -> None:
        pass

    def to_json(self) -> dict[str, Any]:
        return {"limit": self.limit, "played": self.played}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Limit:
        return cls(**data)


def cycle(layout: Layout, state: Limit) -> Procedure[Limit]:
    yield from CountDeck(state.limit, rule="a rule")  # asks for what the state says
    return replace(state, played=state.played + 1)


async def test_a_change_holds_from_the_next_round_on_and_survives_a_restart(tmp_path: Path) -> None:
    asked: list[int] = []

    async def hands(step: OpenStep) -> None:
        assert isinstance(step.step, CountDeck)
        asked.append(step.step.deck)
        if len(asked) == 1:
            await runner.amend({"limit": 20})
        await step.answer(Counted(52), by="dealer")

    for rounds in (1, 3):
        with Journal.open(tmp_path / "journal") as journal:
            runner = Runner(journal, cycle, Limit())
            await runner.run({Role.PEOPLE: hands}, rounds=rounds)
            assert runner.state == Limit(20 if rounds > 1 else 10, rounds)
    assert asked == [10, 20, 20]
    with Journal.open(tmp_path / "journal") as journal:
        assert Runner(journal, cycle, Limit()).state == Limit(20, 3)
