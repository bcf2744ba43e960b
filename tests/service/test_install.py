"""`shoectl install` from a wheel, below a folder: what it lays is good, and undoing it leaves the tree as it was."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shoectl.cli import run
from shoectl.config import load

ROOT = Path(__file__).parents[2]
UNIT = "etc/systemd/system/shoectl.service"
SCORE_MOST = 2.0  # of `systemd-analyze security`: 0 is no exposure, 10 all


def tree(root: Path) -> Mapping[str, tuple[int, bytes]]:
    """Every path with its mode and content."""
    return {
        str(path.relative_to(root)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in root.rglob("*")
    }


def called(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **more}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env, cwd=ROOT)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with a fresh environment in /opt/shoectl, into which the wheel was installed."""
    root = tmp_path_factory.mktemp("system")
    wheels, opt = tmp_path_factory.mktemp("wheels"), root / "opt" / "shoectl"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    made = called([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)])
    assert made.returncode == 0, made.stderr
    (wheel,) = wheels.glob("shoectl-*.whl")
    assert called([sys.executable, "-m", "venv", "--without-pip", str(opt)]).returncode == 0
    installed = called([*pip, "--python", str(opt), "install", "--no-deps", "--no-index", "--no-compile", str(wheel)])
    assert installed.returncode == 0, installed.stderr
    # what it depends on is taken from here; the project itself is not, for that folder's own .pth is not read
    (site,) = opt.glob("lib/python3.*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return root


def shoectl(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return called([str(root / "opt" / "shoectl" / "bin" / "shoectl"), *words], PYTHONDONTWRITEBYTECODE="1")


def copy_of(system: Path, folder: Path) -> Path:
    """A tree to install into, with the same program in it."""
    (folder / "opt").mkdir(parents=True)
    (folder / "opt" / "shoectl").symlink_to(system / "opt" / "shoectl")
    return folder


def install(system: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return shoectl(system, "install", "--root", str(root), "--program", "/opt/shoectl/bin/shoectl", *words)


def test_a_wheel_lays_all_and_undoing_it_leaves_the_tree_as_it_was(system: Path, tmp_path: Path) -> None:
    root = copy_of(system, tmp_path / "root")
    (root / "etc").mkdir()
    before = tree(root)
    dry = install(system, root, "--dry-run")
    assert dry.stdout.count("would write") == 6
    assert tree(root) == before
    done = install(system, root)
    assert done.returncode == 0, done.stderr
    for rules in (ROOT / "udev").glob("*.rules"):
        assert (root / "etc/udev/rules.d" / rules.name).read_bytes() == rules.read_bytes()
    assert (
        "ExecStart=/opt/shoectl/bin/shoectl run --config /etc/shoectl/table.toml --json\n" in (root / UNIT).read_text()
    )
    assert "@" not in re.sub(r"~?@(system-service|privileged|resources)", "", (root / UNIT).read_text())
    assert load(root / "etc/shoectl/table.toml").upkeep.backup == "/var/lib/shoectl/backup"
    assert shoectl(system, "check", "--config", str(root / "etc/shoectl/table.toml")).returncode == 0
    again = install(system, root)
    assert again.stdout.startswith("everything is there already")
    undone = shoectl(system, "install", "--undo", "--root", str(root))
    assert undone.returncode == 0, undone.stderr
    assert tree(root) == before
    twice = shoectl(system, "install", "--undo", "--root", str(root))
    assert (twice.returncode, len(twice.stderr.splitlines())) == (2, 1)


def test_what_somebody_changed_is_neither_replaced_nor_removed(system: Path, tmp_path: Path) -> None:
    root = copy_of(system, tmp_path / "root")
    install(system, root)
    config, unit = root / "etc/shoectl/table.toml", root / UNIT
    config.write_text(config.read_text() + "\n[house]\n")
    mine = config.read_bytes()
    assert install(system, root).returncode == 0
    assert config.read_bytes() == mine
    unit.write_text(unit.read_text() + "# mine\n")
    refused = install(system, root)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "was changed since it was installed" in refused.stderr
    undone = shoectl(system, "install", "--undo", "--root", str(root))
    assert undone.stdout.count("was changed, it stays") == 2
    assert {path for path in tree(root) if (root / path).is_file() and not path.startswith("opt")} == {
        UNIT,
        "etc/shoectl/table.toml",
    }


def test_an_upgrade_replaces_what_is_as_it_was_installed(system: Path, tmp_path: Path) -> None:
    root = copy_of(system, tmp_path / "root")
    install(system, root)
    manifest = root / "etc/shoectl/installed.json"
    before = json.loads(manifest.read_text())
    done = install(system, root, "--user", "alice")
    assert [line for line in done.stdout.splitlines() if line.startswith("wrote")] == [
        "wrote /etc/systemd/system/shoectl.service",
        "wrote /etc/sysusers.d/shoectl.conf",
        "wrote /etc/tmpfiles.d/shoectl.conf",
    ]
    assert "User=alice" in (root / UNIT).read_text()
    assert json.loads(manifest.read_text())["files"].keys() == before["files"].keys()
    shoectl(system, "install", "--undo", "--root", str(root))
    assert not (root / "etc").exists()


def test_a_file_of_somebody_else_is_in_the_way_before_anything_is_written(system: Path, tmp_path: Path) -> None:
    root = copy_of(system, tmp_path / "root")
    (root / "etc/sysusers.d").mkdir(parents=True)
    (root / "etc/sysusers.d/shoectl.conf").write_text("u shoectl 99\n")
    before = tree(root)
    refused = install(system, root)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "is none of ours" in refused.stderr
    assert tree(root) == before


@pytest.mark.parametrize(
    ("program", "says"),
    [("bin/shoectl", "no such program"), ("/home/me/venv/bin/shoectl", "does not look below /home")],
)
def test_a_program_that_the_service_would_not_find_is_refused(
    system: Path, tmp_path: Path, program: str, says: str
) -> None:
    refused = shoectl(system, "install", "--root", str(tmp_path), "--program", program)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert says in refused.stderr


def test_on_the_machine_itself_only_root_installs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert run(["install"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("shoectl: only root installs on this machine")
    assert len(said.err.splitlines()) == 1
    assert run(["install", "--undo"]) == 2


def verified(system: Path, folder: Path) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A tree with the unit, the targets that it names and the programs that it starts; what the checker says of it."""
    root = copy_of(system, folder)
    assert install(system, root).returncode == 0
    units = root / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for target in ("basic", "multi-user", "network", "shutdown", "sysinit", "time-sync"):
        shutil.copy(f"/usr/lib/systemd/system/{target}.target", units)
    (root / "bin").mkdir()
    shutil.copy("/bin/sh", root / "bin")
    (root / "opt/shoectl").unlink()
    (root / "opt/shoectl/bin").mkdir(parents=True)
    shutil.copy("/bin/true", root / "opt/shoectl/bin/shoectl")  # the checker follows no link out of the tree
    return root, called(["systemd-analyze", "verify", "--man=no", f"--root={root}", "shoectl.service"])


def test_the_unit_is_good_and_exposes_little(system: Path, tmp_path: Path) -> None:
    root, said = verified(system, tmp_path / "root")
    assert (said.returncode, said.stdout + said.stderr) == (0, "")
    wrong = root / UNIT
    wrong.write_text(wrong.read_text().replace("Type=notify", "Type=notified"))
    assert (
        "service type" in called(["systemd-analyze", "verify", "--man=no", f"--root={root}", "shoectl.service"]).stderr
    )
    wrong.write_text(wrong.read_text().replace("Type=notified", "Type=notify"))
    security = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--root={root}", "shoectl.service"]
    score = re.search(r"exposure level for shoectl.service: ([0-9.]+)", called(security).stdout)
    assert score is not None
    assert float(score[1]) <= SCORE_MOST


def test_users_and_folders_are_what_their_tools_take(system: Path, tmp_path: Path) -> None:
    root = copy_of(system, tmp_path / "root")
    install(system, root)
    said = called(["systemd-sysusers", "--dry-run", f"--root={root}", "shoectl.conf"])
    assert said.returncode == 0, said.stderr
    assert "shoectl" in said.stderr + said.stdout
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nshoectl:x:990:990::/var/lib/shoectl:/bin/false\n")
    (root / "etc/group").write_text("root:x:0:\nshoectl:x:990:\n")
    (root / "var/lib").mkdir(parents=True)
    done = called(["systemd-tmpfiles", "--create", f"--root={root}", "shoectl.conf"])
    assert done.returncode == 0, done.stderr
    for folder, mode in (("var/lib/shoectl", 0o700), ("var/lib/shoectl/backup", 0o700), ("etc/credstore", 0o700)):
        assert (root / folder).stat().st_mode & 0o777 == mode
    assert (root / "etc/shoectl/table.toml").stat().st_mode & 0o777 == 0o640
    assert (root / "var/lib/shoectl").stat().st_uid == (990 if os.geteuid() == 0 else os.geteuid())


def test_an_empty_root_is_not_this_machine(command: Any) -> None:
    code, out, err = command("install", "--dry-run", "--root", "")
    assert (code, out) == (2, "")
    assert "--root" in err
    assert "it is empty; a folder, or leave --root out for this machine" in err
