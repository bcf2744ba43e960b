"""`shoesim` as a process on real pseudo-terminals: how it begins, what it answers, how it ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sim.process import PATIENCE, Control, Port, run, shoesim, terminal


def test_a_table_on_real_terminals(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--speed", "max", "--person", "none", "--control", str(tmp_path / "control")]
    with shoesim("alder", "birch", *words, "--truth", str(tmp_path / "truth"), "--seed", "7") as (process, ready):
        assert ready == {
            "ready": True,
            "devices": [
                {"family": "alder", "name": "alder", "url": f"serial://{tmp_path}/alder?baud=57600",
                 "serial": "AL000117"},
                {"family": "birch", "name": "birch", "url": f"serial://{tmp_path}/birch?baud=38400&address=3",
                 "serial": "BI000003"},
            ],
            "control": str(tmp_path / "control"),
        }  # fmt: skip
        control = Control(ready["control"])
        with terminal("alder", str(tmp_path / "alder")) as alder:
            alder.until(lambda: alder.names().count("STATE") >= 2)
            assert alder.ask("SHUFFLE_START", 1, mode=1, deck=0, expected=52).ok
            alder.until(lambda: "CMD_DONE" in alder.names())
            assert alder.ask("PRESENT", 2, deck=0, override_by=0).ok
            assert control(do="take", id="a", device="alder") == {"ok": True, "moved": 52, "id": "a"}
        with terminal("birch", str(tmp_path / "birch")) as birch:
            assert birch.ask("LOAD_BEGIN", 1, decks=1, expected=52, set_id="00" * 8, cut=0).ok
            assert control(do="fill", id="b", device="birch", **{"from": "hand"})["moved"] == 52
            assert birch.ask("LOAD_END", 2).ok
            assert birch.ask("ARM", 3, round=1, lease=2).ok
            assert control(do="draw", id="c", device="birch", to=["seat 1", "seat 2"])["moved"] == 2
            birch.until(lambda: birch.names().count("CARD_DRAWN") == 2)
        assert control(look="seat 1", lift=True)["count"] == 1
        assert [device["state"] for device in control(state=True)["devices"]] == ["EMPTY", "LOADED"]
        assert control(fault="alder:jam@card=2") == {"ok": True}
        assert control(fault="flood")["ok"] is False
        assert control(stop="draw") == {"ok": True, "ended": False}
        assert control(nonsense=1)["ok"] is False
        process.send_signal(signal.SIGTERM)  # with a client still there
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert process.stderr.read() == ""
        control.close()
    assert not (tmp_path / "alder").is_symlink()
    assert not (tmp_path / "control").exists()
    assert len((tmp_path / "truth").read_text().splitlines()) >= 52 * 4


def test_a_killed_simulator_comes_back_at_the_same_path_as_devices_after_a_power_cut(tmp_path: Path) -> None:
    words = ["alder", "--pty", str(tmp_path / "port"), "--state", str(tmp_path / "state"), "--speed", "10"]
    with shoesim(*words) as (process, _):
        with terminal("alder", str(tmp_path / "port")) as port:
            port.until(lambda: port.names().count("STATE") >= 2)
            assert port.ask("SHUFFLE_START", 1, mode=1, deck=0, expected=52).ok
            port.until(lambda: port.names().count("STATE") >= 3)
        process.kill()
        process.wait(PATIENCE)
    assert (tmp_path / "port").is_symlink()
    with shoesim(*words), terminal("alder", str(tmp_path / "port")) as port:
        port.until(lambda: "CMD_DONE" in port.names())
        assert port.names()[-4:] == ["POWER_UP", "SHUFFLE_DONE", "CMD_DONE", "STATE"] or port.names()[-1] == "CMD_DONE"
        assert port.ask("RESULT", 9, of=1).body == {"of_type": 0x10, "of_result": 1}


def test_where_a_disk_takes_no_more_it_ends_in_one_line_and_comes_back_with_every_card(tmp_path: Path) -> None:
    state, truth = tmp_path / "state", tmp_path / "truth"
    words = ["birch", "--pty", str(tmp_path / "birch"), "--control", str(tmp_path / "control"), "--person", "none"]
    words += ["--state", str(state), "--speed", "max", "--truth", str(truth)]
    with shoesim(*words) as (process, ready):
        full = (state / "cards.jsonl").stat().st_size + 1000  # some lines, and half of another one
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (full, full))
        control = Control(ready["control"])
        with pytest.raises(ValueError, match="Expecting value"):  # it ends, and the line with it
            control(do="move", id="a", **{"from": "rack", "to": "seat 1"})
        assert process.wait(PATIENCE) == 3
        assert process.stderr
        assert process.stderr.read() == f"shoesim: {state / 'cards.jsonl'}: No space left on device\n"
        control.close()
    moved = len(truth.read_bytes().splitlines()) - 52  # each card was laid there first
    assert 0 < moved < 52
    with shoesim(*words) as (_, ready):
        control = Control(ready["control"])
        assert control(state=True)["places"] == {"rack": 52 - moved, "seat 1": moved}
        assert control(do="move", id="a", **{"from": "rack", "to": "seat 1"})["ok"]
        control.close()
    assert [json.loads(line)["n"] for line in truth.read_bytes().splitlines()] == list(range(1, 105))


def test_a_link_left_by_a_killed_simulator_is_replaced_before_anything_is_told(tmp_path: Path) -> None:
    master, slave = os.openpty()  # who has the number now that was the dead simulator's
    os.set_blocking(master, False)
    try:
        (tmp_path / "alder").symlink_to(os.ttyname(slave))
        with shoesim("alder", "--dir", str(tmp_path), "--speed", "max"):
            assert os.readlink(tmp_path / "alder") != os.ttyname(slave)
            with terminal("alder", str(tmp_path / "alder")) as port:
                port.until(lambda: port.names().count("STATE") >= 2)  # it says by itself that it starts
                assert port.ask("STATUS", 1).ok
        with pytest.raises(BlockingIOError):
            os.read(master, 1)
        assert not (tmp_path / "alder").is_symlink()
    finally:
        os.close(master)
        os.close(slave)


def test_a_line_that_hangs_up_is_there_again_under_another_number(tmp_path: Path) -> None:
    path = tmp_path / "port"
    with shoesim("alder", "--pty", str(path), "--fault", "alder:hang_up@frame=3", "--speed", "max"):
        file, before = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), os.readlink(path)
        port = Port("alder", file)
        with pytest.raises(OSError, match=r"."):  # noqa: PT012
            for _ in range(2000):
                port.turn()
                if not os.path.lexists(path):
                    os.write(file, b"x")
        port.close()
        end = time.monotonic() + PATIENCE
        while not path.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        with terminal("alder", str(path)) as again:
            assert again.ask("STATUS", 1).ok
        assert before


def test_a_line_over_tcp_and_two_shoes_on_it() -> None:
    with shoesim("birch", "birch@4", "--tcp", "127.0.0.1:0", "--speed", "max") as (_, ready):
        urls = [device["url"] for device in ready["devices"]]
        host, _, port = urls[0].removeprefix("tcp://").partition("?")[0].rpartition(":")
        assert [url.partition("?")[2] for url in urls] == ["address=3", "address=4"]
        wire = socket.create_connection((host, int(port)), PATIENCE)
        link = Port("birch", wire, address=4)
        link.until(lambda: link.link.up)
        assert link.ask("IDENT", 0).body["serial"] == "BI000004"
        link.close()


def test_an_idle_simulator_costs_next_to_nothing(tmp_path: Path) -> None:
    with shoesim("alder", "birch", "--dir", str(tmp_path), "--speed", "max") as (process, _):

        def used() -> float:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        time.sleep(0.5)
        before = used()
        time.sleep(1.5)
        assert used() - before <= 0.03


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        f"words = ['-m', 'firmware_sim', 'alder', '--with-parent', '--dir', {str(tmp_path)!r}]\n"
        "child = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{done.stdout.strip()}").exists() and (tmp_path / "alder").is_symlink():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_fault_list_prints_them_all() -> None:
    done = run("--fault", "list")
    assert done.returncode == 0
    assert "jam  (alder, cedar)" in done.stdout
    assert run("--version").stdout.startswith("shoesim")


@pytest.mark.parametrize(
    "words",
    [
        ["alder", "--fault", "flood"],
        ["alder", "--fault", "birch:unreadable@draw=0"],
        ["elder"],
        [],
        ["alder", "alder"],
        ["birch@17"],
        ["alder@3"],
        ["alder", "--speed", "0"],
        ["alder", "--speed", "fast"],
        ["alder", "--deck", "standard-Qs-Qs"],
        ["alder", "--deck", "As Kx"],
        ["alder", "--usbip", "here"],
        ["alder", "--usbip", "127.0.0.1:0", "--pty", "x"],
        ["alder?plug=round"],
        ["cedar?plug=ftdi", "--usbip", "127.0.0.1:0"],
        ["alder", "--tcp", "here"],
        ["alder", "--person", "ghost"],
        ["alder?counts=maybe"],
        ["alder", "birch", "--pty", "x"],
        ["alder", "--pty", "x", "--dir", "y"],
        ["alder", "--warp"],
    ],
)
def test_bad_input_is_exit_2_and_one_line(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("shoesim: ")
    assert done.stderr.count("\n") == 1


def test_a_port_that_cannot_be_made_is_exit_3() -> None:
    done = run("alder", "--pty", "/nowhere/port")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
