"""What serial servers have in common, whatever they speak: how they are written, and what is odd about them."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult

from shoectl.errors import BadInput


def address_of(url: SplitResult, scheme: str) -> tuple[str, int, str]:
    """Host, port, and both as people read them. Raises BadInput."""
    wrong = f"{url.geturl()!r}: a serial server is written {scheme}://HOST:PORT"
    try:
        host, port = url.hostname, url.port
    except ValueError:
        raise BadInput(wrong) from None
    if not host or not port or url.path.strip("/") or url.fragment or "@" in url.netloc:
        raise BadInput(wrong)
    return host, port, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def notices_of(name: str, address: str) -> tuple[str, ...]:
    """What a socket cannot do that a port of this machine can."""
    notices = (f"{name} is not locked by us: its server has to turn a second program away",)
    if is_here(address):
        return notices
    return (*notices, f"cards pass the network to {name} in plain text: give it a line of its own, or a tunnel")


def is_here(host: str) -> bool:
    """Whether an address, or a name, is this machine's own, so that nothing passes a network."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"
