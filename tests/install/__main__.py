"""`make check-install`: the guide (docs/install.md) followed by a newcomer in a fresh Debian, from the wheel on.

Makes a Debian tree (mmdebstrap, as root), builds the wheel and those that it needs, and starts the tree with its own
systemd, in namespaces. There all is done that the guide says: installed, checked with systemd's own checkers, enabled,
reloaded, hung, stopped, and undone. Where the machine does not allow a part, that is said, and the check does not pass.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.install.container import Container, NoContainer, container

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".make" / "install"
PACKAGES = "systemd,systemd-sysv,udev,dbus,python3,python3-venv,libusb-1.0-0"
PROGRAM = "/opt/shoectl/bin/shoectl"
CONFIG = "/etc/shoectl/table.toml"
SCORE_MOST = 2.0
CANNOT = 2


class Failed(Exception):
    """A step did not come out as it should. One line."""


def call(*words: str, root: Path | None = None) -> str:
    """A command here, or in the tree. Returns what it said. Raises Failed."""
    inside = ["chroot", str(root), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"] if root else []
    done = subprocess.run([*inside, *words], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no reason given"]
        raise Failed(f"{' '.join(words)[:80]}: exit {done.returncode}: {said[-1]}")
    return done.stdout + done.stderr


def tree(release: str) -> Path:
    """A fresh copy of a Debian tree, which is made once."""
    base, root = CACHE / f"base-{release}", CACHE / "root"
    if not (CACHE / f"base-{release}.done").exists():
        shutil.rmtree(base, ignore_errors=True)
        call("mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", release, str(base))
        (CACHE / f"base-{release}.done").touch()
    shutil.rmtree(root, ignore_errors=True)
    call("cp", "-a", str(base), str(root))
    return root


def wheels() -> Path:
    """The wheel of this checkout, and the exact versions of what it needs."""
    folder = CACHE / "wheels"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
    if (
        not (folder / "done").exists()
        or (folder / "done").stat().st_mtime < (ROOT / "requirements.txt").stat().st_mtime
    ):
        shutil.rmtree(folder, ignore_errors=True)
        call(*pip, "wheel", "-r", "requirements.txt", "-w", str(folder))
        (folder / "done").touch()
    for old in folder.glob("shoectl-*.whl"):
        old.unlink()
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    return folder


def prepare(root: Path, folder: Path) -> None:
    """By the guide: an environment, the wheel in it, its command where everybody finds it."""
    shutil.copytree(folder, root / "root" / "wheels")
    call("python3", "-m", "venv", "/opt/shoectl", root=root)
    call("sh", "-c", "/opt/shoectl/bin/pip install -q --no-index --find-links /root/wheels shoectl", root=root)
    call("ln", "-sf", PROGRAM, "/usr/local/bin/shoectl", root=root)


def install(inside: Container) -> None:
    """By the guide: install, check."""
    must(inside, "shoectl", "install")
    must(inside, "shoectl", "check", "--config", CONFIG)
    for path, wanted in (
        ("/var/lib/shoectl", "700 shoectl shoectl"),
        ("/var/lib/shoectl/backup", "700 shoectl shoectl"),
        ("/etc/shoectl", "750 root shoectl"),
        (CONFIG, "640 root shoectl"),
        ("/etc/credstore", "700 root root"),
    ):
        found = must(inside, "stat", "-c", "%a %U %G", path).strip()
        if found != wanted:
            raise Failed(f"{path} is {found}, not {wanted}")


def unit(inside: Container) -> str:
    """What systemd's checkers say. Returns the score."""
    name = "/etc/systemd/system/shoectl.service"
    done = inside.call("systemd-analyze", "verify", "--man=no", name)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "shoectl" in line]
    if ours or done.returncode:
        raise Failed(f"systemd-analyze verify: exit {done.returncode} {ours[:1]}")
    said = must(inside, "systemd-analyze", "security", "--offline=true", "--no-pager", name)
    score = re.search(r"exposure level for shoectl.service: ([0-9.]+) (\w+)", said)
    if score is None or float(score[1]) > SCORE_MOST:
        raise Failed(f"exposure {score and score[1]}, allowed is {SCORE_MOST}")
    return f"{score[1]} {score[2]}"


