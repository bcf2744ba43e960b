"""Makes the repository importable from every test folder, as `tests.timeloop`; the command line as tests use it."""

from __future__ import annotations

import json

import pytest

from shoectl.cli import run


@pytest.fixture
def command(capsys):
    """Run `shoectl ...`; returns exit code, stdout, stderr."""

    def call(*arguments):
        code = run([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def settle(command, tmp_path):
    """Settle a record through the command line; returns the output's JSON."""

    def call(record):
        file = tmp_path / "record.json"
        file.write_text(json.dumps(record))
        code, out, err = command("settle", file, "--json")
        assert code == 0, err
        return json.loads(out)

    return call


@pytest.fixture
def refused(command, tmp_path):
    """Settle a record that is not legal; returns the one line that says why."""

    def call(record):
        file = tmp_path / "record.json"
        file.write_text(record if isinstance(record, str) else json.dumps(record))
        code, out, err = command("settle", file, "--json")
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err

    return call
