"""Rounds with a listener on every exit: the socket, refused answers, the journal's commands while it is written, the
lines on stdout, everything on stderr, the modes of files. The oracle is what the journal's answers say.
"""

from __future__ import annotations

import json
import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from shoectl.cards import STANDARD, parse_cards
from shoectl.commands import journal as command
from shoectl.errors import ShoectlError
from shoectl.journal import Entry, Reader
from shoectl.socket_client import ask
from tests.endtoend.runs import SHOECTL, environment

FACE = re.compile(r"\b(?:[2-9TJQKA]|10)[shdc]\b")
ROUNDS = 8


class Oracle:
    """What lies face up when, and until when a round's other faces are secret."""

    def __init__(self, entries: list[Entry]) -> None:
        self.opens = [entry.n for entry in entries if entry.kind == "round"]
        self.up: dict[int, list[tuple[int, str]]] = {}
        self.over: dict[int, int] = {}
        steps: dict[tuple[int, int], Any] = {}
        lying: dict[tuple[int, str], list[str]] = {}
        for entry in entries:
            now, body = self.round_at(entry.n), entry.body
            match entry.kind:
                case "step":
                    steps[now, body["number"]] = body["step"]
                    if body["step"]["do"] == "close_shoe":
                        self.over.setdefault(now, entry.n)
                case "answer":
                    step, answer = steps[now, body["step"]], body["answer"]
                    if step["do"] in ("deal", "deal_by_hand") and answer["card"]:
                        lying.setdefault((now, step["to"][body["part"]]), []).append(answer["card"])
                        if body["part"] in step["up"]:
                            self.up.setdefault(now, []).append((entry.n, answer["card"]))
                    elif step["do"] == "reveal":
                        named = [str(card) for card in parse_cards(answer["cards"])] if answer["cards"] else ()
                        for face in named or lying[now, step["place"]]:
                            self.up.setdefault(now, []).append((entry.n, face))

    def round_at(self, n: int) -> int:
        """The round under way at an entry."""
        return bisect_right(self.opens, n)

    def public(self, number: int, n: int) -> set[str]:
        """The faces that everybody has seen of a round at an entry."""
        return {face for at, face in self.up.get(number, []) if at <= n}

    def under_way(self, n: int) -> int:
        """The entry that opened the round whose faces are secret at an entry; 0 where none is."""
        number = self.round_at(n)
        return self.opens[number - 1] if number and self.over.get(number, n + 1) > n else 0


def listen(folder: Path, journal: Path) -> Iterator[tuple[str, str]]:
    """What can be heard now: (where, text)."""
    socket = folder / "socket"
    with suppress(ShoectlError):
        listed = ask(socket, {"list": True})
        for step in listed["steps"]:
            del step["takes"]  # words that are the same for every step of a kind
        yield "view", json.dumps(listed)
        for step in listed["steps"]:
            for card in STANDARD[:3]:
                for guess in ({"card": str(card)}, {"cards": f"{card} {card}"}):
                    try:
                        ask(socket, {"answer": step["ref"], "with": guess, "by": "dealer"})
                    except ShoectlError as refused:
                        yield "refusal", str(refused)
    if journal.exists():
        for words in (["show", str(journal), "--json"], ["export", str(journal), "--open", "all"]):
            yield words[0], CliRunner().invoke(command.journal, words).stdout


def test_no_exit_gives_a_face_away_before_its_time(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    words = ["run", "--sim", "--speed", "max", "--seed", "21", "--rounds", str(ROUNDS), "--journal", str(journal)]
    words += ["--no-console", "--socket", str(tmp_path / "socket"), "--truth", str(tmp_path / "truth")]
    words += ["--fault", "birch:unreadable@draw=7"]
    said, told = tmp_path / "stdout", tmp_path / "stderr"
    heard: list[tuple[str, str]] = []
    with said.open("w") as out, told.open("w") as err:
        env = {**environment(tmp_path), "SHOECTL_DEBUG": "1"}
        with subprocess.Popen([*SHOECTL, *words], cwd=tmp_path, env=env, stdout=out, stderr=err, umask=0) as daemon:
            while daemon.poll() is None:
                heard += listen(tmp_path, journal)
                assert not open_to_others(journal)
    assert daemon.returncode == 0, told.read_text()
    with Reader(journal) as reader:
        oracle = Oracle(list(reader.entries()))
    assert {where for where, _ in heard} == {"view", "refusal", "show", "export"}
    for where, text in heard:
        check(oracle, where, text)
    assert not FACE.search(told.read_text())
    number = 0
    for line in said.read_text().splitlines():
        number = int(line.split()[1]) if re.fullmatch(r"round \d+", line) else number
        assert set(FACE.findall(line)) <= oracle.public(number, max(oracle.opens) + 10_000), line


def open_to_others(journal: Path) -> list[Path]:
    """Those of the secret files that others than their owner may read or write."""
    found = []
    for path in secret_files(journal):
        with suppress(FileNotFoundError):  # files of a moment
            if path.stat().st_mode & 0o077:
                found.append(path)
    return found


def secret_files(journal: Path) -> Iterator[Path]:
    """Every file that holds faces, and the folders that hold such files."""
    for path in journal.parent.iterdir():
        if path.name.startswith((journal.name, "truth", "socket")):
            yield path
    with suppress(FileNotFoundError):
        yield from journal.with_name(f"{journal.name}-table").iterdir()


def check(oracle: Oracle, where: str, text: str) -> None:
    """Assert that something that was heard held no face that was still secret."""
    match where:
        case "view":
            view = json.loads(text)["view"]
            assert set(FACE.findall(text)) <= oracle.public(view["round"], view["entry"]), text
        case "refusal":
            assert not FACE.search(text), text
        case _ if lines := text.splitlines():
            n = int(json.loads(lines[-1])["n"])
            secret = oracle.under_way(n)
            for line in lines[secret - 1 :] if secret else ():
                assert set(FACE.findall(line)) <= oracle.public(oracle.round_at(n), n), line
                body = json.loads(line).get("body", {}).get("body", {})
                assert "card" not in body, line
