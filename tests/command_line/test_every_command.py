"""What holds for every command: it speaks JSON, and the shells complete it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from protocols.family import families
from shoectl.cli import COMMANDS, root
from shoectl.games.registry import game_names
from tests.endtoend.runs import environment

SHOECTL = [sys.executable, "-m", "shoectl"]


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from commands(inner, (*path, name))


RECORD = """{"game": "lunar-poker", "dealer": "Qs Qh 7d 4c 2s",
 "seats": {"1": {"cards": "As Ah Kd 9c 8s", "wagers": {"ante": 10}, "decisions": ["bet"]}}}"""
SIMULATED = ["--sim", "--rounds", "1", "--seed", "7", "--speed", "max", "--no-console"]
# Words that have each command say something, in a folder where a table runs: its files as `table` has them.
WORDS: Mapping[str, list[str]] = {
    "run": ["run", *SIMULATED, "--journal", "other.journal", "--socket", "other.sock"],
    "answer": ["answer", "--config", "table.toml"],
    "init": ["init", "-o", "new.toml"],
    "monitor": ["monitor", "--config", "table.toml"],
    "check": ["check", "--config", "table.toml"],
    "devices list": ["devices", "list", "--url", "sim:alder?seed=7"],
    "devices show": ["devices", "show", "sim:alder?seed=7"],
    "doctor": ["doctor", "--no-ask"],
    "people add": ["people", "add", "1", "Ana", "--role", "dealer", "--file", "new.json", "--pin-file", "pin"],
    "people list": ["people", "list", "--file", "people.json"],
    "people passwd": ["people", "passwd", "2", "--file", "people.json", "--pin-file", "pin"],
    "people token": ["people", "token", "2", "--file", "people.json"],
    "people remove": ["people", "remove", "3", "--file", "people.json"],
    "journal verify": ["journal", "verify", "table.journal"],
    "journal show": ["journal", "show", "table.journal"],
    "journal replay": ["journal", "replay", "table.journal"],
    "journal export": ["journal", "export", "table.journal"],
    "journal round": ["journal", "round", "table.journal", "1"],
    "journal backup": ["journal", "backup", "table.journal", "backups"],
    "journal void": ["journal", "void", "void.journal", "--by", "floor", "--config", "table.toml", "--yes"],
    "install": ["install", "--root", "root", "--program", "/opt/shoectl/bin/shoectl"],
    "settle": ["settle", "record.json"],
    "rank": ["rank", "lunar-poker", "hand", "As Ah Kd 9c 8s"],
    "compare": ["compare", "lunar-poker", "hand", "As Ah Kd 9c 8s", "Ks Kh Qd 9s 8d"],
    "odds": ["odds", "five-card-hi-lo", "--wager", "tie"],
    "games list": ["games", "list"],
    "games show": ["games", "show", "lunar-poker"],
    "completion": ["completion", "fish"],
    "wire decode": ["wire", "decode", "birch", "030001104ad0"],
    "wire encode": ["wire", "encode", "birch", '{"dst": 3, "src": 1, "toggle": 0, "kind": "command", "type": "POLL"}'],
}
STREAM = "monitor"  # goes on until the table ends


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which a table runs, dealt from the hand, and whose files say something to each command."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "table.toml").write_text('[table]\nname = "walk"\ndealing = "hand"\n')
    (folder / "record.json").write_text(RECORD)
    (folder / "pin").write_text("273819\n")
    (folder / "root").mkdir()
    (folder / "backups").mkdir()
    played = called(folder, "run", *SIMULATED, "--journal", "table.journal", "--socket", "sim.sock")
    assert played.returncode == 0, played.stderr
    for number, name in (("2", "Ben"), ("3", "Cleo")):
        words = ["people", "add", number, name, "--role", "dealer", "--file", "people.json", "--pin-file", "pin"]
        assert called(folder, *words).returncode == 0
    with running(folder, "void.journal") as daemon:
        assert called(folder, "answer", "--config", "table.toml", "1.1", "{}").returncode == 0
        daemon.kill()  # in its first round
    with running(folder, "open.journal"):
        yield folder


@contextmanager
def running(folder: Path, journal: str) -> Iterator[subprocess.Popen[str]]:
    daemon = subprocess.Popen([*SHOECTL, "run", "--config", "table.toml", "--journal", journal], **around(folder))
    try:
        until = time.monotonic() + 30
        while not called(folder, "answer", "--config", "table.toml").stdout.startswith("1."):
            assert time.monotonic() < until
        yield daemon
    finally:
        daemon.terminate()
        daemon.communicate()


def around(folder: Path) -> dict[str, Any]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "text": True}
    return {"cwd": folder, "env": environment(folder), **streams}


def called(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SHOECTL, *words], timeout=60, check=False, **around(folder))


def test_the_walk_has_words_for_every_command() -> None:
    assert list(dict(commands(root))) != []
    assert set(dict(commands(root))) == set(WORDS)


@pytest.mark.parametrize("name", WORDS)
def test_every_command_says_json_where_it_is_asked_to_and_nothing_else(
    table: Path, command: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == STREAM:
        with subprocess.Popen([*SHOECTL, *WORDS[name], "--json"], **around(table)) as monitor:
            lines = [monitor.stdout.readline()]  # type: ignore[union-attr]
            monitor.terminate()
    else:
        monkeypatch.chdir(table)
        for variable, value in environment(table).items():
            monkeypatch.setenv(variable, value)
        code, out, err = command(*WORDS[name], "--json")
        assert code in (0, 1), err
        lines = out.splitlines()
    assert lines
    for line in lines:
        assert isinstance(json.loads(line), dict | list), line


def test_commands_are_completed_without_importing_any(tmp_path: Path) -> None:
    asked = {"_SHOECTL_COMPLETE": "bash_complete", "COMP_WORDS": "shoectl ch", "COMP_CWORD": "1"}
    script = (
        "import sys; from shoectl import cli; code = cli.run([]); "
        "print([name for name in sys.modules if name.startswith('shoectl.commands.')]); sys.exit(code)"
    )
    words = [sys.executable, "-c", script]
    around = {**environment(tmp_path), **asked}
    done = subprocess.run(words, env=around, capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.splitlines() == ["plain,check", "[]"]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["shoectl", "jo"], ["journal"]),
        (["shoectl", "odds", "l"], ["lunar-poker"]),
        (["shoectl", "games", "show", ""], sorted(game_names())),
        (["shoectl", "run", "--game", "fo"], ["four-card-poker"]),
        (["shoectl", "init", "--game", "caj"], ["cajun-stud"]),
        (["shoectl", "rank", "five-card-hi-lo", ""], ["poker", "points"]),
        (["shoectl", "compare", "cajun-stud", "po"], ["pocket"]),
        (["shoectl", "wire", "decode", ""], sorted(families())),
        (["shoectl", "wire", "encode", "ald"], ["alder"]),
        (["shoectl", "devices", "show", "--family", "c"], ["cedar"]),
        (["shoectl", "run", "--sim", "--devices", "al"], ["alder"]),
        (["shoectl", "run", "--sim", "--devices", "alder,d"], ["alder,dogwood"]),
        (["shoectl", "run", "--sim", "--fault", "jam"], ["jam"]),
        (["shoectl", "run", "--sim", "--fault", "event_t"], ["event_twice"]),
        (["shoectl", "run", "--sim", "--fault", "alder", ":", "jam"], ["jam"]),
        (["shoectl", "run", "--sim", "--fault", "birch", ":", "jam"], []),
        (["shoectl", "run", "--dealing", "=", "ma"], ["manual"]),
        (["shoectl", "journal", "ver"], ["verify"]),
        (["shoectl", "run", "--deal"], ["--dealing", "--dealer"]),
        (["shoectl", "run", "--dealing", "ma"], ["manual"]),
    ],
)
def test_a_real_bash_completes(tmp_path: Path, words: list[str], completed: list[str]) -> None:
    program = tmp_path / "shoectl"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m shoectl "$@"\n')
    program.chmod(0o755)
    script = (
        f'PATH="{tmp_path}:$PATH"; eval "$(shoectl completion bash)"; COMP_WORDS=({" ".join(words)}); '
        f'COMP_CWORD={len(words) - 1}; _shoectl_completion shoectl; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], env=environment(tmp_path), capture_output=True, text=True, timeout=30, check=False
    )
    assert (sorted(done.stdout.split()), done.stderr) == (sorted(completed), "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(command: Any, shell: str) -> None:
    code, out, err = command("completion", shell)
    assert (code, err) == (0, "")
    assert f"_SHOECTL_COMPLETE={shell}_complete" in out


def test_another_shell_is_one_line(command: Any) -> None:
    code, out, err = command("completion", "csh")
    assert (code, out) == (2, "")
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in err


def test_every_command_has_a_line_in_the_list() -> None:
    assert all(text.endswith(".") and len(text) <= 80 for _, _, text in COMMANDS.values())
