"""A Debian tree as a system: started with its own systemd in namespaces of its own, and ended with the block."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UP_WITHIN_S = 60.0

# A tree is a system once it has its file systems; systemd then finds them and starts in a container's way.
BOOT = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t tmpfs tmpfs "$1/run"
mount -t tmpfs tmpfs "$1/dev"
for each in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$1/dev/${each%:*}" c 1 "${each#*:}"; done
mknod -m 666 "$1/dev/tty" c 5 0
mkdir "$1/dev/pts" "$1/dev/shm"
ln -s /proc/self/fd "$1/dev/fd"
mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup" 2>/dev/null || {
    mount -t tmpfs tmpfs "$1/sys/fs/cgroup"
    mkdir "$1/sys/fs/cgroup/systemd"
    mount -t cgroup -o none,name=systemd cgroup "$1/sys/fs/cgroup/systemd"
}
cd "$1"
mkdir -p .old
pivot_root . .old  # in a chroot nobody may make user namespaces, and units have theirs
umount -l /.old
exec env -i container=other PATH=/usr/sbin:/usr/bin /lib/systemd/systemd
"""


class NoContainer(Exception):
    """The machine does not let a system start in namespaces. One line: why."""


class Container:
    """A running one: `call` runs a command in it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def call(self, *words: str, within: float = 60.0) -> subprocess.CompletedProcess[str]:
        """A command inside."""
        enter = ["nsenter", "-t", str(self._pid), "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w"]
        return subprocess.run([*enter, *words], capture_output=True, text=True, timeout=within, check=False)


@contextmanager
def container(root: Path) -> Iterator[Container]:
    """The system of a tree, up. Raises NoContainer."""
    words = ["unshare", "--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup"]
    null = subprocess.DEVNULL
    outer = subprocess.Popen(
        [*words, "sh", "-c", BOOT, "boot", str(root)], stdin=null, stdout=null, stderr=subprocess.PIPE, text=True
    )
    try:
        yield Container(_started(outer))
    finally:
        outer.kill()  # and with it everything inside
        outer.communicate()


def _started(outer: subprocess.Popen[str]) -> int:
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        if outer.poll() is not None:
            said = (outer.stderr.read() if outer.stderr else "").strip().splitlines() or ["no reason given"]
            raise NoContainer(said[-1])
        inner = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
        if inner and Path(f"/proc/{inner[0]}/comm").read_text().strip() == "systemd":
            up = Container(int(inner[0])).call("systemctl", "is-system-running").stdout.strip()
            if up in ("running", "degraded"):
                return int(inner[0])
        time.sleep(0.5)
    raise NoContainer(f"systemd was not up within {UP_WITHIN_S:.0f} s")
