"""The register: who may sign in. A JSON file that its owner alone may read, always written as a whole.

    {"people": [{"number": 4711, "name": "Ana", "role": "dealer", "pin": "$argon2id$…", "token": null}]}

`pin` and `token` are hashes (pins.py). The daemon looks at the file again whenever it has changed: somebody whose role
or PIN is another one, or who is gone, is signed out at the next request.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoectl.config_sections import Config
from shoectl.errors import BadInput
from shoectl.folders import state_folder
from shoectl.people.numbers import HOW, NUMBERS, operator_number
from shoectl.plain_text import PRINTABLE, PRINTABLE_WORDS
from shoectl.strict_json import KeyTwice, loads

FILE: Final = "people.json"
LARGEST: Final = 1024 * 1024  # bytes
NAME_MOST: Final = 60


def register_path(config: Config, *, make: bool = True) -> Path:
    """The register that a configuration names; else the one among this user's files, whose folder is made.

    Raises BadInput where that cannot be written.
    """
    return Path(config.people.file) if config.people.file else state_folder(make=make) / FILE


class Record(BaseModel):
    """One person. `pin` and `token` are hashes; None: no way to sign in by it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    number: Annotated[int, Field(ge=NUMBERS[0], le=NUMBERS[1])]
    name: Annotated[str, Field(min_length=1, max_length=NAME_MOST, pattern=PRINTABLE)]
    role: Literal["observer", "dealer", "floor"]
    pin: str | None = None
    token: str | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    people: list[Record] = []


class Register:
    """The people of a file, or, without a file, those that it was made with."""

    def __init__(self, path: Path | None = None, people: Sequence[Record] = ()) -> None:
        self.path = path
        self._people = {one.number: one for one in people}
        self._seen: tuple[int, int, int] | None = None

    def people(self) -> list[Record]:
        """Everybody, by number. Raises BadInput where the file cannot be read or says something else."""
        self._look()
        return [self._people[number] for number in sorted(self._people)]

    def find(self, number: int) -> Record | None:
        """One person; None where there is no such. Raises BadInput as `people` does."""
        self._look()
        return self._people.get(number)

    def role_of(self, by: str) -> str | None:
        """The role of somebody, by his operator number; None for anybody else. Raises BadInput as `people` does."""
        found = self.find(operator_number(by))
        return found.role if found else None

    def with_role(self, role: str) -> list[str]:
        """Those who have a role: number and name. Raises BadInput as `people` does."""
        return [f"{one.number} ({one.name})" for one in self.people() if one.role == role]

    def _look(self) -> None:
        """Read the file again if it is another one than the one that was read."""
        if self.path is None:
            return
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            self._people, self._seen = {}, None
            return
        except OSError as error:
            raise BadInput(f"{self.path}: {(error.strerror or str(error)).lower()}") from None
        mark = (now.st_ino, now.st_mtime_ns, now.st_size)
        if mark != self._seen:
            self._people, self._seen = {one.number: one for one in read(self.path)}, mark

    @contextlib.contextmanager
    def changing(self) -> Iterator[dict[int, Record]]:
        """The people, to be changed in the block and written at its end; two commands at once wait for each other.

        Raises BadInput: the file cannot be read or written. It is as it was then.
        """
        assert self.path is not None, "people that are in no file cannot be changed"
        with _locked(self.path):
            people = {one.number: one for one in read(self.path)} if self.path.exists() else {}
            yield people
            write(self.path, [people[number] for number in sorted(people)])


def read(path: Path) -> list[Record]:
    """The people in a file. Raises BadInput: not there, others may read it, not what it should be."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadInput(f"{path}: mode {stat.S_IMODE(mode):04o}, but the register is for its owner alone (chmod 600)")
    if len(text) > LARGEST:
        raise BadInput(f"{path}: longer than {LARGEST} bytes")
    try:
        people = _File.model_validate_json(text).people
        loads(text)  # again, and strictly: of a key that stands there twice the last one was taken
    except KeyTwice as error:
        raise BadInput(f"{path}: {error}; allowed is each once in a person") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        what = PRINTABLE_WORDS if first["type"] == "string_pattern_mismatch" else first["msg"]
        raise BadInput(f"{path}: {where}: {what[0].lower()}{what[1:]}") from None
    _check_once(path, people)
    return people


def _check_once(path: Path, people: Sequence[Record]) -> None:
    """Whether each number is one person's. Raises BadInput."""
    of: dict[int, int] = {}
    for n, one in enumerate(people):
        if (first := of.setdefault(one.number, n)) != n:
            twice = f"people.{n}.number: {one.number} is that of people.{first} already"
            raise BadInput(f"{path}: {twice}; allowed: one of its own for each, {HOW}")


def write(path: Path, people: Sequence[Record]) -> None:
    """Write a file anew: whole or not at all, 0600 from its first moment. Raises BadInput."""
    text = json.dumps({"people": [one.model_dump() for one in people]}, indent=1, ensure_ascii=False) + "\n"
    temporary = None
    try:
        number, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600
        with open(number, "w", encoding="utf-8") as file:
            _give_to_owner(number, path)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise BadInput(f"{path}: it cannot be written: {(error.strerror or str(error)).lower()}") from None


def _give_to_owner(number: int, path: Path) -> None:
    """What root writes belongs to the owner of the register, or of its folder: the daemon's user has to read it."""
    if os.geteuid() == 0:
        owner = os.stat(path if path.exists() else path.parent)
        os.fchown(number, owner.st_uid, owner.st_gid)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone at the file for the time of the block: a lock beside it, since the file itself is replaced."""
    try:
        number = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadInput(f"{path}: it cannot be written: {(error.strerror or str(error)).lower()}") from None
    try:
        _give_to_owner(number, path)
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
