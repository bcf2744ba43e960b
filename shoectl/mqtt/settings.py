"""How the bus reaches its broker: what the configuration says, checked before anything is connected."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from shoectl.config_sections import Bus
from shoectl.errors import BadInput, ShoectlError
from shoectl.mqtt.topics import Topics

MACHINE_ID = Path("/etc/machine-id")
ID_MOST = 64


class GaveWay(ShoectlError):
    """Two have one name on the bus, and this one stops."""


class CertificateUnfit(ShoectlError):
    """Our own certificate cannot be used at this time."""


class _Closing(ssl.SSLSocket):
    """Closes itself where the handshake fails; the library forgets it then, open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


@dataclass(frozen=True)
class Pace:
    """Times of the bus in seconds, and how often another client may take its name (`takeovers`)."""

    connect: float = 2.0  # per attempt; a thread is in it, and the end of the daemon waits for the thread
    acknowledged: float = 10.0
    keepalive: int = 15
    first: float = 1.0
    most: float = 60.0
    steady: float = 30.0
    takeovers: int = 3
    telemetry: float = 30.0
    farewell: float = 1.5
    breath: float = 0.1  # between two looks at the table: what changed meanwhile goes as one message


@dataclass(frozen=True)
class Address:
    """A broker and the name under which it knows us."""

    bus: Bus
    topics: Topics
    client_id: str

    def password(self) -> str | None:
        """The password, read anew for each connection. Raises BadInput."""
        if self.bus.password is None:
            return None
        try:
            return self.bus.password.read().decode()
        except UnicodeDecodeError:
            raise BadInput(f"{self.bus.password.path()}: a password is UTF-8 text") from None

    def tls(self) -> ssl.SSLContext | None:
        """What the connection is encrypted with; None without TLS. Raises BadInput, CertificateUnfit."""
        bus = self.bus
        if not bus.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=bus.ca)
        except (OSError, ssl.SSLError) as error:
            raise BadInput(f"bus.ca: {bus.ca}: {_why(error, 'no certificates in it')}") from None
        context.sslsocket_class = _Closing
        if bus.cert is not None:
            _check_dates(Path(bus.cert))
            try:
                context.load_cert_chain(bus.cert, bus.key)
            except (OSError, ssl.SSLError) as error:
                text = _why(error, "these are no certificate and its key")
                raise BadInput(f"bus.cert: {bus.cert}, {bus.key or 'no key'}: {text}") from None
        return context


def address_of(bus: Bus, site: str, table: str) -> Address:
    """The broker of a configuration that was checked; `table` is the table's name, unless `bus.table` says another.

    Raises BadInput where a file of it cannot be used.
    """
    topics = Topics(site, bus.table or table)
    name = bus.client_id or f"shoectl-{site[:20]}-{topics.table[:24]}-{machine()}"
    address = Address(bus, topics, name[:ID_MOST])
    address.password()
    with contextlib.suppress(CertificateUnfit):  # the table starts; the bus says so, and looks again
        address.tls()
    return address


def machine() -> str:
    """Eight digits that stay this machine's; its id itself is not to be shown (machine-id(5))."""
    try:
        known = MACHINE_ID.read_text(encoding="ascii").strip()
    except OSError:
        known = socket.gethostname()
    return hashlib.sha256(f"shoectl bus {known}".encode()).hexdigest()[:8]


def _check_dates(path: Path) -> None:
    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        raise BadInput(f"bus.cert: {path}: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        raise BadInput(f"bus.cert: {path}: no certificate (PEM) in it") from None
    now = datetime.now(UTC)
    if now > certificate.not_valid_after_utc:
        raise CertificateUnfit(f"our own TLS certificate expired on {certificate.not_valid_after_utc:%Y-%m-%d}")
    if now < certificate.not_valid_before_utc:
        raise CertificateUnfit(f"our own TLS certificate is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on")


def _why(error: OSError, otherwise: str) -> str:
    return otherwise if isinstance(error, ssl.SSLError) else (error.strerror or str(error)).lower()
