"""The guest as a process: QEMU, its console into a file, its report line by line."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

QEMU = "qemu-system-x86_64"
# Translated, never KVM: where machines are virtual themselves /dev/kvm may be there and fail in the middle of a run.
HARDWARE = ("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1536")
NOTHING_ELSE = ("-nodefaults", "-display", "none", "-no-reboot", "-net", "none")
COMMAND_LINE = "console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on mitigations=off"


def run(kernel: Path, initrd: Path, console: Path, within: float) -> Iterator[dict[str, Any]]:
    """Boot, and give what the guest reports on its second serial port. Ends with the guest, or when time is over."""
    words = [QEMU, *HARDWARE, *NOTHING_ELSE, "-kernel", str(kernel), "-initrd", str(initrd), "-append", COMMAND_LINE]
    words += ["-serial", f"file:{console}", "-serial", "stdio"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as guest:
        ending = threading.Timer(within, guest.kill)
        ending.start()
        assert guest.stdout is not None
        try:
            for line in guest.stdout:
                text = line.decode("utf-8", "replace").strip()
                if text.startswith("{"):
                    yield json.loads(text)
        finally:
            ending.cancel()
            guest.kill()


def last_words(console: Path, lines: int = 25) -> str:
    """The end of the console, where a guest says why it died."""
    text = console.read_text("utf-8", "replace") if console.exists() else ""
    return "\n".join(f"    {line.rstrip()}" for line in text.splitlines()[-lines:])
