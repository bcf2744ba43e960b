"""A secret that a configuration names and never holds: a file of this user, or a credential of the service manager."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from shoectl.errors import BadInput

LARGEST = 64 * 1024  # bytes
KEY_SIZE = 32  # bytes of a device's key


class Secret(BaseModel):
    """Where a secret lies: `{ file = "/etc/shoectl/bus.password" }` or `{ credential = "bus.password" }`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    file: str | None = None
    credential: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.file is None) == (self.credential is None):
            raise ValueError("a secret is named by one of file and credential")
        if self.credential is not None and ("/" in self.credential or self.credential in ("", ".", "..")):
            raise ValueError("a credential is a name without a folder")
        return self

    def read_key(self) -> bytes:
        """The key of a device, which is written as 64 hexadecimal digits. Raises BadInput, which never says them."""
        text = self.read().strip()
        try:
            key = bytes.fromhex(text.decode("ascii"))
        except ValueError:
            key = b""
        if len(key) != KEY_SIZE or len(text) != 2 * KEY_SIZE:
            digits = f"a key is {2 * KEY_SIZE} hexadecimal digits (openssl rand -hex {KEY_SIZE})"
            raise BadInput(f"{self.path()}: {len(text)} characters, but {digits}")
        return key

    def path(self) -> Path:
        """The file that holds it. Raises BadInput where the service manager gave no credentials."""
        if self.file is not None:
            return Path(self.file)
        folder = os.environ.get("CREDENTIALS_DIRECTORY")
        if not folder:
            raise BadInput(f"credential {self.credential}: the service manager passed none (LoadCredential=)")
        return Path(folder) / str(self.credential)

    def read(self) -> bytes:
        """The secret, without the newline at its end. Raises BadInput: not there, others may read it, empty."""
        path = self.path()
        try:
            with path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                text = file.read(LARGEST + 1)
        except OSError as error:
            raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
        if self.file is not None and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadInput(f"{path}: mode {stat.S_IMODE(mode):04o}, but a secret is for its owner alone (chmod 600)")
        if not text.strip():
            raise BadInput(f"{path}: it is empty")
        if len(text) > LARGEST:
            raise BadInput(f"{path}: longer than {LARGEST} bytes")
        return text.rstrip(b"\r\n")
