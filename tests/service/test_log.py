"""The log as journald takes it: fields where they are known, and never a card."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import select
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from shoectl.faults import FAULTS
from shoectl.service.log import JournaldLog, datagram, is_journald, priority, told_in_log
from tests.endtoend.runs import SHOECTL, environment
from tests.session.test_simulated import table
from tests.survival.world import World
from tests.timeloop import virtual

FACE = re.compile(r"\b(?:[2-9TJQKA]|10)[shdc]\b")


def fields(sent: bytes) -> Mapping[str, str]:
    """What journald would read."""
    found: dict[str, str] = {}
    while sent:
        line, _, rest = sent.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if not equals:
            (length,) = struct.unpack("<Q", rest[:8])
            value, rest = rest[8 : 8 + length], rest[9 + length :]
        found[name.decode()] = value.decode()
        sent = rest
    return found


class Journald:
    """A socket that takes entries."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journald"
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(self.path))
        self.line.settimeout(5)

    def read(self) -> list[Mapping[str, str]]:
        """All that came."""
        found = []
        while select.select([self.line], [], [], 0)[0]:
            found.append(fields(self.line.recv(65536)))
        return found


@contextlib.contextmanager
def logging_to(folder: Path) -> Iterator[Journald]:
    """The log of this process for the time of the block."""
    journald, root = Journald(folder), logging.getLogger()
    handler, level = JournaldLog(journald.path), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield journald
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
        journald.line.close()


def test_a_record_is_one_entry_with_its_fields(tmp_path: Path) -> None:
    with logging_to(tmp_path) as journald:
        logging.getLogger("shoectl.x").warning("one\ntwo ü", extra={"device": "shoe", "fault": "JAM", "round": 3})
        (entry,) = journald.read()
    assert entry["MESSAGE"] == "one\ntwo ü"
    assert (entry["PRIORITY"], entry["SYSLOG_IDENTIFIER"], entry["LOGGER"]) == ("4", "shoectl", "shoectl.x")
    assert (entry["DEVICE"], entry["FAULT"], entry["ROUND"]) == ("shoe", "JAM", "3")
    assert "STEP" not in entry


def test_levels_are_those_of_syslog() -> None:
    levels = (logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)
    assert [priority(level) for level in levels] == [3, 3, 4, 6, 7]


def test_text_that_is_none_and_text_without_end_are_sent_all_the_same() -> None:
    record = logging.LogRecord("shoectl", logging.INFO, __file__, 1, "", None, None)
    entry = fields(datagram(record, "\udcff" + "x" * 100_000))
    assert entry["MESSAGE"].startswith("\\udcff")
    assert len(entry["MESSAGE"]) == 8_192


def test_without_journald_the_line_is_on_standard_error_with_its_priority(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = JournaldLog(tmp_path / "nobody")
    handler.emit(logging.LogRecord("shoectl", logging.WARNING, __file__, 1, "a\nline", None, None))
    handler.close()
    assert capsys.readouterr().err == "<4>a line\n"


def test_journald_is_there_only_where_it_named_this_very_stream() -> None:
    read, write = os.pipe()
    told = os.fstat(write)
    assert is_journald({"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino}"}, write)
    assert not is_journald({"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino + 1}"}, write)
    assert not is_journald({}, write)
    os.close(read)
    os.close(write)
    assert not is_journald({"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino}"}, write)


@virtual
async def test_lines_of_a_table_say_round_step_device_and_fault_and_never_a_face(tmp_path: Path) -> None:
    with logging_to(tmp_path) as journald:
        heard: list[Mapping[str, str]] = []

        async def beside(world: World) -> None:
            world.runner.listen(lambda: heard.extend(journald.read()))
            await told_in_log(world.runner, {})

        faults = ("alder:jam@card=31", "birch:unreadable@draw=3")
        world = World(tmp_path, table(), seed=3, faults=faults, disturb=beside)
        await world.play(4)
        heard.extend(journald.read())
    named = {entry["FAULT"] for entry in heard if "FAULT" in entry}
    assert {"JAM", "UNREADABLE"} <= named <= {code.name for code in FAULTS}  # type: ignore[attr-defined]
    jam = next(entry for entry in heard if entry.get("FAULT") == "JAM")
    assert (jam["DEVICE"], jam["ROUND"]) == ("shuffler", "1")
    assert int(jam["STEP"]) > 0
    online = next(entry for entry in heard if entry["LOGGER"] == "shoectl.devices")
    assert online["DEVICE"] in ("shuffler", "shoe")
    for entry in heard:
        assert not FACE.search(entry["MESSAGE"]), entry


def test_a_daemon_on_journalds_stream_without_journald_says_its_lines_with_priorities(tmp_path: Path) -> None:
    read, write = os.pipe()
    told = os.fstat(write)
    (tmp_path / "table.toml").write_text(f'[devices.shoe]\nurl = "serial://{tmp_path}/nothing"\nfamily = "birch"\n')
    stream = {"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino}"}
    words = ("run", "--config", "table.toml", "--json", "--journal", "journal")
    env = {**environment(tmp_path), **stream}
    with subprocess.Popen([*SHOECTL, *words], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=write) as daemon:
        os.close(write)
        with open(read, encoding="utf-8") as said:
            line = next(line for line in said if "waiting for the port" in line)
        daemon.terminate()
        daemon.communicate(timeout=10)
    assert line.startswith("<4>shoe: waiting for the port")
