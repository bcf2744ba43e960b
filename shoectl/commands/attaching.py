"""Which ports a command is about: those of this machine, of USB/IP servers, and those that were named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from shoectl.commands.completing import complete_urls
from shoectl.discovery.attached import Port, attached, given, served
from shoectl.discovery.system import System
from shoectl.errors import BadInput, DeviceFailed
from shoectl.transports import open_transport

F = TypeVar("F", bound=Callable[..., Any])


def other_ports(command: F) -> F:
    """The options by which somebody names ports beside those of this machine: `--url` and `--usbip`."""
    usbip = click.option("--usbip", multiple=True, metavar="HOST:PORT", help="The devices of a USB/IP server too.")
    url = click.option(
        "--url",
        "urls",
        multiple=True,
        metavar="URL",
        shell_complete=complete_urls,
        help="A port beside those found; may be given again.",
    )
    return url(usbip(command))


def ports_of(system: System, urls: Sequence[str], usbip: Sequence[str], *, found: bool = True) -> list[Port]:
    """The ports that were `found`, those of servers, and those named by URL, each once.

    Raises BadInput for a wrong URL or server, DeviceFailed where a server does not answer.
    """
    ports = attached(system)
    named = [_given(system, url, ports) for url in urls]
    rest = [port for port in ports if not any(port.node and port.node == one.node for one in named)] if found else []
    for server in usbip:
        host, _, number = server.rpartition(":")
        if not host or not number.isdecimal() or not 0 < int(number) <= 0xFFFF:
            raise BadInput(f"--usbip {server!r}: write HOST:PORT, as 127.0.0.1:3240")
        try:
            rest += served(host.strip("[]"), int(number))
        except OSError as error:
            raise DeviceFailed(f"--usbip {server}: no USB/IP server answers ({error.strerror or error})") from None
    return rest + named


def _given(system: System, url: str, ports: Sequence[Port]) -> Port:
    open_transport(url)  # says what is wrong with it; opens nothing
    return given(url, system, ports)
