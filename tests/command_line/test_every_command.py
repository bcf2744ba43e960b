"""What holds for every command: it speaks JSON, and the shells complete it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from shoectl.cli import COMMANDS, root
from tests.endtoend.runs import environment

WITHOUT_JSON = {
    "completion": "prints a script, which a shell reads",
    "wire decode": "its output is JSON anyway, a line each",
    "wire encode": "its output is frames in hexadecimal digits",
    "install": "acts, and says on stderr what it did, line by line",
}


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from commands(inner, (*path, name))


@pytest.mark.parametrize(("name", "command"), [pytest.param(*one, id=one[0]) for one in commands(root)])
def test_a_command_prints_json_where_it_is_asked_to_or_says_why_not(name: str, command: click.Command) -> None:
    assert any("--json" in option.opts for option in command.params) is (name not in WITHOUT_JSON)


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
