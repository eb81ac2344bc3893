"""The way in: which command, help, and Hydra for the rest. Nothing heavy is imported for help."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rageval.cli.commands import COMMANDS, Command
from rageval.cli.options import options_first, require_options
from rageval.errors import InputError, RagevalError
from rageval.escaping.redaction import remember, remember_passwords
from rageval.escaping.streams import ClosedOutputError, clean_output
from rageval.internal_error import INTERNAL_ERROR, reported
from rageval.version import __version__

if TYPE_CHECKING:
    from omegaconf import DictConfig

_DEFAULT = "evaluate"
_INTERRUPTED, _CLOSED, _TERMINATED = 130, 141, 143  # as a shell: Ctrl-C, SIGPIPE, SIGTERM
_GATING = ("gate", "power", "promote", "rollback")  # what needs no more of a set than its name
# What MLflow reads of the environment, with an account in it.
_CREDENTIALS = ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN", "DATABRICKS_TOKEN")
_STORES = ("MLFLOW_TRACKING_URI", "MLFLOW_REGISTRY_URI")
_SENTENCES = r"check\.against|reason|notes|run\.notes|gate\.accept_alias"
_OPTIONAL_GROUPS = ("retriever", "experiment", "log", "mapping")


def run_command(words: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    with clean_output():
        _remember_secrets(words)
        return _run_command(words)


def _run_command(words: Sequence[str]) -> int:
    try:
        if _answered(words):
            return 0
        name, rest = _command(words)
        require_options(rest)
        if {"--help", "-h"} & set(rest):
            from rageval.cli.help import show

            show(name, rest)
            return 0
        words = [*_other_limits(name, rest), *(_quoted(without_plus(word)) for word in rest)]
        code = _run(COMMANDS[name], _for_sweeps(options_first(words)))
        sys.stdout.flush()
        return code
    except RagevalError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
    except ClosedOutputError:
        # Python would complain at its end that it cannot write what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        return _CLOSED
    except Terminated:
        sys.stderr.write("terminated\n")
        return _TERMINATED
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED
    except Exception as fault:  # noqa: BLE001  whatever is left is a bug of ours, and never a verdict
        sys.stderr.write(f"{reported(fault, words)}\n")
        return INTERNAL_ERROR


def _answered(words: Sequence[str]) -> bool:
    """Answer what needs no configuration: the version, and what a shell asks to complete."""
    if words[:1] == ["--complete"]:
        from rageval.cli.completions import completions

        sys.stdout.write("".join(f"{word}\n" for word in completions(" ".join(words[1:]))))
    elif "--version" in words:
        sys.stdout.write(f"rageval {__version__}\n")
    else:
        return False
    return True


class Terminated(KeyboardInterrupt):
    """The program was asked to end by SIGTERM."""


def end_on_sigterm() -> None:
    """Let SIGTERM end the program as Ctrl-C does: runs are closed, and the exit code is 143."""

    def end(number: int, frame: object) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, end)


def _remember_secrets(words: Sequence[str]) -> None:
    """Take what the command line gives as secrets for secrets, before anything can fail."""
    for word in words:
        key, _, value = word.lstrip("+").partition("=")
        if key == "secrets" or key.startswith("secrets."):
            inner = re.findall(r":\s*([^,{}\s][^,{}]*)", value) if value[:1] == "{" else [value]
            remember(found.strip("'\"") for found in inner if not found.startswith("$"))
        else:
            remember_passwords(value)
    remember(os.environ.get(name) for name in _CREDENTIALS)
    remember_passwords([os.environ.get(name) for name in _STORES])


def _command(words: Sequence[str]) -> tuple[str, list[str]]:
    """Split a command line into its command and what is for Hydra.

    Examples
    --------
    >>> _command(["+retriever=hybrid"])
    ('evaluate', ['+retriever=hybrid'])
    >>> _command(["check", "dataset=beir"])
    ('check', ['dataset=beir'])
    >>> _command(["--config-dir=conf", "gate"])
    ('gate', ['--config-dir=conf'])
    """
    place = next((n for n, word in enumerate(words) if not word.startswith("--config-dir=")), 0)
    if not words or not re.fullmatch(r"[a-z]+", words[place]):
        return _DEFAULT, list(words)
    if words[place] not in COMMANDS:
        raise InputError(f"unknown command {words[place]!r}; choose from: {', '.join(COMMANDS)}")
    return words[place], [*words[:place], *words[place + 1 :]]


def without_plus(word: str) -> str:
    """Let a group without a default, and a limit of any subset, be given with and without a plus.

    Examples
    --------
    >>> without_plus("+retriever=hybrid"), without_plus("+window.x=1")
    ('retriever=hybrid', '+window.x=1')
    >>> without_plus("threshold.floors.tag.negation.recall=0.7")
    '++threshold.floors.tag.negation.recall=0.7'
    """
    if re.match(r"\+{0,2}(threshold\.(floors|max_drop)|gate\.must_see)\.[^=]+=", word):
        return f"++{word.lstrip('+')}"  # a subset that no file names yet
    return word[1:] if word.startswith(tuple(f"+{g}=" for g in _OPTIONAL_GROUPS)) else word


def _other_limits(name: str, words: list[str]) -> list[str]:
    """Leave out the limits of the sample where another set is named by nothing but its name.

    Examples
    --------
    >>> _other_limits("gate", ["dataset.name=faq"]), _other_limits("gate", ["threshold=mine"])
    (['~dataset_threshold'], [])
    """
    keys = {word.lstrip("+").partition("=")[0] for word in words if "=" in word}
    named = bool(keys & {"dataset.name", "gate.sets"}) and name in _GATING
    return ["~dataset_threshold"] if named and not keys & {"dataset", "threshold"} else []


def _quoted(word: str) -> str:
    """Let a git revision and a sentence be typed as they are.

    Hydra's grammar has no `~`, `^` or `@{1}`, and takes a comma for a sweep.

    Examples
    --------
    >>> _quoted("check.against=HEAD~1"), _quoted("check.against=null"), _quoted("window.k=3")
    ("check.against='HEAD~1'", 'check.against=null', 'window.k=3')
    >>> _quoted("reason=slow, on Mondays")
    "reason='slow, on Mondays'"
    """
    found = re.fullmatch(rf"(\+{{0,2}}(?:{_SENTENCES}))=([^'\"$].*)", word, re.DOTALL)
    if not found or found[2] == "null":
        return word
    value = re.sub(r"(\\*)(?='|\Z)", r"\1\1", found[2]).replace("'", r"\'")
    return f"{found[1]}='{value}'"


def _for_sweeps(words: list[str]) -> list[str]:
    """Let a key of the retriever be set where the retriever itself is swept.

    Hydra sets what is not swept before any retriever is chosen; as a choice of one it comes later.

    Examples
    --------
    >>> _for_sweeps(["-m", "retriever=bm25,tfidf", "retriever.k1=0.9", "window.k=3"])
    ['-m', 'retriever=bm25,tfidf', 'retriever.k1=choice(0.9)', 'window.k=3']
    """
    if not {"-m", "--multirun"} & set(words):
        return words
    late = re.compile(r"(\+{0,2}retriever\.[^=]+)=([^,]+|\[[^]]*\])")
    return [late.sub(r"\1=choice(\2)", word) if late.fullmatch(word) else word for word in words]


def _run(command: Command, overrides: list[str]) -> int:
    from rageval.config.launch import launch

    def job(composed: DictConfig) -> int:
        # Imported here, so that Hydra's own answers (--cfg, --info) and refusals come without it.
        code: int = import_module(command.module).run(composed)
        return code

    return launch(command.config, overrides, job)
