"""A daemon that ends as it should: nothing that its links have counted is lost with it."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from shoectl.errors import ShoectlError
from shoectl.journal import Entry, Reader
from tests.endtoend.runs import SHOECTL, environment

RUN = ("run", "--sim", "--speed", "max", "--no-console", "--seed", "3", "--json")


def entries(journal: Path) -> list[Entry]:
    try:
        with Reader(journal) as reader:
            return list(reader.entries())
    except ShoectlError:
        return []  # it is only just being made


@pytest.mark.parametrize("signalled", [False, True])
def test_what_the_links_have_counted_is_in_the_journal_when_the_daemon_ends(tmp_path: Path, signalled: bool) -> None:
    journal = tmp_path / "table.journal"
    words = [*SHOECTL, *RUN, "--journal", str(journal), "--rounds", "1000" if signalled else "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path), stdout=pipe, stderr=pipe) as daemon:
        until = time.monotonic() + 30
        while signalled and len(entries(journal)) <= 60:
            assert time.monotonic() < until
            time.sleep(0.1)
        if signalled:
            daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=60)
    told = entries(journal)
    counted = {entry.body["place"]: entry.body["counted"] for entry in told[-2:] if entry.kind == "note"}
    assert set(counted) == {"shuffler", "shoe"}
    for place, sums in counted.items():
        attached = [entry.body["counted"] for entry in told if entry.kind == "device" and entry.body["place"] == place]
        assert all(sums[name] >= one.get(name, 0) for one in attached for name in one if not name.endswith("_ms"))
        assert sums["bytes_in"] > 100
