"""`make test-kernel`: simulated devices at a real kernel, with a real udev, driven by an unprivileged daemon.

Boots a Debian kernel in QEMU. In it the simulator serves its devices over USB/IP, the kernel attaches them (vhci_hcd)
and finds its drivers for them (cdc_acm, ftdi_sio, hidraw, none), udev names them by our rules, and shoectl plays rounds
with them. Needs Debian (amd64) and QEMU, which it installs where it may. What was fetched is kept in .make/kernel.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kernel import debian, initrd, machine, python
from tests.kernel.debian import NotHere

CACHE = python.ROOT / ".make" / "kernel"
RULES = python.ROOT / "udev"
OPT = "/opt"
GUEST_WITHIN_S = 900.0  # it takes two minutes where the machine is its own
CANNOT, FAILED = 2, 1


@dataclass
class Report:
    """The cases, as they end."""

    began: float
    cases: list[dict[str, Any]]
    ended: bool = False

    def say(self, text: str) -> None:
        """Progress, with the time since the start."""
        print(f"== {time.monotonic() - self.began:5.1f} s  {text}", flush=True)

    def case(self, name: str, ok: bool, seconds: float, said: str = "") -> None:
        """One case."""
        self.cases.append({"name": name, "ok": ok, "seconds": seconds})
        print(f"{'ok    ' if ok else 'FAILED'} {seconds:6.1f} s  {name}", flush=True)
        for line in said.splitlines():
            print(f"                  {line}", flush=True)

    def heard(self, told: dict[str, Any]) -> None:
        """A line of the guest."""
        match told:
            case {"case": str(name), "ok": bool(ok), "seconds": seconds}:
                self.case(name, ok, float(seconds), str(told.get("said", "")))
            case {"note": str(text)}:
                self.say(text)
            case {"end": True}:
                self.ended = True


def main() -> int:
    """The command; the exit code is 0 where every case passed, 1 where one failed, 2 where it cannot run here."""
    parser = argparse.ArgumentParser(prog="make test-kernel", description=__doc__)
    parser.add_argument("--release", help="Debian release of the guest (code name); this machine's is usual")
    parser.add_argument("--only", default="", help="only cases with this word in their names")
    wish = parser.parse_args()
    report = Report(time.monotonic(), [])
    try:
        _tools(report)
        release = wish.release or debian.release_of_this_machine()
        root, site = _guest(report, release)
        _rules(report, root, release)
        _boot(report, root, site, wish.only)
    except NotHere as missing:
        print(f"test-kernel: {missing}", file=sys.stderr)
        return CANNOT
    failed = [each["name"] for each in report.cases if not each["ok"]]
    print(f"\n{len(report.cases) - len(failed)} passed, {len(failed)} failed, {time.monotonic() - report.began:.0f} s")
    for name in failed:
        print(f"  {name}")
    return FAILED if failed else 0


def _tools(report: Report) -> None:
    """QEMU, installed where we may."""
    if shutil.which(machine.QEMU):
        return
    debian.release_of_this_machine()
    packages = ["qemu-system-x86", "seabios"]
    if os.getuid() != 0 and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode != 0:
        raise NotHere(f"QEMU is missing: apt-get install --no-install-recommends {' '.join(packages)}")
    root = [] if os.getuid() == 0 else ["sudo"]
    report.say("installing QEMU")
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
        done = subprocess.run([*root, "apt-get", *words], capture_output=True, text=True)
        if done.returncode:
            raise NotHere(f"apt-get {words[0]} failed: {done.stderr.strip().splitlines()[-1]}")


def _guest(report: Report, release: str) -> tuple[Path, Path]:
    """The guest's root and its Python packages, made once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    root, site = CACHE / f"root-{release}-{debian.fingerprint()}", CACHE / f"site-{release}"
    if not (CACHE / f"{root.name}.done").exists():
        report.say(f"fetching Debian {release}: kernel, udev, Python, libusb")
        for old in CACHE.glob(f"root-{release}-*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        debian.unpack_guest(debian.archive(CACHE, release), root)
        python.compile_all(root, *_standard_library(root))
        (CACHE / f"{root.name}.done").touch()
    version = python.version_of(root)
    stamp = CACHE / f"{site.name}.done"
    mark = f"{version} {(python.ROOT / 'requirements.txt').stat().st_mtime}"
    if not stamp.exists() or stamp.read_text() != mark:
        report.say(f"installing packages for the guest's Python {version}")
        python.install(version, site)
        python.compile_all(root, site, f"{OPT}/site")
        stamp.write_text(mark)
    return root, site


def _standard_library(root: Path) -> tuple[Path, str]:
    at = f"usr/lib/python{python.version_of(root)}"
    return root / at, f"/{at}"


def _rules(report: Report, root: Path, release: str) -> None:
    """`udevadm verify`, by the guest's udev if it has that, else by that of the next release."""
    checker = root
    if debian.systemd_version(root) < debian.VERIFIES_FROM:
        newer = debian.NEXT.get(release)
        if newer is None:
            raise NotHere(f"no release is known that has `udevadm verify` for Debian {release}")
        checker = CACHE / f"udev-{newer}"
        if not (CACHE / f"{checker.name}.done").exists():
            report.say(f"fetching the udev of Debian {newer}, which can verify rules")
            archive = debian.archive(CACHE, newer)
            archive.update()
            debian.unpack(archive.fetch(debian.CHECKER), checker)
            shutil.rmtree(checker / "usr" / "share")
            shutil.rmtree(archive.folder)
            (CACHE / f"{checker.name}.done").touch()
    began = time.monotonic()
    files = [str(file) for file in sorted(RULES.glob("*.rules"))]
    done = debian.run_in(checker, "usr/bin/udevadm", "verify", "--resolve-names=never", "--no-summary", *files)
    name = f"rules: udevadm verify (systemd {debian.systemd_version(checker)}) has nothing to say"
    report.case(name, done.returncode == 0, time.monotonic() - began, done.stdout + done.stderr)


def _boot(report: Report, root: Path, site: Path, only: str) -> None:
    """Put this tree in and start it."""
    tree, image, console = CACHE / "tree", CACHE / "initrd", CACHE / "console.log"
    python.copy_tree(tree)
    python.compile_all(root, tree, f"{OPT}/shoectl")
    (tree / "only").write_text(only)
    with image.open("wb") as file:
        initrd.write(file, root, leave=("boot",))
        initrd.write(file, site, f"{OPT}/site")
        initrd.write(file, tree, f"{OPT}/shoectl")
        initrd.write(file, tree / "tests" / "kernel" / "boot")
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    report.say(f"booting Linux {kernel.name.removeprefix('vmlinuz-')}")
    began = time.monotonic()
    for told in machine.run(kernel, image, console, GUEST_WITHIN_S):
        report.heard(told)
    if not report.ended:
        report.case("the guest comes to its end", False, time.monotonic() - began, machine.last_words(console))


if __name__ == "__main__":
    sys.exit(main())
