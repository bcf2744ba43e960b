"""The machine, as far as its files tell: /sys, /proc, /dev, the udev database, users and groups.

Everything is read below a root, so that a test can build a machine in a folder. Nothing here opens a device.
"""

from __future__ import annotations

import grp
import os
import pwd
from dataclasses import dataclass, field
from pathlib import Path

from shoectl.transports.holders import lock_holder, opened_by, process_text


@dataclass(frozen=True)
class User:
    """Whose rights count: a name, a number, and the groups of this login."""

    name: str
    uid: int
    groups: frozenset[int]

    @classmethod
    def now(cls) -> User:
        """Whoever runs this program."""
        uid = os.geteuid()
        try:
            name = pwd.getpwuid(uid).pw_name
        except KeyError:
            name = str(uid)
        return cls(name, uid, frozenset((*os.getgroups(), os.getegid())))

    @classmethod
    def named(cls, name: str) -> User:
        """A user at the next login. Raises KeyError where there is none."""
        found = pwd.getpwnam(name)
        return cls(name, found.pw_uid, frozenset(os.getgrouplist(name, found.pw_gid)))


@dataclass(frozen=True)
class Group:
    """A group of the system, and who is in it by its file."""

    name: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class System:
    """A machine below `root`. Names of its files are written as the machine itself writes them (`/dev/ttyUSB0`)."""

    root: Path = Path("/")
    user: User = field(default_factory=User.now)

    def path(self, name: str) -> Path:
        """Where a file of the machine is."""
        return self.root / name.lstrip("/")

    def name(self, path: Path) -> str:
        """The other way round."""
        root = os.path.realpath(self.root)
        told = str(path)
        return "/" + told[len(root) :].lstrip("/") if told.startswith(root) else told

    def resolved(self, name: str) -> str:
        """What a name stands for, links followed; itself where it is none."""
        return self.name(Path(os.path.realpath(self.path(name))))

    def text(self, name: str) -> str:
        """What is in a file, without white space around it; empty where it cannot be read."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def listed(self, folder: str) -> list[str]:
        """The names in a folder, in order; none where it is not there."""
        try:
            return sorted(entry.name for entry in self.path(folder).iterdir())
        except OSError:
            return []

    def there(self, name: str) -> bool:
        """Whether a name stands for something."""
        return self.path(name).exists()

    # processes

    @property
    def _proc(self) -> Path:
        return self.path("/proc")

    def holder(self, node: str) -> int | None:
        """The pid of another program that has a device open or locked; None where there is none that we may see."""
        told = str(self.path(node))
        return opened_by(told, self._proc) or lock_holder(told, None, self._proc)

    def process(self, pid: int) -> str:
        """`pid 123 (ModemManager)`."""
        return process_text(pid, self._proc)

    def alive(self, pid: int) -> bool:
        """Whether there is such a process."""
        return self.there(f"/proc/{pid}")

    def running(self, name: str) -> int | None:
        """The pid of a program, None where it does not run."""
        for pid in self.listed("/proc"):
            if pid.isdecimal() and self.text(f"/proc/{pid}/comm") == name:
                return int(pid)
        return None

    # groups

    def group(self, gid: int) -> Group:
        """A group by its number, by the machine's own file first."""
        for line in self.text("/etc/group").splitlines():
            name, _, number, members = (*line.split(":"), "", "", "", "")[:4]
            if number == str(gid):
                return Group(name, tuple(filter(None, members.split(","))))
        try:
            found = grp.getgrgid(gid)
        except KeyError:
            return Group(str(gid))
        return Group(found.gr_name, tuple(found.gr_mem))

    # udev

    def udev(self, number: str) -> dict[str, str]:
        """What udev noted of a device by its number, as `c188:0`; empty where it knows nothing."""
        lines = self.text(f"/run/udev/data/{number}").splitlines()
        pairs = [line[2:].partition("=") for line in lines if line.startswith("E:")]
        return {key: value for key, _, value in pairs}
