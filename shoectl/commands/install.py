"""`shoectl install`: a table as a service of this machine, and its undoing."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from shoectl.errors import BadInput
from shoectl.service.install import CONFIG, MANIFEST, USER, files, install, program_of, undo

# What has the files take effect: user, folders, rules, unit. One whose program is not there is left out, and named.
BEFORE_UNDO: Final = (("systemctl", "disable", "--now", "shoectl.service"),)
AFTER: Final = (
    ("systemd-sysusers", "shoectl.conf"),
    ("systemd-tmpfiles", "--create", "shoectl.conf"),
    ("udevadm", "control", "--reload"),
    ("udevadm", "trigger", "--action=add", "--subsystem-match=usb", "--subsystem-match=tty"),
    ("systemctl", "daemon-reload"),
)
AFTER_UNDO: Final = (("udevadm", "control", "--reload"), ("systemctl", "daemon-reload"))
NEXT: Final = (f"shoectl check --config {CONFIG}", "systemctl enable --now shoectl")


def _root(_context: click.Context, _option: click.Parameter, value: str | None) -> Path | None:
    """An empty name is that of a variable that was not set, and never this machine."""
    if value == "":
        raise click.BadParameter("it is empty; a folder, or leave --root out for this machine")
    return None if value is None else Path(value)


@click.command("install")
@click.option("--root", type=click.Path(file_okay=False), callback=_root, help="A system's tree; else this machine.")
@click.option("--user", default=USER, show_default=True, help="Who the service runs as.")
@click.option("--program", metavar="PATH", help="The command that the unit starts, as the system sees it.")
@click.option("--undo", "undone", is_flag=True, help="Remove what was installed and was not changed since.")
@click.option("--dry-run", "dry", is_flag=True, help="Say what would be done.")
@click.option("--json", "as_json", is_flag=True, help="What was done and what was not, as one JSON value.")
def install_command(root: Path | None, user: str, program: str | None, undone: bool, dry: bool, as_json: bool) -> None:
    """Install a table as a service: unit, device rules, user, folders, a first configuration.

    What was written is remembered; a file that somebody changed is never replaced and never removed. Journals and
    their copies, and the user, stay when it is undone. Below --root only files are laid: user and folders come when
    that system starts.
    """
    here = root is None or root.resolve() == Path("/")
    where = Path("/") if here or root is None else root.resolve()
    _check(where, user, here=here, dry=dry)
    failed: list[str] = []
    if undone:
        if here and not dry and (where / MANIFEST.lstrip("/")).exists():
            failed += _run(BEFORE_UNDO)
        done = undo(where, dry=dry)
    else:
        done = install(where, files(program_of(where, program), user), dry=dry)
    if here and not dry:
        failed += _run(AFTER_UNDO if undone else AFTER)
    following = [] if undone or dry else NEXT
    if as_json:
        click.echo(json.dumps({"root": str(where), "done": done, "not_done": failed, "next": list(following)}))
        return
    for line in done or ["everything is there already"]:
        click.echo(line)
    for line in failed:
        click.echo(f"not done: {line}", err=True)
    if following:
        click.echo("\n  ".join([f"next: say what stands on the table in {CONFIG}", *following]))


def _check(root: Path, user: str, *, here: bool, dry: bool) -> None:
    """Raises BadInput for a tree that is not there, a user that is none, or somebody who may not."""
    if not root.is_dir():
        raise BadInput(f"{root}: no such folder")
    if here and not dry and os.geteuid() != 0:
        raise BadInput("only root installs on this machine: sudo shoectl install (or --root DIR, --dry-run)")
    if here and user != USER and not _is_user(user):
        raise BadInput(f"--user {user}: there is no such user")


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _run(commands: Sequence[Sequence[str]]) -> list[str]:
    """Run them all; what could not be done, a line each with its reason."""
    failed = []
    for command in commands:
        if shutil.which(command[0]) is None:
            failed.append(f"there is no {command[0]} here: {' '.join(command)}")
            continue
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            failed.append(f"{' '.join(command)}: {said}")
    return failed
