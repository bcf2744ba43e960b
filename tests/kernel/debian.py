"""Debian packages for the guest, unpacked into a folder: by an apt of our own that asks the machine's archive.

Nothing is installed, no right is needed, and the machine's own package lists stay as they are. Where the archive is
comes from the machine's apt configuration.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LINUX = "linux-image-amd64"  # the cloud kernel has no USB
GUEST = (
    "udev", "kmod", "python3", "libusb-1.0-0", "busybox-static", "dash", "coreutils", "sed", "grep", "libc-bin",
    "base-passwd", "passwd", "libstdc++6",
)  # fmt: skip
CHECKER = ("udev", "libc6")
DRIVERS = ("drivers/usb", "drivers/hid")
NEXT = {"bookworm": "trixie"}  # where `udevadm verify` is, for releases that have none
VERIFIES_FROM = 254
UNUSED = (
    "usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian", "usr/share/perl5",
    "usr/share/i18n", "usr/share/zoneinfo", "usr/share/bash-completion", "usr/lib/udev/hwdb.d", "var/lib",
)  # fmt: skip
UNUSED_PYTHON = ("test", "idlelib", "lib2to3", "ensurepip", "tkinter", "turtledemo", "distutils", "pydoc_data")


class NotHere(Exception):
    """The test cannot run on this machine. One line: what is missing, and what to do."""


@dataclass(frozen=True)
class Archive:
    """A release of Debian, as the machine's apt reaches it. `folder` holds lists and packages."""

    release: str
    folder: Path
    sources: str

    def apt(self, *words: str, cwd: Path | None = None) -> str:
        """Run an apt tool with a state of its own. Raises NotHere with what it said last."""
        state, sources = self.folder / "state", self.folder / "archive.sources"
        for each in (state / "lists" / "partial", self.folder / "cache" / "archives" / "partial"):
            each.mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        options = {
            "Dir::State": state, "Dir::State::lists": state / "lists", "Dir::State::status": state / "status",
            "Dir::Cache": self.folder / "cache", "Dir::Etc::SourceList": sources, "Dir::Etc::SourceParts": "/dev/null",
            "Debug::NoLocking": "1", "APT::Sandbox::User": "", "APT::Install-Recommends": "0",
            "Acquire::Languages": "none", "Acquire::Retries": "3",
        }  # fmt: skip
        said = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        done = subprocess.run([words[0], *said, *words[1:]], cwd=cwd, capture_output=True, text=True)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            raise NotHere(f"{words[0]} {words[1]} for Debian {self.release} failed: {lines[-1]}")
        return done.stdout

    def update(self) -> None:
        """Fetch the package lists."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "archive.sources").write_text(self.sources)
        self.apt("apt-get", "update", "-qq")

    def fetch(self, packages: Sequence[str]) -> list[Path]:
        """Packages with all that they depend on."""
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        self.apt("apt-get", "install", "-qq", "-y", "--download-only", *packages)
        return sorted((self.folder / "cache" / "archives").glob("*.deb"))

    def fetch_alone(self, package: str) -> Path:
        """One package, without what it depends on."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.apt("apt-get", "download", "-qq", package, cwd=Path(folder))
            (found,) = Path(folder).glob("*.deb")
            return found.rename(self.folder / found.name)

    def linux(self) -> str:
        """The kernel that the release has now."""
        told = self.apt("apt-cache", "depends", "--important", LINUX)
        found = re.search(r"Depends: (linux-image-\S+)", told)
        if found is None:
            raise NotHere(f"Debian {self.release} has no {LINUX} here: the test wants an amd64 archive")
        return found[1]


def release_of_this_machine() -> str:
    """Its code name. Raises NotHere where it is no Debian for amd64."""
    told = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', Path("/etc/os-release").read_text(), re.MULTILINE))
    if told.get("ID") != "debian" or shutil.which("apt-get") is None:
        raise NotHere("the test makes its guest out of Debian packages and wants a Debian machine (12 or newer)")
    if os.uname().machine != "x86_64":
        raise NotHere(f"the test wants an x86_64 machine, this is {os.uname().machine}")
    return told["VERSION_CODENAME"]


