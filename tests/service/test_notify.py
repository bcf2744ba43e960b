"""Word to the service manager, at a real datagram socket."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from shoectl.service.notify import Notify

from .manager import Manager


def test_what_is_said_is_what_sd_notify_says(tmp_path: Path) -> None:
    with Manager(tmp_path) as manager:
        notify = Notify.of(manager.environment())
        notify.status("round 3:\nwaiting for the dealer")
        notify.ready()
        notify.alive()
        with notify.reloading():
            said = manager.hear()
            assert said[:4] == ["STATUS=round 3: waiting for the dealer", "READY=1", "WATCHDOG=1", "RELOADING=1"]
            assert said[4].startswith("MONOTONIC_USEC=")
        notify.stopping()
        assert manager.hear() == ["READY=1", "STOPPING=1"]


def test_a_name_without_a_file_is_spoken_to_as_well() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind("\0shoectl-test-" + str(os.getpid()))
        Notify.of({"NOTIFY_SOCKET": f"@shoectl-test-{os.getpid()}"}).ready()
        assert line.recv(100) == b"READY=1"


def test_without_a_manager_nothing_is_said_and_nothing_fails(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "gone")}, {"NOTIFY_SOCKET": "vsock:2:1"}):
        notify = Notify.of(environment)
        notify.ready()
        with notify.reloading():
            notify.stopping()
    assert not Notify.of({})
    assert Notify.of({}).watchdog is None


def test_a_manager_that_does_not_listen_holds_nobody_up(tmp_path: Path) -> None:
    with Manager(tmp_path) as manager:
        notify = Notify.of(manager.environment())
        for _ in range(2_000):  # more than any socket holds
            notify.alive()
        assert 0 < len(manager.hear()) < 2_000


def test_signs_of_life_are_given_only_by_the_process_that_is_asked_for_them(tmp_path: Path) -> None:
    with Manager(tmp_path) as manager:
        asked = manager.environment(watchdog=2.5)
        assert Notify.of(asked).watchdog == 2.5
        assert Notify.of({**asked, "WATCHDOG_PID": str(os.getpid())}).watchdog == 2.5
        assert Notify.of({**asked, "WATCHDOG_PID": "1"}).watchdog is None
        assert Notify.of({**asked, "WATCHDOG_USEC": "0"}).watchdog is None
