"""What a daemon in a process of its own gives away: the lines on stdout, everything on stderr, what a monitor shows,
the modes of files. All that can be heard inside of one process is in tests/exits.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from shoectl.journal import Reader
from tests.endtoend.runs import SHOECTL, environment
from tests.exits.faces import faces_in
from tests.exits.oracle import Oracle

ROUNDS = 4


def test_no_exit_of_the_process_gives_a_face_away_before_its_time(tmp_path: Path) -> None:
    journal, socket = tmp_path / "journal", tmp_path / "socket"
    words = ["run", "--sim", "--speed", "max", "--seed", "21", "--rounds", str(ROUNDS), "--journal", str(journal)]
    words += ["--no-console", "--socket", str(socket), "--truth", str(tmp_path / "truth")]
    words += ["--fault", "birch:unreadable@draw=7"]
    with ExitStack() as stack:
        stack.enter_context(_running(tmp_path, "views", "monitor", "--json", "--wait", "--socket", str(socket)))
        daemon = stack.enter_context(_running(tmp_path, "stdout", *words))
        while daemon.poll() is None:
            assert not open_to_others(journal)
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(0.05)
    assert daemon.returncode == 0, (tmp_path / "stdout-errors").read_text()
    with Reader(journal) as reader:
        oracle = Oracle(list(reader.entries()))
    told = (tmp_path / "stdout-errors").read_text()
    assert not faces_in(told)
    assert "Traceback" not in told, "it ends under a monitor that follows it"
    _check_lines(oracle, (tmp_path / "stdout").read_text())
    views = [json.loads(line) for line in (tmp_path / "views").read_text().splitlines()]
    assert any(faces_in(json.dumps(view)) for view in views)
    for view in views:
        assert faces_in(json.dumps(view)) <= oracle.public(view["entry"]), view


@contextmanager
def _running(folder: Path, name: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A shoectl whose output goes to files; it ends with the block."""
    env = {**environment(folder), "SHOECTL_DEBUG": "1"}
    with (
        (folder / name).open("w") as out,
        (folder / f"{name}-errors").open("w") as err,
        subprocess.Popen([*SHOECTL, *words], cwd=folder, env=env, stdout=out, stderr=err, umask=0) as running,
    ):
        try:
            yield running
        finally:
            running.terminate()


def _check_lines(oracle: Oracle, text: str) -> None:
    """Lines tell each step once; a round's cards as it ends."""
    number, shown = 0, frozenset[str]()
    for line in text.splitlines():
        number = int(line.split()[1]) if re.fullmatch(r"round \d+", line) else number
        assert faces_in(line) <= oracle.public(oracle.last_of(number)), line
        shown |= faces_in(line)
    assert shown, "cards that lie face up are told"


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
