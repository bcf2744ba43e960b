"""What the guest is made of: where its packages come from, and its files as the kernel reads them."""

import os
import stat
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from protocols.family import families
from tests.kernel.debian import sources_of
from tests.kernel.guest.__main__ import TABLES
from tests.kernel.initrd import write
from tests.kernel.python import ROOT, RUN, copy_tree

NEW = """# a comment
Types: deb
URIs: http://archive.example/debian
Suites: bookworm bookworm-updates
# another
Components: main
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: https://others.example/apt
Suites: nodistro
Components: main
"""
OLD = """deb [arch=amd64 signed-by=/usr/share/keyrings/archive.gpg] http://archive.example/debian bookworm main contrib
deb-src http://archive.example/debian bookworm main
deb https://others.example/apt others-bookworm main
"""


def test_each_family_is_at_a_table_of_the_guest() -> None:
    assert {device.partition("?")[0] for devices in TABLES for device in devices} == set(families())


@pytest.mark.parametrize(("name", "text"), [("sources.list.d/debian.sources", NEW), ("sources.list", OLD)])
def test_packages_come_from_where_the_machine_has_its_own_release_from(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / name).write_text(text)
    found = sources_of("bookworm", tmp_path).splitlines()
    assert "URIs: http://archive.example/debian" in found
    assert "Signed-By: /usr/share/keyrings/archive.gpg" in found
    assert not [line for line in found if "others" in line or "deb-src" in line or line.startswith("#")]
    assert sources_of("trixie", tmp_path) == ""


def members(data: bytes) -> dict[str, tuple[int, int, int, bytes]]:
    """Mode, owner, time and content by name, as the kernel's documentation has the format (cpio, newc)."""
    found, at = {}, 0
    while at < len(data):
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name = data[at + 110 : at + 110 + fields[11] - 1].decode()
        at += (110 + fields[11] + 3) // 4 * 4
        if name != "TRAILER!!!":
            found[name] = (fields[1], fields[2] + fields[3], fields[5], data[at : at + fields[6]])
        at += (fields[6] + 3) // 4 * 4
    return found


def test_the_kernel_reads_the_files_as_they_are_and_as_those_of_root(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tool").write_bytes(b"\x00\x01\x02")
    (tmp_path / "bin" / "tool").chmod(0o755)
    os.utime(tmp_path / "bin" / "tool", (1e9, 1e9))
    (tmp_path / "sbin").symlink_to("bin")
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "kernel").touch()
    file = BytesIO()
    write(file, tmp_path, leave=("boot",))
    write(file, tmp_path / "boot", "opt/here")
    found = members(file.getvalue())
    assert set(found) == {"bin", "bin/tool", "sbin", "opt", "opt/here", "opt/here/kernel"}
    assert found["bin/tool"] == (stat.S_IFREG | 0o755, 0, 1_000_000_000, b"\x00\x01\x02")
    assert (stat.S_ISLNK(found["sbin"][0]), found["sbin"][3]) == (True, b"bin")
    assert all(stat.S_ISDIR(found[name][0]) for name in ("bin", "opt", "opt/here"))


def test_what_the_guest_runs_has_all_that_it_imports_and_needs_no_test_tool(tmp_path: Path) -> None:
    copy_tree(tmp_path)
    assert (tmp_path / "tests" / "kernel" / "boot" / "init").is_file()
    run = sorted((ROOT / RUN).glob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in run]
    words = (
        "import sys, importlib; sys.modules['pytest'] = None\nfor name in sys.argv[1:]: importlib.import_module(name)"
    )
    command = [sys.executable, "-c", words, *names]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(run) > 3
