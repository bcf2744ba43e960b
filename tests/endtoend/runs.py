"""The command as a user starts it, and a simulated table that outlives it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.devices.keys import key_file

SHOECTL = [sys.executable, "-m", "shoectl"]
SHOESIM = [sys.executable, "-m", "firmware_sim"]


def environment(folder: Path) -> dict[str, str]:
    """The environment of a user whose every folder is `folder`."""
    home = {name: str(folder) for name in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")}
    return {**os.environ, **home, "PYTHONWARNINGS": "error"}


@dataclass(frozen=True)
class Ended:
    """A command that has ended: exit code, its summary where it printed one, what it said on stderr."""

    code: int
    summary: dict[str, Any]
    said: str
    seconds: float


def shoectl(folder: Path, *words: str, timeout: float = 120) -> Ended:
    """Run a command to its end."""
    begun = time.monotonic()
    done = subprocess.run(
        [*SHOECTL, *words], cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=timeout
    )
    try:
        summary = json.loads(done.stdout)
    except ValueError:
        summary = {}
    return Ended(done.returncode, summary, done.stderr, time.monotonic() - begun)


def simulated(folder: Path, *words: str, timeout: float = 120) -> tuple[Ended, Path, Path]:
    """`run --sim` at full speed with a truth file. Returns how it ended, its journal, its truth."""
    journal, truth = folder / "table.journal", folder / "truth.jsonl"
    ended = shoectl(
        folder,
        *("run", "--sim", "--no-console", "--speed", "max", "--json", "--journal", str(journal), "--truth", str(truth)),
        *words,
        timeout=timeout,
    )
    assert "Traceback" not in ended.said, ended.said
    return ended, journal, truth


@dataclass
class Table:
    """A simulator that stays up, and the configuration of a daemon for it."""

    folder: Path
    sim: subprocess.Popen[str]
    devices: list[dict[str, str]]
    seed: int
    levels: Mapping[str, int] = field(default_factory=dict)
    kills: int = 0
    journal: Path = field(init=False)
    truth: Path = field(init=False)

    def __post_init__(self) -> None:
        self.journal, self.truth = self.folder / "table.journal", self.folder / "truth.jsonl"
        sections = [
            f'[devices.{_place(one["family"])}]\nurl = "{one["url"]}"\nfamily = "{one["family"]}"\n'
            + _sealed(self.folder, one["family"], self.levels)
            for one in self.devices
        ]
        (self.folder / "table.toml").write_text(
            f'[table]\nname = "table"\njournal = "{self.journal}"\nsocket = "{self.folder / "table.sock"}"\n'
            f'[simulated]\ncontrol = "{self.folder / "control.sock"}"\nseed = {self.seed}\n' + "".join(sections)
        )

    def daemon(self, rounds: int) -> subprocess.Popen[str]:
        """Start a daemon for it."""
        return subprocess.Popen(
            [
                *SHOECTL,
                "run",
                "--config",
                str(self.folder / "table.toml"),
                "--rounds",
                str(rounds),
                "--speed",
                "max",
                "--json",
            ],
            cwd=self.folder,
            env=environment(self.folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def cut_power(self, off_s: float = 0.0) -> None:
        """End the simulator in the middle of whatever it does, and start it again with what it had on disk."""
        self.stop(signal.SIGKILL)
        time.sleep(off_s)
        self.start_again()

    def start_again(self) -> None:
        """A simulator with the arguments of the one that has ended."""
        self.sim, _ = _simulator(self.folder, self.sim.args)  # type: ignore[arg-type]

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End the simulator with a signal. Its ports go first: a dead link may soon name somebody else's terminal."""
        terminals = [one["url"] for one in self.devices if one["url"].startswith("serial")]
        for url in terminals if number == signal.SIGKILL else ():
            Path(url.partition("://")[2].partition("?")[0]).unlink(missing_ok=True)
        self.sim.send_signal(number)
        self.sim.wait(5)
        if self.sim.stdout:
            self.sim.stdout.close()


def _simulator(folder: Path, words: Sequence[str]) -> tuple[subprocess.Popen[str], list[dict[str, str]]]:
    sim = subprocess.Popen(words, cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True)
    assert sim.stdout is not None
    return sim, json.loads(sim.stdout.readline())["devices"]


def _sealed(folder: Path, family: str, levels: Mapping[str, int]) -> str:
    """The lines of a configuration for a device whose link is sealed."""
    level = levels.get(family, 0)
    return f'level = {level}\nkey = {{ file = "{folder / family}.key" }}\n' if level else ""


def _place(family: str) -> str:
    return "shuffler" if family == "alder" else "shoe"


def _free_port() -> int:
    """One that stays the same when the simulator starts again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def table(
    folder: Path,
    *,
    seed: int = 7,
    families: Sequence[str] = ("alder", "birch"),
    faults: Sequence[str] = (),
    state: bool = False,
    levels: Mapping[str, int] | None = None,
) -> Iterator[Table]:
    """A simulator of its own for the time of the block; on a bus, where a device has no serial line. `state`: it keeps
    its cards and its devices' memory on disk. `levels`: the security level of a family's link, with a key of its own.
    """
    plugged = any("plug=" in name or name in ("cedar", "dogwood") for name in families)
    words = ["--usbip", f"127.0.0.1:{_free_port()}"] if plugged else ["--dir", str(folder)]
    words += ["--control", str(folder / "control.sock"), "--truth", str(folder / "truth.jsonl")]
    words += ["--seed", str(seed), "--speed", "max", "--person", "none", "--with-parent"]
    words += ["--state", str(folder / "state")] if state else []
    words += [word for fault in faults for word in ("--fault", fault)]
    for family, level in (levels or {}).items():
        words += ["--key", f"{family}={key_file(folder / f'{family}.key')}", "--level", f"{family}={level}"]
    standing = Table(folder, *_simulator(folder, [*SHOESIM, *families, *words]), seed, levels or {})
    try:
        yield standing
    finally:
        standing.stop()
