"""The command line: finds the command, imports its module only then, and turns every error into one line.

Exit codes: 0 done, 1 the thing checked did not hold, 2 bad input or usage, 3 a device or broker failed,
70 a fault of the program itself.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import importlib
import io
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from shoectl import __version__
from shoectl.errors import DeviceFailed, ShoectlError
from shoectl.folders import state_folder
from shoectl.plain_text import plain

# name -> (module, attribute, what the list of commands says). The texts stand here so that `--help` imports nothing.
COMMANDS: Final = {
    "run": ("shoectl.commands.run", "run", "Run a table: the daemon."),
    "answer": ("shoectl.commands.answer", "answer", "List the open steps of a running table, or answer one."),
    "init": ("shoectl.commands.init", "init", "Write a first configuration from the devices that are attached."),
    "monitor": ("shoectl.commands.monitor", "monitor", "The running table in this terminal, live."),
    "check": ("shoectl.commands.check", "check", "Validate a configuration; touches no device."),
    "devices": ("shoectl.commands.devices", "devices", "What is attached, and what it says of itself."),
    "doctor": ("shoectl.commands.doctor", "doctor", "Why a device would not come up, and what to do."),
    "people": ("shoectl.commands.people", "people", "Who may sign in at the console, and their PINs and tokens."),
    "journal": ("shoectl.commands.journal", "journal", "Verify, show, replay or export a journal."),
    "install": ("shoectl.commands.install", "install_command", "Install a table as a service of this machine."),
    "settle": ("shoectl.commands.settle", "settle", "Settle one round from its record."),
    "rank": ("shoectl.commands.rank", "rank", "Rank one hand."),
    "compare": ("shoectl.commands.rank", "compare", "Compare two hands."),
    "odds": ("shoectl.commands.odds", "odds", "What the wagers of a game are worth, by counting all deals."),
    "games": ("shoectl.commands.games", "games", "The games, their house options and paytables."),
    "completion": ("shoectl.commands.completion", "completion", "Print the completion script of a shell."),
    "wire": ("shoectl.commands.wire", "wire", "Decode and encode frames of the wire protocols."),
}
INTERNAL_ERROR: Final = 70  # EX_SOFTWARE
STDOUT_CLOSED: Final = 141  # as a shell reports a process that SIGPIPE ended
INTERRUPTED: Final = 130
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # of an output, where no file is named


class ReaderGone(Exception):
    """Whoever read our output went away: nothing more to say."""


@contextlib.contextmanager
def _said() -> Iterator[None]:
    """What is said in the block has left at its end. Raises ReaderGone; DeviceFailed where it cannot be written."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        closed = error.errno == errno.EBADF and _stands_in()
        if error.filename is not None or not (closed or error.errno in FULL):
            raise
        _drop_output()
        why = "it is closed" if closed else os.strerror(error.errno or 0).lower()
        raise DeviceFailed(f"the output cannot be written: {why}") from None


def _stands_in() -> bool:
    """Whether stdout was closed, and what is there now stands in (`_stand_in`)."""
    return fcntl.fcntl(sys.stdout.fileno(), fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY


class LazyGroup(click.Group):
    """The commands by name; a command's module is imported when it is called, and no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the list above."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, its module imported now; None where there is no such."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the words; help and version are said here already. Raises as `invoke` does."""
        with _said():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and see to it that what it said has left. Raises ReaderGone; DeviceFailed if it cannot."""
        with _said():
            return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands and options, without importing any command: a shell waits for it at each key."""
        names = [CompletionItem(name, help=text) for name, (_, _, text) in COMMANDS.items()]
        return [item for item in names if item.value.startswith(incomplete)] + click.Command.shell_complete(
            self, ctx, incomplete
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shoectl", message="%(prog)s %(version)s")
def root() -> None:
    """Open controller for card shufflers and dealing shoes."""


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code; an error is one line on stderr."""
    _stand_in()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our signs gets a question mark
    code = run(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    sys.exit(code)


def _stand_in() -> None:
    """Something in the place of a standard stream that is closed: else the next file opened would be it. Nothing can be
    written to a standard output that stands in: it fails, as on a full disk.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def _drop_output() -> None:
    """What could not be written to stdout is not tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: list[str]) -> int:
    """Run one command. Returns the exit code; no exception and no traceback leaves (but with SHOECTL_DEBUG=1)."""
    try:
        result = root.main(arguments, prog_name="shoectl", standalone_mode=False)
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except ReaderGone:
        _drop_output()
        return STDOUT_CLOSED
    except ShoectlError as error:
        return _complain(str(error), error.exit_code)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except Exception as error:
        return _internal(error)
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2 and newer: a group that was called without a command
        error.show()
        return 2
    where = f" (try: {error.ctx.command_path} --help)" if error.ctx is not None else ""
    return _complain(error.format_message().rstrip(".") + where, 2)


def _internal(error: Exception) -> int:
    if os.environ.get("SHOECTL_DEBUG"):
        raise error
    if isinstance(error, BaseExceptionGroup):
        known = [one for one in _leaves(error) if isinstance(one, ShoectlError)]
        if known:
            return _complain(str(known[0]), known[0].exit_code)
    try:
        where = f"the story is in {_write_log(error)}"
    except (ShoectlError, OSError):
        where = "and its story cannot be written down here; SHOECTL_DEBUG=1 shows it"
    return _complain(f"internal error ({_kind(error)}), {where}", INTERNAL_ERROR)


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [error]


def _kind(error: BaseException) -> str:
    return ", ".join(dict.fromkeys(type(leaf).__name__ for leaf in _leaves(error)))


def _write_log(error: Exception) -> Path:
    """Append the traceback to the log of this user. It may hold faces, so nobody else may read it."""
    path = state_folder() / "errors.log"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as log:
        record = logging.LogRecord("shoectl", logging.ERROR, __file__, 0, "internal error", None, None)
        record.exc_info = (type(error), error, error.__traceback__)
        log.write(logging.Formatter("%(asctime)s %(message)s").format(record) + "\n")
    return path


def _complain(text: str, code: int) -> int:
    print("shoectl: " + plain(text), file=sys.stderr)
    return code
