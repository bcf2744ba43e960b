"""Where the pages are: a socket that is bound before the table begins, its names, its TLS.

Beyond loopback there is TLS or nothing. The names by which a browser may ask for the pages are those of the certificate
(so another name that somebody makes point here is refused), on loopback the usual ones.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from shoectl.config_sections import Console
from shoectl.console.settings import Settings
from shoectl.errors import BadInput

FIRST_PORT: Final = 8080
PORTS: Final = 100  # tried for a simulated table that was given no address
BACKLOG: Final = 64
CONNECTIONS_MOST: Final = 128  # at once, those that have not said a word included: descriptors are for devices first
FROM_ONE_MOST: Final = 64  # of one address, so that a stranger leaves room for others
VANISHED_MS: Final = 30_000  # a peer that acknowledges nothing for so long is gone
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


class Listener(socket.socket):
    """A socket that listens, and turns away whoever comes while too many are there, or too many of his address."""

    _there: tuple[tuple[socket.socket, str], ...] = ()

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. Raises BlockingIOError where there is none, or none may be."""
        connection, address = super().accept()
        self._there = tuple(one for one in self._there if one[0].fileno() != -1)
        own = sum(come_from == address[0] for _, come_from in self._there)
        if len(self._there) >= CONNECTIONS_MOST or own >= FROM_ONE_MOST:
            connection.close()
            raise BlockingIOError
        self._there += ((connection, address[0]),)
        return connection, address


@dataclass(frozen=True)
class Bound:
    """A socket that listens. `cert` and `key` are files, None without TLS; `address` is what people type."""

    listener: socket.socket
    settings: Settings
    address: str
    cert: Path | None = None
    key: Path | None = None


def bind(console: Console | None, *, simulated: bool) -> Bound:
    """Bind the address of a configuration; without one, of a simulated table, the first free from 127.0.0.1:8080 on.

    Raises BadInput: it is taken, it cannot be had, it needs a certificate, the certificate is none.
    """
    if console is None:
        return _bound(_first_free(), Console(), "127.0.0.1", [], simulated)
    host, _, port = console.listen.rpartition(":")
    host = host.strip("[]")
    if int(port) > 65535:
        raise BadInput(f"console.listen: {console.listen}: a port is at most 65535")
    if (console.cert is None) != (console.key is None):
        raise BadInput("console: cert and key go together")
    if console.cert is None and not _is_loopback(host):
        raise BadInput(
            f"console.listen: {console.listen} is not on loopback, so console.cert and console.key are needed"
        )
    named = certified(console)
    return _bound(_listen(host, int(port)), console, host, named, simulated)


def certified(console: Console) -> list[str]:
    """The names that the pages may be asked for by their certificate, which can be used. Raises BadInput."""
    if console.cert is None or console.key is None:
        return []
    check_tls(Path(console.cert), Path(console.key))
    return _names(Path(console.cert))


def _bound(listener: socket.socket, console: Console, host: str, named: list[str], simulated: bool) -> Bound:
    port = listener.getsockname()[1]
    secure = console.cert is not None
    names = [*LOOPBACK, f"[{host}]" if ":" in host else host, *named]
    usual = port == (443 if secure else 80)
    hosts = [f"{name}:{port}".lower() for name in names] + ([name.lower() for name in names] if usual else [])
    settings = Settings(
        hosts=tuple(dict.fromkeys(hosts)),
        secure=secure,
        local=_is_loopback(host),
        cookie=f"__Host-shoectl-{port}" if secure else f"shoectl-{port}",
        simulated=simulated,
    )
    shown = _shown(host, named)
    address = f"{'https' if secure else 'http'}://{shown}:{port}"
    cert, key = (Path(console.cert), Path(console.key)) if console.cert and console.key else (None, None)
    return Bound(listener, settings, address, cert, key)


def _shown(host: str, named: list[str]) -> str:
    """The name that people are told: of an address that stands for all, the first that is on the certificate."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    return next((name for name in named if not name.startswith("*")), "localhost")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _first_free() -> socket.socket:
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        try:
            return _listen("127.0.0.1", port)
        except BadInput:
            continue
    return _listen("127.0.0.1", 0)


def _listen(host: str, port: int) -> socket.socket:
    where = f"console.listen: {host}:{port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        plain = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        why = {98: "is taken by another program", 13: "takes rights that this user has not"}.get(error.errno or 0)
        raise BadInput(f"{where} {why or f'cannot be had: {(error.strerror or str(error)).lower()}'}") from None
    listener = Listener(family, socket.SOCK_STREAM, fileno=plain.detach())
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
    listener.setblocking(False)
    return listener


def check_tls(cert: Path, key: Path) -> None:
    """Whether these two make a server. Raises BadInput."""
    try:
        mode = os.stat(key).st_mode
        if mode & stat.S_IRWXO:
            raise BadInput(f"{key}: mode {stat.S_IMODE(mode):04o}, but others must not read a key (chmod o= {key})")
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password=lambda: "")
    except ssl.SSLError as error:
        raise BadInput(f"console.cert {cert}, console.key {key}: {_why(error)}") from None
    except OSError as error:
        raise BadInput(f"console.cert {cert}, console.key {key}: {(error.strerror or str(error)).lower()}") from None


def _why(error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "the key is not that of the certificate"
    return "they are no certificate and key in PEM, the key without a password"


def _names(cert: Path) -> list[str]:
    """The names on a certificate."""
    try:
        certificate = x509.load_pem_x509_certificate(cert.read_bytes())
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        raise BadInput(f"console.cert {cert}: it names no host (subjectAltName)") from None
    addresses = found.get_values_for_type(x509.IPAddress)
    return [
        *found.get_values_for_type(x509.DNSName),
        *(f"[{one}]" if one.version == 6 else str(one) for one in addresses),
    ]