def must(inside: Container, *words: str) -> str:
    """A command in the container. Raises Failed."""
    done = inside.call(*words)
    if done.returncode:
        raise Failed(f"{' '.join(words)}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def until(what: str, holds: Callable[[], bool], within: float = 90.0) -> None:
    """Wait. Raises Failed."""
    end = time.monotonic() + within
    while not holds():
        if time.monotonic() > end:
            raise Failed(f"not within {within:.0f} s: {what}")
        time.sleep(0.5)


def shown(inside: Container, name: str) -> str:
    """A property of the service."""
    return must(inside, "systemctl", "show", "-P", name, "shoectl").strip()


def serve(inside: Container) -> None:
    """Started, asked, reloaded, hung, stopped."""
    must(inside, "systemctl", "enable", "shoectl")
    if inside.call("systemctl", "start", "shoectl").returncode:
        raise Failed(must(inside, "journalctl", "-u", "shoectl", "-n", "8", "--no-pager", "-o", "cat"))
    until("the service is active", lambda: shown(inside, "ActiveState") == "active")
    until("its status says where the table stands", lambda: "round 1" in shown(inside, "StatusText"))
    if "[" not in must(inside, "runuser", "-u", "shoectl", "--", PROGRAM, "answer", "--config", CONFIG):
        raise Failed("shoectl answer lists no step")
    must(inside, "systemctl", "reload", "shoectl")
    told = [json.loads(line) for line in must(inside, "journalctl", "-u", "shoectl", "-o", "json").splitlines()]
    ours = [one for one in told if one.get("LOGGER") == "shoectl.run" and one.get("ROUND") == "1"]
    if not ours:
        raise Failed("no line of the log has its fields")
    first = shown(inside, "MainPID")
    must(inside, "systemctl", "kill", "--signal=STOP", "shoectl")  # every task hangs
    until("the watchdog starts it anew", lambda: shown(inside, "NRestarts") == "1", within=150.0)
    until("it is up again", lambda: shown(inside, "ActiveState") == "active")
    if shown(inside, "MainPID") == first:
        raise Failed("it is the same process")
    must(inside, "systemctl", "stop", "shoectl")
    if shown(inside, "Result") != "success":
        raise Failed(f"it ended with {shown(inside, 'Result')}")
    must(inside, PROGRAM, "journal", "verify", "/var/lib/shoectl/table.journal")


# libusb and hidraw's ioctl as the drivers use them: callbacks of ctypes need memory that may be run
USB = (
    "import ctypes, usb.core, usb.backend.libusb1 as libusb; back = libusb.get_backend(); assert back, 'no libusb'; "
    "ctypes.CFUNCTYPE(None)(print); print('usb', len(list(usb.core.find(find_all=True, backend=back))))"
)
OF_A_DAEMON = ("Type=", "NotifyAccess=", "Exec", "WatchdogSec=", "Restart", "LoadCredential=", "StartLimit")


def usb(inside: Container) -> None:
    """What USB devices are opened with works within the unit's own sandbox."""
    text = must(inside, "cat", "/etc/systemd/system/shoectl.service")
    lines = [line for line in text.splitlines() if not line.startswith(OF_A_DAEMON)]
    at = lines.index("[Service]") + 1
    probe = "\n".join([*lines[:at], "Type=oneshot", f'ExecStart=/opt/shoectl/bin/python -c "{USB}"', *lines[at:]])
    must(inside, "sh", "-c", 'printf %s "$1" > /run/systemd/system/usb-probe.service', "sh", probe + "\n")
    must(inside, "systemctl", "daemon-reload")
    done = inside.call("systemctl", "start", "usb-probe")
    said = must(inside, "journalctl", "-u", "usb-probe", "-n", "4", "--no-pager", "-o", "cat").strip()
    if done.returncode or not re.search(r"^usb \d+$", said, re.MULTILINE):
        raise Failed(f"USB in the sandbox: {said.splitlines()[:3]}")


def undo(inside: Container) -> None:
    """Nothing is left of it but the user and what people made."""
    must(inside, "shoectl", "install", "--undo")
    left = inside.call("find", "/etc", "-name", "*shoectl*", "-o", "-path", "*shoectl*").stdout.split()
    if left:
        raise Failed(f"left behind: {left}")
    must(inside, "test", "-e", "/var/lib/shoectl/table.journal")
    if inside.call("systemctl", "cat", "shoectl").returncode == 0:
        raise Failed("systemd still knows the unit")


def main() -> int:
    """Every step with its time."""
    missing = [one for one in ("mmdebstrap", "systemd-analyze", "unshare", "nsenter") if shutil.which(one) is None]
    if os.geteuid() != 0 or missing:
        print(f"as root, with mmdebstrap and systemd ({', '.join(missing) or 'not root'})", file=sys.stderr)
        return CANNOT
    CACHE.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"== {time.monotonic() - began:5.1f} s  {text}", flush=True)

    try:
        return _steps(say)
    except (Failed, NoContainer, subprocess.TimeoutExpired) as error:
        say(f"FAILED: {error}")
        return 1


def _steps(say: Callable[[str], None]) -> int:
    release = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    root = tree(release[1] if release else "stable")
    say("a fresh Debian")
    prepare(root, wheels())
    say("the wheel is in /opt/shoectl")
    with container(root) as inside:
        say("its own systemd is up")
        install(inside)
        say("installed by the guide")
        say(f"unit verified, exposure {unit(inside)}")
        usb(inside)
        say("libusb and ctypes work in the unit's sandbox")
        serve(inside)
        say("served: active, status, log with fields, reload, watchdog, stop; the journal's chain holds")
        undo(inside)
        say("undone: the journal stays, and the user")
    return 0


if __name__ == "__main__":
    sys.exit(main())