def archive(folder: Path, release: str) -> Archive:
    """The archive of a release: the machine's own sources of it, or those of its own release with the name changed."""
    mine = release_of_this_machine()
    sources = sources_of(mine)
    if not sources:
        raise NotHere(f"no apt source of Debian {mine} is set up in /etc/apt")
    if release != mine:
        sources = re.sub(rf"\b{mine}\b", release, sources)
    return Archive(release, folder / f"apt-{release}", sources)


def sources_of(release: str, apt: Path = Path("/etc/apt")) -> str:
    """The sources of a release among those that are set up, as one file in the newer of the two forms."""
    stanzas = []
    for file in sorted(apt.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", file.read_text()):
            suites = re.search(r"^Suites:(.*)$", stanza, re.MULTILINE)
            if suites and any(suite.split("-")[0] == release for suite in suites[1].split()):
                stanzas.append("\n".join(line for line in stanza.splitlines() if line and not line.startswith("#")))
    for file in [apt / "sources.list", *sorted(apt.glob("sources.list.d/*.list"))]:
        lines = file.read_text().splitlines() if file.exists() else []
        for line in lines:
            found = re.match(r"deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.+)", line)
            if found and found[3].split("-")[0] == release:
                signed = re.search(r"signed-by=(\S+)", found[1] or "")
                by = f"\nSigned-By: {signed[1]}" if signed else ""
                stanzas.append(f"Types: deb\nURIs: {found[2]}\nSuites: {found[3]}\nComponents: {found[4]}{by}")
    return "\n\n".join(stanzas) + "\n" if stanzas else ""


def unpack(packages: Sequence[Path], root: Path, *only: str) -> None:
    """Unpack packages below a folder; `only` members that these patterns fit."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        if not (root / name).is_symlink():
            (root / name).symlink_to(f"usr/{name}")
    for package in packages:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as reading:
            words = ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", str(root)]
            if only:
                words += ["--wildcards", *only]
            done = subprocess.run(words, stdin=reading.stdout, capture_output=True, text=True)
        if done.returncode or reading.returncode:
            raise NotHere(f"{package.name} does not unpack: {done.stderr.strip()}")


def unpack_guest(found: Archive, root: Path) -> str:
    """The guest's files, and its kernel as `boot/vmlinuz-*` beside its drivers; the kernel's version."""
    shutil.rmtree(root, ignore_errors=True)
    found.update()
    unpack(found.fetch(GUEST), root)
    linux = found.fetch_alone(found.linux())
    wanted = [f"./lib/modules/*/kernel/{folder}/*" for folder in DRIVERS]
    unpack([linux], root, "./boot/vmlinuz-*", "./lib/modules/*/modules.*", *wanted)
    linux.unlink()
    shutil.rmtree(found.folder)
    for name in UNUSED:
        shutil.rmtree(root / name, ignore_errors=True)
    for name in UNUSED_PYTHON:
        for path in (root / "usr" / "lib").glob(f"python3.*/{name}"):
            shutil.rmtree(path)
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    return kernel.name.removeprefix("vmlinuz-")


def run_in(root: Path, program: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program of an unpacked tree on this machine, with the tree's own libraries."""
    libraries = "usr/lib/x86_64-linux-gnu"
    path = f"{root / libraries}:{root / libraries / 'systemd'}"
    loader = root / "usr" / "lib64" / "ld-linux-x86-64.so.2"
    command = [str(loader), "--library-path", path, str(root / program), *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})


def systemd_version(root: Path) -> int:
    """Of the udev in a tree."""
    return int(run_in(root, "usr/bin/udevadm", "--version").stdout.strip() or 0)


def fingerprint() -> str:
    """Changes when what is unpacked would."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
