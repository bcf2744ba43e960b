"""A real Mosquitto with the configuration and the rights that are shipped: TLS, passwords, a free port."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .certificates import Authority

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "examples" / "mosquitto"
FOLDER = "/etc/mosquitto/shoectl/"
TABLE, WATCHER, PIT = "table-12", "watcher", "pit"
PASSWORDS = {TABLE: "deal", WATCHER: "look", PIT: "command"}
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "mosquitto"


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Broker:
    """A broker that may be ended and started again at its address. `more` are further lines of its configuration."""

    def __init__(self, folder: Path, *more: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.port = folder, free_port()
        self.authority = Authority(folder)
        self.authority.issue("server")
        self._process: subprocess.Popen[bytes] | None = None
        passwords = folder / "passwords"
        passwords.write_text("".join(f"{user}:{word}\n" for user, word in PASSWORDS.items()))
        subprocess.run(["mosquitto_passwd", "-U", str(passwords)], check=True, capture_output=True)
        self.acl = folder / "acl"
        shutil.copy(SHIPPED / "acl", self.acl)
        text = (SHIPPED / "mosquitto.conf").read_text(encoding="utf-8")
        text = text.replace(FOLDER, f"{folder}/").replace("/var/lib/mosquitto/", f"{folder}/")
        text = text.replace("listener 8883", f"listener {self.port} 127.0.0.1")
        if os.getuid() == 0:
            text = "user root\n" + text
        for path in (passwords, self.acl):
            path.chmod(0o600)
        self.conf = folder / "mosquitto.conf"
        self.conf.write_text("\n".join([text, *more, ""]))

    def start(self) -> None:
        """Start it, and wait until it listens."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([MOSQUITTO, "-v", "-c", str(self.conf)], stdout=log, stderr=log)
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self._process.poll() is None, self.log()
            time.sleep(0.01)
        raise AssertionError("mosquitto does not listen")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End it: in good order, or as in a crash."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(number)
            self._process.wait(10)
            self._process = None

    def forget(self) -> None:
        """It loses all that it kept."""
        (self.folder / "mosquitto.db").unlink(missing_ok=True)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """It takes connections, and says nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def log(self) -> str:
        """What it has written."""
        return (self.folder / "log").read_text(errors="replace")
