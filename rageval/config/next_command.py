"""The command line that can be typed next: complete, and about what was just shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import OmegaConf

PROGRAM = "python -m rageval"
_SAMPLE = "handbook"  # the set of a command line that names none
# The groups of keys that each command takes over from the command line before it.
_TAKES = {
    "evaluate": ("dataset", "mapping", "tracking", "registry"),
    "gate": ("tracking", "registry", "threshold", "gate"),
    "promote": ("tracking", "registry", "threshold", "gate", "holdout"),
    "rollback": ("tracking", "registry"),
    "compare": ("tracking", "registry"),
    "report": ("tracking", "registry"),
    "holdout": ("tracking", "registry", "holdout"),
    "check": ("dataset", "mapping"),
    "mine": ("dataset", "mapping", "tracking", "registry", "candidates"),
    "prune": ("tracking", "prune"),
    "sync": ("tracking",),
}
# What was about the last command alone.
_OWN = ("gate.enabled", "gate.run", "gate.sets", "gate.output", "gate.report_only", "prune.apply")


def next_command(
    command: str, *words: str, dataset: str | None = None, folder: str | None = None
) -> str:
    """Return a command line for the set that this one was about, in the same store.

    `words` are its own overrides; `dataset` names the set, where the command finds the rest of the
    dataset in what it judges; `folder` is the option that names another configuration folder than
    the one that was given.
    """
    name = [] if command == "evaluate" else [command]
    about = [f"dataset.name={dataset}"] if dataset not in {None, _SAMPLE} else []
    given = {word.partition("=")[0].lstrip("+") for word in [*words, *about]}
    taken = [word for word in _taken(command) if word.partition("=")[0].lstrip("+~") not in given]
    parts = [*name, *(places() if folder is None else [folder]), *words, *about, *taken]
    return " ".join([PROGRAM, *map(_quoted, parts)])


def typed_command(words: Sequence[str]) -> str:
    """Return a command line of `evaluate` as it was typed, secrets left out.

    More overrides may follow it, so its options come first: Hydra's parser wants that.
    """
    kept = [word for word in words if not _group(word).startswith("secrets")]
    return " ".join([PROGRAM, *map(_quoted, [*places(), *kept])])


def typed_words() -> list[str]:
    """Return the overrides that were typed for this job, as they were typed.

    Read as values, a reference to a secret in them would be the secret itself.
    """
    if not HydraConfig.initialized():
        return []
    typed = OmegaConf.to_container(HydraConfig.get().overrides.task, resolve=False)
    return [str(word) for word in typed or ()]


def places() -> list[str]:
    """Return what says where a user's own configuration lies, as it is typed."""
    if not HydraConfig.initialized():
        return []
    sources = HydraConfig.get().runtime.config_sources
    given = [source.path for source in sources if source.provider == "command-line"]
    return [f"--config-dir={_relative(path)}" for path in given]


def _relative(path: str) -> str:
    here, there = Path.cwd(), Path(path)
    return str(there.relative_to(here)) if there.is_relative_to(here) else path


def _taken(command: str) -> Iterator[str]:
    for word in typed_words():
        key = word.partition("=")[0].lstrip("+~")
        if _group(word) in _TAKES[command] and key not in _OWN:
            yield word


def _group(word: str) -> str:
    """Return the first part of what an override is about.

    Examples
    --------
    >>> _group("+tracking.uri=x"), _group("threshold=faq"), _group("dataset.path=docs")
    ('tracking', 'threshold', 'dataset')
    """
    return re.split(r"[.@/=]", word.lstrip("+~"), maxsplit=1)[0]


def _quoted(word: str) -> str:
    """Quote a word for a shell where it needs it.

    Examples
    --------
    >>> _quoted("gate.run=abc"), _quoted("reason=two words"), _quoted("sets=[a,b]")
    ('gate.run=abc', "'reason=two words'", 'sets=[a,b]')
    >>> print(_quoted("rows='a(@)'"))
    "rows='a(@)'"
    """
    if re.fullmatch(r"[\w@%+=:,./\[\]-]+", word):
        return word
    if "'" in word and not set(word) & set('"$`\\!'):
        return f'"{word}"'
    return shlex.quote(word)
