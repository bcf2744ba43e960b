"""What a user meets: one line for every error, the right exit code, and only what is needed imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoectl import cli
from shoectl.errors import BadInput, CheckFailed, DeviceFailed
from shoectl.journal import Journal


def shoectl(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shoectl", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, check=False)


def test_version_and_help_import_no_command() -> None:
    listing = "import sys; from shoectl.cli import run; run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, timeout=60, check=True)
    modules = done.stdout.split()
    assert "journal" in done.stdout
    assert not [name for name in modules if name.startswith(("shoectl.commands.", "shoectl.table", "pydantic", "rich"))]
    assert shoectl("--version").stdout == "shoectl 0.1.0\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("foo",),
        ("check",),
        ("check", "--config", "/nowhere/table.toml"),
        ("check", "--colour", "red"),
        ("answer", "1.2", "{"),
        ("answer", "1.2", "[]"),
        ("answer", "1.2"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: tuple[str, ...]) -> None:
    done = shoectl(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("words", [("games", "list"), ("completion", "bash"), ("--help",), ("games", "--help")])
def test_an_output_that_is_closed_or_full_or_not_read_is_no_fault_of_the_program(words: tuple[str, ...]) -> None:
    games = [sys.executable, "-m", "shoectl", *words]
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *games], capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (3, "shoectl: the output cannot be written: it is closed\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(games, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    unread, out = os.pipe()
    os.close(unread)
    gone = subprocess.run(games, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    os.close(out)
    assert (gone.returncode, gone.stderr) == (141, "")


def test_a_closed_output_is_an_error_to_those_who_have_something_to_say(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "table.journal"):
        pass
    for words, code in ((["export", "table.journal"], 0), (["verify", "table.journal"], 3)):  # it holds no entry
        command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "shoectl", "journal", *words]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == code


def test_a_terminal_without_our_signs_gets_question_marks() -> None:
    done = shoectl("wire", "decode", "“”", env={**os.environ, "PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"})
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    page = shoectl("games", "show", "lunar-poker", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert page.returncode == 0, page.stderr


def test_an_error_does_nothing_to_a_terminal() -> None:
    done = shoectl("check", "--config", "\x1b[31m\x9b2Jnone")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "shoectl: ?[31m?2Jnone: No such file or directory\n"


def test_answer_without_a_daemon_is_one_line_and_exit_3(tmp_path: Path) -> None:
    done = shoectl("answer", "--socket", str(tmp_path / "none.sock"))
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)


@pytest.mark.parametrize(("error", "code"), [(CheckFailed("no"), 1), (BadInput("no"), 2), (DeviceFailed("no"), 3)])
def test_each_kind_of_error_has_its_exit_code(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.root, "main", raising(error))
    assert cli.run([]) == code
    assert capsys.readouterr().err == "shoectl: no\n"


def test_a_known_error_inside_a_task_group_is_still_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.root, "main", raising(ExceptionGroup("two", [ExceptionGroup("one", [BadInput("x\ny")])])))
    assert cli.run([]) == 2
    assert capsys.readouterr().err == "shoectl: x y\n"


def test_an_unknown_error_shows_no_traceback_and_names_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setattr(cli.root, "main", raising(ZeroDivisionError("secret")))
    assert cli.run([]) == 70
    shown = capsys.readouterr().err
    log = tmp_path / "shoectl/errors.log"
    assert shown == f"shoectl: internal error (ZeroDivisionError), the story is in {log}\n"
    assert "Traceback" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cli.root, "main", raising(KeyboardInterrupt()))
    assert cli.run([]) == 130
    assert capsys.readouterr().err == ""


def raising(error: BaseException) -> object:
    def main(*_: object, **__: object) -> None:
        raise error

    return main
