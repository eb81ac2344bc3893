"""`completion`: a script that lets a shell complete commands, groups, choices and keys."""

from __future__ import annotations

import sys

from omegaconf import DictConfig

from rageval.config.commands import CompletionConfig
from rageval.config.reading import read_part
from rageval.errors import InputError

_BASH = """\
# eval "$(rageval completion shell=bash)"   in ~/.bashrc
_rageval() {
    local line="${COMP_LINE:0:COMP_POINT}" IFS=$'\\n'
    local word="${line##* }"
    local there="${word%"${word##*[=:]}"}"  # bash completes what stands behind the last = or :
    COMPREPLY=($(rageval --complete "$line" 2>/dev/null))
    COMPREPLY=("${COMPREPLY[@]#"$there"}")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _rageval rageval
"""

_ZSH = """\
#compdef rageval
# eval "$(rageval completion shell=zsh)"   in ~/.zshrc, after compinit
_rageval() {
    local -a found
    found=(${(f)"$(rageval --complete "${BUFFER[1,CURSOR]}" 2>/dev/null)"})
    compadd -S '' -- $found
}
compdef _rageval rageval
"""

_FISH = """\
# rageval completion shell=fish > ~/.config/fish/completions/rageval.fish
complete -c rageval -f -a '(rageval --complete (commandline -cp) 2>/dev/null)'
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def run(composed: DictConfig) -> int:
    """Print the script for one shell and return the exit code."""
    config = read_part(composed, CompletionConfig)
    if config.shell is None:
        raise InputError(f"no shell named; choose one: shell={'|'.join(_SCRIPTS)}")
    sys.stdout.write(_SCRIPTS[config.shell])
    return 0
