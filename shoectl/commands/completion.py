"""`shoectl completion`: what a shell needs to complete the command line."""

from __future__ import annotations

import json
from typing import Final

import click
from click.shell_completion import get_completion_class

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_SHOECTL_COMPLETE"  # the name that click looks for, from that of the program


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--json", "as_json", is_flag=True, help="The script as one JSON value, {shell, script}.")
@click.pass_context
def completion(context: click.Context, shell: str, as_json: bool) -> None:
    """Print the completion script of a shell.

    \b
    bash:  shoectl completion bash > ~/.local/share/bash-completion/completions/shoectl
    zsh:   shoectl completion zsh > ~/.zfunc/_shoectl   (with ~/.zfunc in $fpath)
    fish:  shoectl completion fish > ~/.config/fish/completions/shoectl.fish
    """
    maker = get_completion_class(shell)
    assert maker is not None
    script = maker(context.find_root().command, {}, "shoectl", VARIABLE).source()
    click.echo(json.dumps({"shell": shell, "script": script}) if as_json else script)
