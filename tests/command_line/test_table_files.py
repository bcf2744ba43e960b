"""Where a table's files lie, that a table without a place for them does not start, and that `check` says so before."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from shoectl.folders import state_folder, unwritable
from tests.endtoend.runs import environment

SHOECTL = [sys.executable, "-m", "shoectl"]


def shoectl(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    around = {**environment(folder), **more}
    return subprocess.run(
        [*SHOECTL, *words], cwd=folder, env=around, capture_output=True, text=True, timeout=60, check=False
    )


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    return done.stderr.rstrip("\n")


def configured(folder: Path, text: str = "[table]\n") -> str:
    (folder / "table.toml").write_text(text)
    return "table.toml"


def no_folder(folder: Path) -> str:
    """A state home that nobody can write to, whoever runs this."""
    (folder / "file").touch()
    return str(folder / "file")


def test_a_table_without_a_state_folder_does_not_start_and_the_check_says_so(tmp_path: Path) -> None:
    config, home = configured(tmp_path), no_folder(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    said = f"the state folder {home}/shoectl cannot be written: not a directory; $XDG_STATE_HOME names another one"
    run = shoectl(tmp_path, "run", "--config", config, "--json", XDG_STATE_HOME=home)
    assert one_line(run) == f"shoectl: {said}"
    check = shoectl(tmp_path, "check", "--config", config, XDG_STATE_HOME=home)
    assert one_line(check) == f"shoectl: {config}: {said}"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_state_folder_that_may_not_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    pid = os.fork()
    if pid == 0:  # as somebody who is not root, whoever runs this
        code = 1
        try:
            os.chdir(tmp_path)
            if os.geteuid() == 0:
                os.setuid(65534)
            code = 0 if unwritable(Path("state/shoectl")) == "permission denied" else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_only_a_simulated_table_is_kept_elsewhere_and_says_where(tmp_path: Path) -> None:
    home = no_folder(tmp_path)
    words = ["run", "--sim", "--rounds", "1", "--seed", "7", "--speed", "max", "--no-console", "--json"]
    done = shoectl(tmp_path, *words, XDG_STATE_HOME=home, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    journal = Path(json.loads(done.stdout)["journal"])
    assert journal.parent.parent == tmp_path
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"the state folder {home}/shoectl cannot be written: not a directory; ")
    assert first.endswith(f"; this simulated table is kept in {journal.parent}")


def test_the_state_folder_is_for_its_owner_and_a_look_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    assert state_folder(make=False) == tmp_path / "home/shoectl"
    assert not (tmp_path / "home").exists()
    assert state_folder().stat().st_mode & 0o777 == 0o700


LONG = "/tmp/" + "a" * 100 + ".sock"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[table]\njournal = "folder"\n', "journal folder: is a directory"),
        ('[table]\njournal = "table.toml/x"\n', "journal table.toml/x: the folder {here}/table.toml is not there"),
        ('[table]\njournal = "table.toml"\n', "journal table.toml: this is no journal of shoectl (nor an SQLite file"),
        (f'[table]\nsocket = "{LONG}"\n', f"{LONG}: 110 bytes, the path of a socket has at most 107; table.socket or"),
        ('[table]\njournal = "new"\n[upkeep]\nleast_free_mb = 1000000\n', "journal new: "),
        ('[table]\nsocket = "folder"\n', "folder: no socket can be made here: "),
        ('[table]\nsocket = "table.toml/sock"\n', "table.toml/sock: no socket can be made here: "),
        ('[people]\nfile = "people"\n[console]\nlisten = "127.0.0.1:1"\n', "people: the file: Invalid JSON: "),
        (
            '[console]\nlisten = "127.0.0.1:1"\ncert = "people"\nkey = "people"\n',
            "console.cert people, console.key people: they are no certificate and key in PEM, the key without a pass",
        ),
        (
            '[people]\nfile = "none"\n[bus]\nhost = "localhost"\nca = "people"\n',
            "bus.ca: people: no certificates in it",
        ),
    ],
)
def test_what_a_run_would_refuse_is_found_by_the_check_and_leaves_no_journal(
    tmp_path: Path, text: str, line: str
) -> None:
    config = configured(tmp_path, text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "people").write_text('{"people": [')
    (tmp_path / "people").chmod(0o600)
    line = line.replace("{here}", str(tmp_path)).lower()
    check = one_line(shoectl(tmp_path, "check", "--config", config)).lower()
    assert check.startswith(f"shoectl: {config}: {line}")
    run = one_line(shoectl(tmp_path, "run", "--config", config, "--json")).lower()
    assert run.startswith(f"shoectl: {line}")
    assert not list(tmp_path.rglob("*journal*"))


def test_a_folder_that_comes_with_the_installation_is_named_by_the_check(tmp_path: Path) -> None:
    config = configured(tmp_path, '[table]\njournal = "none/table.journal"\n')
    check = shoectl(tmp_path, "check", "--config", config)
    said = f"{config}: table.journal: the folder none is not there yet: without it the table does not start\n"
    assert (check.returncode, check.stderr) == (0, said)
    said = one_line(shoectl(tmp_path, "run", "--config", config))
    assert said == f"shoectl: journal none/table.journal: the folder {tmp_path}/none is not there"


def test_two_tables_of_one_user_listen_apart(tmp_path: Path) -> None:
    """The socket bears the table's name, as the journal does; without a name the one that runs is meant."""
    for name in ("pit 3", "pit 4"):
        (tmp_path / f"{name[-1]}.toml").write_text(f'[table]\nname = "{name}"\n')
    words = [*SHOECTL, "run", "--json", "--config"]
    around = {"env": environment(tmp_path), "cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    three = subprocess.Popen([*words, "3.toml"], text=True, **around)  # type: ignore[call-overload]
    try:
        assert three.stderr.readline().startswith("journal: ")
        assert shoectl(tmp_path, "answer").returncode == 0
        four = subprocess.Popen([*words, "4.toml"], text=True, **around)  # type: ignore[call-overload]
        try:
            assert four.stderr.readline().startswith("journal: ")
            assert sorted(one.name for one in (tmp_path / "shoectl").glob("*.sock")) == ["pit-3.sock", "pit-4.sock"]
            assert shoectl(tmp_path, "answer", "--config", "4.toml").returncode == 0
            said = one_line(shoectl(tmp_path, "answer"))
            sockets = ", ".join(f"{tmp_path}/shoectl/{name}.sock" for name in ("pit-3", "pit-4"))
            assert said == f"shoectl: several tables run: {sockets}; --socket or --config says which"
        finally:
            four.terminate()
            four.communicate()
    finally:
        three.terminate()
        three.communicate()


def test_a_start_that_is_refused_leaves_no_new_journal(tmp_path: Path) -> None:
    with socket.socket() as taken, socket.socket(socket.AF_UNIX) as other:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        other.bind(str(tmp_path / "other.sock"))
        other.listen()
        config = configured(tmp_path, f'[console]\nlisten = "127.0.0.1:{taken.getsockname()[1]}"\n')
        assert "is taken by another program" in one_line(shoectl(tmp_path, "run", "--config", config))
        config = configured(tmp_path)
        said = one_line(shoectl(tmp_path, "run", "--config", config, "--socket", "other.sock"))
        assert said == "shoectl: another daemon listens at other.sock; table.socket or --socket names another one"
    assert not list(tmp_path.rglob("*journal*"))
