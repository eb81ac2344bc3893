"""What may follow on a command line: commands, groups, choices, keys and their values.

Read from the files of conf/ alone, so that a shell need not wait for anything heavy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from rageval.cli.commands import COMMANDS
from rageval.config.places import shipped

_DEFAULT = "evaluate"
_OPTIONS = ("--help", "--version", "--cfg", "--config-dir=", "-m")
_LISTED = re.compile(r"^\s*(\w+):[^#]*# ([\w-]+(?: \| [\w-]+)+)")  # `key: a # a | b | c`
_RUNS = ("latest", "champion")  # what `run` and `with` may be besides an id


def completions(line: str) -> list[str]:
    """Return what the last word of a command line may be.

    Parameters
    ----------
    line
        The command line up to the cursor; its first word is the program.

    Examples
    --------
    >>> completions("rageval repo")
    ['report']
    >>> completions("rageval retriever=bm25,t")
    ['retriever=bm25,tfidf', 'retriever=bm25,trec_run']
    >>> completions("rageval report format=j")
    ['format=json', 'format=junit']
    """
    *before, current = line.split(" ")
    words = [word for word in before[1:] if word]
    named = words[0] if words and words[0] in COMMANDS else ""
    folders = [shipped("conf"), *_own(words)]
    sign = "+" if current.startswith("+") else ""
    word = current[len(sign) :]
    found = _Words(folders, COMMANDS[named or _DEFAULT].config, words)
    if "=" in word:
        key, _, typed = word.partition("=")
        listed, comma, _ = typed.rpartition(",")
        options = [f"{key}={listed}{comma}{value}" for value in found.values(key)]
    else:
        commands = [] if named or sign else list(COMMANDS)
        options = [*commands, *(f"{key}=" for key in found.all), *([] if sign else _OPTIONS)]
    return sorted({f"{sign}{option}" for option in options if option.startswith(word)})


def _own(words: Sequence[str]) -> list[Path]:
    return [Path(word.partition("=")[2]) for word in words if word.startswith("--config-dir=")]


class _Words:
    """The groups and keys of one command, as its configuration files have them."""

    def __init__(self, folders: Sequence[Path], config: str, words: Sequence[str]) -> None:
        self._folders = folders
        self._typed = dict(word.lstrip("+").split("=", 1) for word in words if "=" in word)
        self._values: dict[str, list[str]] = {}
        self._groups: set[str] = set()
        self._take(config, "")

    @property
    def all(self) -> list[str]:
        """Return the groups and the dotted keys."""
        return [*self._groups, *self._values]

    def values(self, key: str) -> list[str]:
        """Return the choices of a group, or what is known of a key's values."""
        if key in self._groups:
            files = (file for folder in self._folders for file in (folder / key).glob("*.yaml"))
            return sorted({file.stem for file in files})
        return self._values.get(key, [])

    def _take(self, name: str, package: str) -> None:
        text = self._text(name)
        content = yaml.safe_load(text) or {}
        listed = {key: values.split(" | ") for key, values in _comments(text)}
        package = "" if "@package _global_" in text else package
        for path, value in _leaves(content, package):
            key = path.rpartition(".")[2]
            runs = list(_RUNS) if path in ("run", "with") else []
            flags = ["false", "true"] if isinstance(value, bool) else runs
            self._values[path] = listed.get(key, flags)
        for entry in content.get("defaults") or []:
            if isinstance(entry, str) and entry != "_self_":
                self._take(entry, "")
        for group, choice in _defaults(content.get("defaults") or []):
            self._groups.add(group)
            chosen = self._typed.get(group, choice)
            if chosen:
                self._take(f"{group}/{chosen}", group.replace("/", "."))

    def _text(self, name: str) -> str:
        for folder in reversed(self._folders):
            file = folder / f"{name}.yaml"
            if file.is_file():
                return file.read_text(encoding="utf-8")
        return ""


def _comments(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        found = _LISTED.match(line)
        if found:
            yield found[1], found[2]


def _defaults(entries: Sequence[Any]) -> Iterator[tuple[str, str | None]]:
    """Yield each group with its choice; None where there is none by default."""
    for entry in entries:
        if isinstance(entry, dict):
            for key, choice in entry.items():
                group = str(key).removeprefix("optional ")
                if not group.startswith("override") and "$" not in str(choice):
                    yield group, choice


def _leaves(node: object, path: str) -> Iterator[tuple[str, object]]:
    if not isinstance(node, dict):
        yield path, node
        return
    for key, value in node.items():
        if key not in ("defaults", "hydra") and not str(key).startswith("_"):
            yield from _leaves(value if value != {} else None, f"{path}.{key}" if path else key)
