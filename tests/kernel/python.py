"""The guest's Python: the packages of requirements.txt for its version, this tree, and all of it compiled."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.kernel.debian import NotHere, run_in

ROOT = Path(__file__).parents[2]
FOLDERS = ("shoectl", "protocols", "firmware_sim", "udev", "tests/kernel/boot", "tests/kernel/guest")
RUN = Path("tests", "kernel", "guest")
"""What the guest runs, each file of it. Of the other tests it has what these import, and what those do."""

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux2010_x86_64")


def version_of(root: Path) -> str:
    """`3.11`"""
    (found,) = (root / "usr" / "bin").glob("python3.[0-9]*")
    return found.name.removeprefix("python")


def install(version: str, to: Path) -> None:
    """Packages for another Python than ours: by their hashes, or, where those are not to be had, by the ranges."""
    ranges = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    by_hash = _pip(version, to, "--no-deps", "--require-hashes", "-r", str(ROOT / "requirements.txt"))
    if by_hash.returncode == 0:
        return
    if "DO NOT MATCH THE HASHES" in by_hash.stderr:
        raise NotHere(f"packages for the guest: {by_hash.stderr.strip()}")
    by_range = _pip(version, to, *ranges)
    if by_range.returncode:
        raise NotHere(f"packages for the guest's Python {version}: {by_range.stderr.strip().splitlines()[-1]}")


def _pip(version: str, to: Path, *words: str) -> subprocess.CompletedProcess[str]:
    shutil.rmtree(to, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile"]
    command += ["--target", str(to), "--only-binary=:all:", "--implementation", "cp", "--python-version", version]
    command += [word for platform in PLATFORMS for word in ("--platform", platform)]
    return subprocess.run([*command, *words], capture_output=True, text=True)


def copy_tree(to: Path) -> None:
    """This working tree, as far as the guest needs it. What did not change stays as it was, compiled."""
    wanted = {file: ROOT / file for folder in FOLDERS for file in _files(Path(folder))}
    wanted |= {file: ROOT / file for file in _imported((ROOT / RUN).glob("*.py"))}
    for old in [path for path in to.rglob("*") if path.is_file() and path.suffix != ".pyc"]:
        if old.relative_to(to) not in wanted and ".dist-info" not in str(old):
            old.unlink()
    for file, source in wanted.items():
        target = to / file
        if not target.exists() or target.stat().st_mtime != source.stat().st_mtime:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    _tell_what_it_is(to)


def _imported(files: Iterable[Path]) -> set[Path]:
    """All modules of the tests that these files import, however far away, and the packages that they are in."""
    found: set[Path] = set()
    waiting = [module for file in files for module in _imports(file)]
    while waiting:
        parts = waiting.pop().split(".")
        if parts[0] != RUN.parts[0]:
            continue
        packages = [Path(*parts[:n], "__init__.py") for n in range(1, len(parts) + 1)]
        for file in (*packages, Path(*parts).with_suffix(".py")):
            if file not in found and (ROOT / file).is_file():
                found.add(file)
                waiting += _imports(ROOT / file)
    return found


def _imports(file: Path) -> Iterator[str]:
    """What a file imports by its full name; of `from a import b` both, for b may be a module."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{each.name}" for each in node.names))


def _files(name: Path) -> list[Path]:
    found = [path for path in (ROOT / name).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return [path.relative_to(ROOT) for path in found]


def _tell_what_it_is(to: Path) -> None:
    """What an installation would write: name, version, entry points."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    folder = to / f"{project['name']}-{project['version']}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items()) for group, each in groups.items()]
    (folder / "entry_points.txt").write_text("\n".join(lines))


def compile_all(root: Path, folder: Path, at: str) -> None:
    """Byte code by the guest's own Python, run here: in the guest it would take a minute."""
    words = ("-m", "compileall", "-q", "-s", str(folder), "-p", at, str(folder))
    done = run_in(root, f"usr/bin/python{version_of(root)}", *words, PYTHONHOME=str(root / "usr"))
    if done.returncode and "Error" in done.stderr:
        raise NotHere(f"the guest's Python does not run here: {done.stderr.strip().splitlines()[-1]}")
