"""One request to a running daemon through its local socket (local_socket.py says what may be asked)."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from shoectl.errors import BadInput, DeviceFailed

PATIENCE: Final = 10.0  # s that either side waits for the other's line
LINE_LIMIT: Final = 64 * 1024  # bytes of one request
STILL_THERE: Final = 5.0  # s after which a daemon says the same again to whoever follows it
PATH_MOST: Final = 107  # bytes of a socket's path (unix(7): 108 with the zero at its end)
NAMES_SOCKET: Final = "table.socket or --socket names another one"
TOO_LONG: Final = f"a request is one line of at most {LINE_LIMIT} bytes"


def ask(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """One request to a running daemon. Raises DeviceFailed where none listens, BadInput with the daemon's refusal."""
    check_length(path)
    sent = json.dumps(request).encode() + b"\n"
    if len(sent) > LINE_LIMIT:
        raise BadInput(TOO_LONG)
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(str(path))
            _say(line, sent)
            reply = json.loads(line.makefile("rb").readline() or b"null")
    except (OSError, ValueError) as error:
        raise DeviceFailed(f"no daemon answers at {path} ({getattr(error, 'strerror', None) or error})") from None
    if not isinstance(reply, dict):
        raise DeviceFailed(f"the daemon at {path} ended")
    if not reply.get("ok"):
        rule = f" [{reply['rule']}]" if reply.get("rule") else ""
        raise BadInput(f"{reply.get('error')}{rule}")
    return reply


def follow(path: Path) -> Iterator[dict[str, Any]]:
    """What a running daemon tells at each change, the newest alone, until it ends.

    Raises DeviceFailed where none listens or it falls silent, BadInput with its refusal.
    """
    check_length(path)
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(str(path))
            _say(line, b'{"follow": true}\n')
            for told in line.makefile("rb"):
                reply = json.loads(told)
                if not reply.get("ok"):
                    raise BadInput(str(reply.get("error")))
                yield reply
    except ConnectionResetError:
        return
    except (OSError, ValueError) as error:
        raise DeviceFailed(f"no daemon answers at {path} ({getattr(error, 'strerror', None) or error})") from None


def _say(line: socket.socket, sent: bytes) -> None:
    """Send. A daemon that refuses a client at the door has closed it by then; its word is there to be read."""
    with contextlib.suppress(BrokenPipeError):
        line.sendall(sent)


def alive(path: Path) -> bool:
    """Whether a daemon listens at this path."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            probe.connect(str(path))
    except OSError:
        return False
    return True


def check_length(path: Path) -> None:
    """Whether a socket can have this path. Raises BadInput."""
    length = len(os.fsencode(path))
    if length > PATH_MOST:
        raise BadInput(f"{path}: {length} bytes, the path of a socket has at most {PATH_MOST}; {NAMES_SOCKET}")
