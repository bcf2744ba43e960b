"""A table in the guest: a simulator, its devices plugged into the kernel, and the user who runs shoectl at it."""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from protocols.family import families
from tests.kernel.guest.hub import Hub

DEALER, OTHER = "dealer", "other"
GROUP = "shoectl"
NAMES = Path("/dev/shoectl")
FIRST_SERVER = 3240


@dataclass(frozen=True)
class Person:
    """A user of the guest, with the groups that /etc/group gives at this moment."""

    name: str

    def words(self) -> dict[str, Any]:
        """For subprocess."""
        user = pwd.getpwnam(self.name)
        groups = [group.gr_gid for group in grp.getgrall() if self.name in group.gr_mem]
        home = Path("/tmp") / self.name
        if not home.exists():
            home.mkdir(mode=0o700)
            os.chown(home, user.pw_uid, user.pw_gid)
        told = {name: str(home) for name in ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")}
        ids = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": groups}
        return {**ids, "cwd": home, "env": {**os.environ, **told}, "text": True}

    def run(self, *words: str, within: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a Python module or program to its end."""
        return subprocess.run([sys.executable, *words], capture_output=True, timeout=within, **self.words())

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start one."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, *words], **pipes, **self.words())

    def does(self, what: Callable[[], str]) -> str:
        """Do something as this user, in a child of this process; what it says, or what it failed with."""
        told = self.words()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups(told["extra_groups"])
                os.setgid(told["group"])
                os.setuid(told["user"])
                said = what()
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(writing, said.encode()[:4096])
            os._exit(0)
        os.close(writing)
        with open(reading, encoding="utf-8") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        return said

    def folder(self, name: str) -> Path:
        """An empty folder of his."""
        folder = Path(self.words()["cwd"]) / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        user = pwd.getpwnam(self.name)
        os.chown(folder, user.pw_uid, user.pw_gid)
        return folder


@dataclass
class World:
    """`devices` as the simulator's ready line has them; plugs have the same names. `speed` is that of its mechanics."""

    hub: Hub
    folder: Path
    server: int
    speed: str
    sim: subprocess.Popen[str]
    devices: dict[str, dict[str, str]]
    rounds: int = 0  # that its journal holds
    _ids: int = field(default=0)

    @property
    def control(self) -> Path:
        """The simulator's socket."""
        return self.folder / "control.sock"

    def name_of(self, device: str) -> Path:
        """The stable name that the rules give it."""
        return NAMES / f"{self.kind(device)}-{self.devices[device]['serial']}"

    def kind(self, device: str) -> str:
        """The word that its stable name begins with."""
        own = families()[device].line.get("usb")
        ids = self.devices[device]["url"].partition("://")[2].partition("/")[0]
        return device if own is not None and ids == f"{own.vendor:04x}:{own.product:04x}" else "adapter"

    def url(self, device: str) -> str:
        """As a user of the stable names writes it."""
        own = families()[device].line.get("usb")
        match self.kind(device):
            case "adapter":
                return f"serial://{self.name_of(device)}"
            case _ if own is not None and own.report:
                return f"hid://{self.name_of(device)}"
            case _ if "baud" in families()[device].line:
                return f"serial://{self.name_of(device)}"
        return f"usb://{own.vendor:04x}:{own.product:04x}/{self.devices[device]['serial']}"

    def order(self, **order: Any) -> dict[str, Any]:
        """One line to the control socket, and the answer."""
        self._ids += 1
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(self.control))
            link.sendall(json.dumps({"id": f"guest {self._ids}", **order}).encode() + b"\n")
            with link.makefile() as lines:
                told: dict[str, Any] = json.loads(lines.readline())
        return told

    def state(self, device: str) -> str:
        """The state of a device, as it truly is."""
        told = self.order(state=True)
        return str(next(each["state"] for each in told["devices"] if each["name"] == device))

    def configuration(self, places: dict[str, str]) -> Path:
        """A table of these devices, by place."""
        file = self.folder / "table.toml"
        text = f'[table]\nname = "table"\njournal = "{self.folder}/journal"\nsocket = "{self.folder}/table.sock"\n'
        text += f'[simulated]\ncontrol = "{self.control}"\nseed = 7\nspeed = "{self.speed}"\n'
        for place, device in places.items():
            serial = self.devices[device]["serial"]
            text += f'[devices.{place}]\nurl = "{self.url(device)}"\nfamily = "{device}"\nserial = "{serial}"\n'
        file.write_text(text)
        return file


@contextmanager
def world(hub: Hub, *devices: str, speed: str = "max") -> Iterator[World]:
    """A simulator of the dealer's, its devices plugged in and named."""
    dealer, server = Person(DEALER), FIRST_SERVER
    folder = dealer.folder("world")
    words = [*devices, "--usbip", f"127.0.0.1:{server}", "--control", str(folder / "control.sock"), "--seed", "7"]
    words += ["--speed", speed, "--person", "none", "--truth", str(folder / "truth.jsonl")]
    sim = dealer.start("-m", "firmware_sim", *words)
    assert sim.stdout is not None
    try:
        line = sim.stdout.readline()
        if not line:
            raise AssertionError(f"the simulator: {sim.communicate()[1].strip()}")
        told = {each["name"]: each for each in json.loads(line)["devices"]}
        made = World(hub, folder, server, speed, sim, told)
        for name, each in told.items():
            hub.put_in(name, server, each["bus"])
        for name in told:
            until(made.name_of(name).exists, f"no {made.name_of(name)}")
        settle()
        yield made
    finally:
        hub.clear()
        sim.terminate()
        sim.communicate(timeout=20)
        settle()


def until(condition: Callable[[], object], what: str, within: float = 30.0, every: float = 0.05) -> None:
    """Wait. Raises AssertionError with what did not happen."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, f"{what} within {within:.0f} s"
        time.sleep(every)


def settle() -> None:
    """Wait until udev has done what it has to do."""
    subprocess.run(["udevadm", "settle", "--timeout=30"], check=True)


def called(words: Sequence[str]) -> str:
    """What a program prints; it has to succeed."""
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}".strip()
    return done.stdout
