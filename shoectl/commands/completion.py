"""`shoectl completion`: what a shell needs to complete the command line."""

from __future__ import annotations

import json
from typing import Final

import click
from click.shell_completion import BashComplete, get_completion_class

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_SHOECTL_COMPLETE"  # the name that click looks for, from that of the program

# As click's, but for words with : and = in them, as alder:jam or serial:///dev/…, which bash cuts there: they are put
# together again, and what stands before the last cut is taken off the answers.
BASH: Final = r"""
%(complete_func)s() {
    local IFS=$'\n'
    local response completion type value current i words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if ((i)) && [[ ${COMP_WORDS[i]} == [:=]* || ${words[-1]} == *[:=] ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    current=${words[-1]}
    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(complete_var)s=bash_complete "$1")
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("${value#"${current%%"${current##*[:=]}"}"}") ;;
        esac
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """The script of bash; what it then asks for is answered as click does."""

    source_template = BASH


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
    maker = Bash if shell == Bash.name else get_completion_class(shell)
    assert maker is not None
    script = maker(context.find_root().command, {}, "shoectl", VARIABLE).source()
    click.echo(json.dumps({"shell": shell, "script": script}) if as_json else script)
