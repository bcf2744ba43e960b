"""What the local socket lets through, and that nothing is written of what it refuses."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shoectl.errors import BadInput
from shoectl.games.answers import Drawn, Wagers
from shoectl.games.dealing import Dealing
from shoectl.games.procedure import Done, Role
from shoectl.journal import Journal
from shoectl.local_socket import CLIENTS_MOST, LocalSocket, listening
from shoectl.socket_client import _say, ask
from shoectl.table.people import wait
from shoectl.table.runner import Runner
from shoectl.table.session import cycle
from shoectl.table.state import TableState

from .devices import fresh_deck
from .scenes import BY_DEVICES, BY_HAND, table

HANDS = dict.fromkeys((Role.PEOPLE, Role.SHOE, Role.SHUFFLER), wait)


class Table:
    """A running table whose hands all wait, and a line to its socket."""

    def __init__(self, runner: Runner[TableState], path: Path) -> None:
        self.runner, self.path = runner, path

    async def say(self, request: object) -> dict[str, Any]:
        """One request; the reply, {} where the line was closed without one."""
        raw = request if isinstance(request, bytes) else json.dumps(request).encode()
        reader, writer = await asyncio.open_unix_connection(self.path)
        try:
            writer.write(raw + b"\n")
            return dict(json.loads(await reader.readline() or b"{}"))
        finally:
            writer.close()

    async def refuses(self, *requests: object) -> list[str]:
        """All of these are refused, and the journal stands where it stood."""
        before, said = self.runner.journal.last, []
        for request in requests:
            reply = await self.say(request)
            assert reply.get("ok", False) is False, (request, reply)
            said.append(str(reply.get("error")))
        assert self.runner.journal.last == before
        return said

    @property
    def ref(self) -> str:
        """The open part, as the socket names it."""
        assert self.runner.open is not None
        at = self.runner.open.ref
        return f"{at.round}.{at.step}.{at.part}"

    async def until(self, do: str) -> None:
        """Answer what people do until a step of that kind is open."""
        while self.runner.open is None or self.runner.open.step.do != do:
            if self.runner.open is None:
                await self.runner.next_change()
                continue
            step, deck = self.runner.open, fresh_deck()
            match step.step.do:
                case "wagers":
                    answer: Any = Wagers(((1, "ante", 10), (1, "super:1", 5), (2, "ante", 10)))
                case "deal":
                    answer = Drawn(deck[step.ref.part])
                case _:
                    answer = Done()
            await self.runner.answer(step.ref, answer, by="dealer")


@asynccontextmanager
async def sitting(folder: Path, state: TableState) -> AsyncIterator[Table]:
    path = folder / "socket"
    with Journal.open(folder / "journal", durable=False) as journal, listening(path) as listener:
        runner: Runner[TableState] = Runner(journal, cycle, state)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(runner.run(HANDS)), group.create_task(LocalSocket(runner, listener).run())]
            sat = Table(runner, path)
            while runner.open is None:
                await runner.next_change()
            yield sat
            for task in tasks:
                task.cancel()


def by_hand(**house: Any) -> TableState:
    return table(BY_HAND, dealing=Dealing.HAND, house=house)


def test_folders_on_the_way_to_the_socket_can_be_entered_by_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "run" / "table" / "socket"
    with listening(path):
        assert path.stat().st_mode & 0o777 == 0o600
        assert [folder.stat().st_mode & 0o700 for folder in path.parents[:2]] == [0o700, 0o700]
    assert not path.exists()


async def test_no_person_speaks_for_a_device(tmp_path: Path) -> None:
    async with sitting(tmp_path, table(BY_DEVICES)) as sat:
        assert sat.runner.open is not None
        assert sat.runner.open.step.do == "feed_shuffler"
        (said,) = await sat.refuses({"answer": sat.ref, "with": {"loaded": True}, "by": "floor"})
        assert said == "feed_shuffler: the shuffler answers it by what it reports, no person can"


async def test_where_the_dealer_deals_from_his_hand_he_says_what_he_dealt(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        await sat.until("deal")
        assert (await sat.say({"answer": sat.ref, "with": {"card": "As"}, "by": "dealer"}))["ok"]
        (said,) = await sat.refuses({"answer": sat.ref, "with": {"card": "As"}})
        assert "As" not in said


async def test_a_step_is_answered_by_those_whom_it_concerns(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        wagers = {"with": {"placed": [[1, "ante", 10], [2, "ante", 10]]}}
        await sat.until("wagers")
        for by in ("seat 1", "a stranger", "0", "0815", "00815", ["dealer", "floor"], {"who": "As"}, 7, "dealer\ud800"):
            await sat.refuses({"answer": sat.ref, "by": by, **wagers})
        assert (await sat.say({"answer": sat.ref, "by": "4711", **wagers}))["ok"]
        await sat.until("ask")
        await sat.refuses({"answer": sat.ref, "with": {"choice": "bet"}, "by": "seat 2"})
        assert (await sat.say({"answer": sat.ref, "with": {"choice": "bet"}, "by": "seat 1"}))["ok"]


async def test_the_dealer_does_not_verify_for_the_floor(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        await sat.until("wagers")
        placed = [[1, "ante", 10], [1, "super:1", 5]]
        await sat.say({"answer": sat.ref, "with": {"placed": placed}})
        for card in ("As", "2d", "Ks", "3d", "Qd", "4d", "9h", "5d", "8c", "7d"):
            await sat.say({"answer": sat.ref, "with": {"card": card}})
        for do, given in (("ask", {"choice": "bet"}), ("reveal", {})):
            assert sat.runner.open is not None
            assert sat.runner.open.step.do == do
            assert (await sat.say({"answer": sat.ref, "with": given}))["ok"]
        for by in ("dealer", "4711"):
            (said,) = await sat.refuses({"answer": sat.ref, "with": {}, "by": by})
            assert said == "verify: a floorperson answers it, not the dealer"
        assert (await sat.say({"answer": sat.ref, "with": {}, "by": "floor"}))["ok"]


async def test_a_card_that_nobody_could_read_is_named_by_two_persons(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        await sat.until("deal")
        step = sat.runner.open
        assert step is not None
        await sat.refuses({"held": sat.ref, "how": "card", "by": ["dealer", "floor"], "card": "As"})  # no hold is open
        await step.hold("unreadable 1, 1", "draw 1 could not be read")
        one = {"held": sat.ref, "how": "card", "card": "As"}
        await sat.refuses(
            one,
            {**one, "by": "dealer"},
            {**one, "by": ["dealer"]},
            {**one, "by": ["dealer", "dealer"]},
            {**one, "by": ["dealer", "4711"]},
            {**one, "by": ["dealer", "nobody"]},
            {**one, "by": ["dealer", "floor", "4712"]},
            {**one, "by": ["dealer", "floor"], "card": None},
            {**one, "by": ["dealer", "floor"], "card": 5},
            {**one, "by": ["dealer", "floor"], "card": "As Ah"},
            {**one, "by": ["dealer", "floor"], "how": "go on"},
            {**one, "by": ["dealer", "floor"], "how": "whatever"},
            {**one, "by": ["dealer", "floor"], "held": "1.1.0"},
        )
        assert (await sat.say({**one, "by": ["dealer", "floor"]}))["ok"]
        await sat.refuses({**one, "by": ["dealer", "floor"]})  # twice


async def test_rubbish_of_any_kind_moves_nothing_and_the_next_client_is_served(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        await sat.until("wagers")
        await sat.refuses(
            b"", b"\x00\xff\xfe", b"{", b"null", b"[]", b"[" * 60_000, b'{"answer": ' * 5_000, b"x" * 70_000,
            b'{"answer": "1.2.0", "with": {"placed": ' + b"9" * 5_000 + b"}}",
            {"answer": "9" * 4_000, "with": {}}, {"answer": "1.2.3.4", "with": {}}, {"answer": "x", "with": {}},
            {"answer": sat.ref, "with": {"placed": "As"}}, {"answer": sat.ref, "with": {"placed": [[1, "ante", True]]}},
            {"answer": sat.ref, "with": {"placed": [[1, "ante", 10**4000]]}}, {"answer": sat.ref, "with": []},
            {"answer": sat.ref}, {"list": 1}, {"held": sat.ref},
        )  # fmt: skip
        assert (await sat.say({"list": True}))["ok"]


async def test_a_key_that_stands_there_twice_says_nothing(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        await sat.until("wagers")
        placed = b'"with": {"placed": []}, "with": {"placed": [[1, "ante", 10]]}'
        (said,) = await sat.refuses(b'{"answer": "%b", %b, "by": "dealer"}' % (sat.ref.encode(), placed))
        assert said == "the key with stands there twice"


async def test_an_answer_to_a_step_that_is_over_is_told_so_whatever_it_holds(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        before = sat.ref
        await sat.until("wagers")
        said = await sat.refuses(*({"answer": before, "with": given} for given in ({}, {"cards": "As"}, {"choice": 5})))
        assert all("is not open" in one and "(wagers)" in one for one in said)


async def test_a_request_beyond_the_limit_is_told_the_limit(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        (said,) = await sat.refuses(b"x" * 70_000)
        assert said == "a request is one line of at most 65536 bytes"
        big = {"answer": sat.ref, "with": {"placed": "x" * 1_000_000}}
        with pytest.raises(BadInput, match="one line of at most 65536 bytes"):
            await asyncio.to_thread(ask, sat.path, big)


async def test_clients_that_say_nothing_hold_up_nobody_and_are_not_without_number(tmp_path: Path) -> None:
    async with sitting(tmp_path, by_hand()) as sat:
        idle = [socket.socket(socket.AF_UNIX) for _ in range(CLIENTS_MOST - 1)]
        try:
            for one in idle:
                one.connect(str(sat.path))
                one.sendall(b'{"li')
            assert (await sat.say({"list": True}))["ok"]
            more = socket.socket(socket.AF_UNIX)
            idle.append(more)
            more.connect(str(sat.path))
            await asyncio.sleep(0.05)
            assert (await sat.say({"list": True}))["error"] == "too many clients"
        finally:
            for one in idle:
                one.close()
        await asyncio.sleep(0.05)
        assert (await sat.say({"list": True}))["ok"]


async def test_a_count_that_no_pile_has_is_refused(tmp_path: Path) -> None:
    state = by_hand()
    due = TableState.from_json({**json.loads(json.dumps(state.to_json())), "rounds_played": 5})
    async with sitting(tmp_path, due) as sat:
        assert sat.runner.open is not None
        assert sat.runner.open.step.do == "count"
        await sat.refuses(
            {"answer": sat.ref, "with": {"cards": -1}},
            {"answer": sat.ref, "with": {"cards": 1000}},
            {"answer": sat.ref, "with": {"cards": 10**4000}},
            {"answer": sat.ref, "with": {"cards": 52.0}},
        )
        assert (await sat.say({"answer": sat.ref, "with": {"cards": 52}}))["ok"]


def test_who_is_refused_at_the_door_reads_why_though_he_could_not_ask() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(b"too many clients\n")
        _say(ours, b"anything\n")
        assert ours.recv(100) == b"too many clients\n"
