"""An authority, and certificates of it, for the time of a test."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


class Authority:
    """Signs for 127.0.0.1 and localhost. `ca` is the file to trust."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder(self._name, self._name, self._key.public_key(), x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .add_extension(_usage(signs=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.ca = folder / "ca.crt"
        self.ca.write_bytes(made.public_bytes(serialization.Encoding.PEM))

    def issue(self, name: str, *, expired: bool = False) -> tuple[Path, Path]:
        """A certificate and its key, as files."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        begins, ends = (now - 3 * DAY, now - DAY) if expired else (now - DAY, now + DAY)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        addresses = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        made = (
            x509.CertificateBuilder(self._name, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(ends)
            .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(_usage(signs=False), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        cert, secret = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
        secret.chmod(0o600)
        return cert, secret


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
