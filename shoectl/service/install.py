"""Installing a table as a service, and undoing it: what is laid where, and a manifest of what was written.

Only what this wrote is ever replaced or removed, and only while it is as it was written: a file that somebody changed
stays. The user, its journals and their copies stay too: they are evidence.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shoectl.errors import BadInput

DATA: Final = Path(__file__).parent / "data"
CONFIG: Final = "/etc/shoectl/table.toml"
MANIFEST: Final = "/etc/shoectl/installed.json"
USER: Final = "shoectl"
HIDDEN: Final = ("/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/")  # where the unit's sandbox does not look


@dataclass(frozen=True)
class Laid:
    """One file: where it lies, what is in it; `kept`: one that is there already is another's, and left alone."""

    path: str
    text: str
    mode: int = 0o644
    kept: bool = False


@dataclass
class Manifest:
    """What was written: files with the digest of their content, and folders that were made, in their order."""

    files: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)


def files(program: str, user: str) -> list[Laid]:
    """All that is laid, by its path on the system."""
    person = f'u {USER} - "Card table" /var/lib/shoectl' if user == USER else f"m {user} {USER}"
    words = {"@PROGRAM@": program, "@USER@": user, "@CONFIG@": CONFIG, "@SYSUSER@": person}
    rules = sorted(_rules().glob("*.rules"))
    return [
        Laid("/etc/systemd/system/shoectl.service", _filled("shoectl.service", words)),
        Laid("/etc/sysusers.d/shoectl.conf", _filled("sysusers.conf", words)),
        Laid("/etc/tmpfiles.d/shoectl.conf", _filled("tmpfiles.conf", words)),
        *(Laid(f"/etc/udev/rules.d/{rule.name}", rule.read_text(encoding="utf-8")) for rule in rules),
        Laid(CONFIG, _filled("table.toml", words), 0o640, kept=True),
    ]


def program_of(root: Path, named: str | None) -> str:
    """The command that the unit starts, as the system below `root` will see it. Raises BadInput."""
    found = Path(named) if named else Path(sys.prefix) / "bin" / "shoectl"
    if found.is_relative_to(root) and root != Path("/"):
        found = Path("/") / found.relative_to(root)
    there = root / str(found).lstrip("/")
    if not found.is_absolute() or not (os.access(there, os.X_OK) or (named and root != Path("/"))):
        raise BadInput(f"{found}: there is no such program for the unit to start; name one with --program")
    if str(found).startswith(HIDDEN):
        raise BadInput(
            f"{found}: the service does not look below {'/'.join(str(found).split('/')[:2])}; use /opt/shoectl"
        )
    return str(found)


def install(root: Path, laid: Sequence[Laid], *, dry: bool = False) -> list[str]:
    """Lay the files below `root`. Returns what was done, a line each.

    Raises BadInput, before anything is written: a file that is another's or was changed is in the way.
    """
    manifest = _read(root)
    due = [one for one in laid if not _is_there(root, one, manifest)]
    done = [f"{'would write' if dry else 'wrote'} {one.path}" for one in due]
    if dry:
        return done
    for one in due:
        _make_folders(root, _below(root, one.path).parent, manifest)
        if one.path not in manifest.files:  # before the file: one that was cut off here is undone as well
            _remember(root, manifest, one)
        _write(root, one.path, one.text, one.mode)
        _remember(root, manifest, one)
    return done


def _remember(root: Path, manifest: Manifest, one: Laid) -> None:
    manifest.files[one.path] = _digest(one.text.encode())
    _make_folders(root, _below(root, MANIFEST).parent, manifest)
    _write(root, MANIFEST, json.dumps(vars(manifest), indent=1) + "\n", 0o644)


def undo(root: Path, *, dry: bool = False) -> list[str]:
    """Remove what was written and is as it was written. Returns what was done, a line each. Raises BadInput."""
    manifest = _read(root)
    if not manifest.files:
        raise BadInput(f"{_below(root, MANIFEST)}: nothing was installed here")
    done = []
    for name, digest in manifest.files.items():
        path = _below(root, name)
        if not path.exists():
            continue
        if _digest(path.read_bytes()) != digest:
            done.append(f"{name} was changed, it stays")
            continue
        done.append(f"{'would remove' if dry else 'removed'} {name}")
        if not dry:
            path.unlink()
    if not dry:
        _below(root, MANIFEST).unlink()
        for name in reversed(manifest.folders):
            folder = _below(root, name)
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
    return done


def _is_there(root: Path, one: Laid, manifest: Manifest) -> bool:
    """Whether nothing has to be written. Raises BadInput where something is in the way."""
    path = _below(root, one.path)
    if not path.exists():
        return False
    now = _digest(path.read_bytes())
    if one.kept or now == _digest(one.text.encode()):
        return True
    if manifest.files.get(one.path) != now:
        why = "was changed since it was installed" if one.path in manifest.files else "is none of ours"
        raise BadInput(f"{path} {why}: move it away first (changes of a unit belong into `systemctl edit shoectl`)")
    return False


def _read(root: Path) -> Manifest:
    path = _below(root, MANIFEST)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(dict(told["files"]), list(told["folders"]))
    except FileNotFoundError:
        return Manifest()
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BadInput(f"{path}: it does not say what was installed ({type(error).__name__})") from None


def _write(root: Path, name: str, text: str, mode: int) -> None:
    """Whole or not at all."""
    path = _below(root, name)
    fresh = path.with_name(f".{path.name}.new")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise BadInput(f"{path}: it cannot be written ({error.strerror})") from None


def _make_folders(root: Path, folder: Path, manifest: Manifest) -> None:
    for path in [*_missing(root, folder)][::-1]:
        try:
            path.mkdir(mode=0o755)
        except OSError as error:
            raise BadInput(f"{path}: it cannot be made ({error.strerror})") from None
        manifest.folders.append("/" + str(path.relative_to(root)))


def _missing(root: Path, folder: Path) -> Iterator[Path]:
    while folder != root and not folder.exists():
        yield folder
        folder = folder.parent


def _below(root: Path, name: str) -> Path:
    return root / name.lstrip("/")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _filled(name: str, words: Mapping[str, str]) -> str:
    text = (DATA / name).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _rules() -> Path:
    """The udev rules: beside the other data in a wheel, at the top of a checkout."""
    packed = DATA / "udev"
    return packed if packed.is_dir() else Path(__file__).parents[2] / "udev"
