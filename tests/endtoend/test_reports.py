"""What a shuffler reports decides whether a round starts; where no device counts, the dealer does (§ 671a.11(h))."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from shoectl.errors import BadInput, DeviceFailed
from shoectl.socket_client import ask
from tests.endtoend import truth
from tests.endtoend.runs import SHOECTL, environment, shoectl, simulated, table

PATIENCE_S = 60.0
PLAYERS = ("wagers", "ask", "give")  # steps that simulated players answer


def story(journal: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a journal says of steps and answers, in order: the step asked, or the answer with the step it is for."""
    step: dict[str, Any] = {}
    for _, kind, body in truth.entries(journal):
        if kind == "step":
            step = body["step"]
            yield "step", step
        elif kind == "answer":
            yield "answer", {**body["answer"], "do": step["do"]}


def told_before_the_first_wager(journal: Path) -> tuple[list[str], list[bool]]:
    """The reasons that were told, and what each shuffle proved, before the first wager was asked for."""
    reasons: list[str] = []
    proven: list[bool] = []
    for kind, one in story(journal):
        if kind == "step" and one["do"] in ("wagers", "deal"):
            return reasons, proven
        if kind == "step" and one["do"] in ("announce", "take_out"):
            reasons.append(one.get("text") or one["why"])
        if kind == "answer" and one["do"] == "await_shuffle":
            proven.append(one["proven"])
    raise AssertionError(f"no wager was ever asked for; told: {reasons}")


@pytest.mark.parametrize(
    ("fault", "reason", "shuffles"),
    [
        ("alder:missing@card=20", "counted 51 of 52 cards", [False, True]),
        ("alder:extra@card=5", "counted 53 of 52 cards", [False, True]),
        ("alder:sort", "were sorted, not shuffled", [False, True]),
        ("alder:gap@event=6", "events of the cycle are missing", [False, True]),
        ("alder:panel", "a cycle that this table has not seen from its start", [True]),
    ],
)
def test_no_round_starts_before_a_good_shuffle_and_the_text_says_why(
    tmp_path: Path, fault: str, reason: str, shuffles: list[bool]
) -> None:
    ended, journal, true = simulated(tmp_path, "--rounds", "1", "--seed", "7", "--fault", fault)
    assert ended.code == 0, ended.said
    reasons, proven = told_before_the_first_wager(journal)
    assert any(reason in text for text in reasons), reasons
    assert proven == shuffles
    truth.compare(journal, true)


def test_a_cycle_that_began_before_we_connected_proves_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as standing:
        hands = Hands(tmp_path / "control.sock")
        assert hands.do({"do": "feed", "device": "alder", "from": "rack", "id": "before"})["ok"]
        assert hands.do({"do": "press", "device": "alder"})["ok"]
        daemon = standing.daemon(1)
        out, said = daemon.communicate(timeout=PATIENCE_S)
        assert daemon.returncode == 0, (out, said)
    reasons, proven = told_before_the_first_wager(standing.journal)
    assert any("this table has not seen from its start" in text for text in reasons), reasons
    assert proven[-1:] == [True]
    truth.compare(standing.journal, standing.truth)


class Hands:
    """The control socket of a simulator."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def do(self, order: dict[str, Any]) -> dict[str, Any]:
        """One order; its reply when it is done."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE_S)
            line.connect(str(self._path))
            line.sendall(json.dumps(order).encode() + b"\n")
            return dict(json.loads(line.makefile().readline()))


class Dealer:
    """A person at `shoectl answer`, at a table that runs."""

    def __init__(self, folder: Path, daemon: subprocess.Popen[str]) -> None:
        self.folder = folder
        self.daemon = daemon
        self.journal, self.socket = folder / "table.journal", folder / "table.sock"

    def until(self, do: str) -> dict[str, Any]:
        """Answer what a dealer answers until a step of this name is open, which waits for him."""
        step = self._deal(do)
        assert step is not None, f"{do} was never asked for"
        return step

    def finish(self) -> int:
        """Answer what a dealer answers until the table has played its rounds. Returns its exit code."""
        assert self._deal("") is None
        return self.daemon.wait(PATIENCE_S)

    def _deal(self, do: str) -> dict[str, Any] | None:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            steps = self._open()
            if self.daemon.poll() is not None:
                return None
            if steps and steps[0]["step"]["do"] == do:
                return dict(steps[0])
            if steps and steps[0]["by"] == "people" and steps[0]["step"]["do"] not in PLAYERS:
                with suppress(BadInput):  # he was asked something else meanwhile
                    ask(self.socket, {"answer": steps[0]["ref"], "with": {}})
            else:
                time.sleep(0.02)
        raise AssertionError(f"nothing came of it in {PATIENCE_S} s")

    def _open(self) -> list[dict[str, Any]]:
        try:
            return list(ask(self.socket, {"list": True})["steps"])
        except DeviceFailed:  # not yet, or not any more
            return []

    def say(self, step: dict[str, Any], **answer: Any) -> tuple[int, str]:
        """Answer by the command. Returns its exit code and what it said."""
        ended = shoectl(self.folder, "answer", "--socket", str(self.socket), step["ref"], json.dumps(answer))
        return ended.code, ended.said


@contextmanager
def dealing(folder: Path, rounds: int) -> Iterator[Dealer]:
    """A table with a shoe alone: nothing counts the deck but the dealer, who is a person at a console."""
    words = ["run", "--sim", "--devices", "birch", "--seed", "7", "--speed", "max", "--json", "--dealer", "console"]
    words += ["--rounds", str(rounds), "--journal", str(folder / "table.journal"), "--truth", str(folder / "truth")]
    daemon = subprocess.Popen(
        [*SHOECTL, *words, "--no-console", "--socket", str(folder / "table.sock")],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Dealer(folder, daemon)
    finally:
        daemon.terminate()
        daemon.communicate(timeout=10)


def wagers_asked(journal: Path) -> int:
    return sum(kind == "step" and one["do"] == "wagers" for kind, one in story(journal))


def test_671a_11_h_the_sixth_round_waits_for_the_dealers_count(tmp_path: Path) -> None:
    with dealing(tmp_path, rounds=6) as dealer:
        step = dealer.until("count")
        time.sleep(0.5)
        assert wagers_asked(dealer.journal) == 5
        assert dealer.say(step)[0] == 2, "a count without its number is none"
        assert wagers_asked(dealer.journal) == 5
        assert dealer.say(step, cards=52) == (0, "")
        assert dealer.finish() == 0
        assert wagers_asked(dealer.journal) == 6
    assert [one["do"] for kind, one in story(dealer.journal) if kind == "step"].count("remove_deck") == 0


def test_671a_11_h_a_count_of_51_takes_the_deck_off_the_table(tmp_path: Path) -> None:
    with dealing(tmp_path, rounds=6) as dealer:
        assert dealer.say(dealer.until("count"), cards=51) == (0, "")
        removed = dealer.until("remove_deck")
        assert "51 of 52" in removed["text"]
        dealer.until("bring_deck")
        assert wagers_asked(dealer.journal) == 5
        assert dealer.finish() == 0
    last = next(body["state"] for _, kind, body in reversed(truth.entries(dealer.journal)) if kind == "round")
    assert {deck["number"]: deck["retired"] for deck in last["decks"]}[0] == "count"
