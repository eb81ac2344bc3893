"""Digests of the files and folders that a configuration names, by content alone."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.files.limits import require_regular
from rageval.schema.fingerprint import digest

_BLOCK = 2**20  # bytes read at once
_URL = re.compile(r"(?:file|sqlite(?:\+\w+)?)://(?:localhost(?=/))?(?P<path>/?[^?#]+)")
# Never part of a model or of data: version control, caches, and what runs themselves write.
_SKIPPED = frozenset({"__pycache__", "mlruns", "outputs"})


class Contents:
    """Digests of files and folders; each is read once in the lifetime of this object.

    One command uses one of these, so a file that changes afterwards is seen by the next command.
    Sizes and times of modification are never trusted.
    """

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def named(self, node: Any) -> dict[str, str]:  # noqa: ANN401  any JSON value
        """Return the digest of every file and folder that a text below a node names.

        A text names one if there is a regular file or a folder of that path, relative to the
        working folder, or a `file://` or `sqlite:///` address of one.

        Raises
        ------
        InputError
            If one of them cannot be read.
        """
        found = {text: self._digest(text) for text in _texts(node)}
        return {text: value for text, value in sorted(found.items()) if value is not None}

    def of(self, path: Path) -> str:
        """Return the sha256 of a file, or of the names and contents below a folder (64 hex digits).

        Raises
        ------
        InputError
            If it cannot be read.
        """
        known = self._digest(str(path))
        if known is None:
            raise InputError(f"{path}: there is no such file or folder")
        return known

    def _digest(self, text: str) -> str | None:
        if text not in self._known:
            self._known[text] = _read(_path(text))
        return self._known[text]


def _texts(node: Any) -> Iterator[str]:  # noqa: ANN401  any JSON value
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _texts(value)


def _path(text: str) -> Path | None:
    """Return the path that a text may be; None if it cannot be one."""
    found = _URL.fullmatch(text)
    path = text
    if found:
        # sqlite:///data.db is a relative path, sqlite:////srv/data.db an absolute one.
        path = found["path"].removeprefix("/") if text.startswith("sqlite") else found["path"]
    return Path(path) if path.strip() and "\0" not in path else None


def _read(path: Path | None) -> str | None:
    try:
        if path is None or not (path.is_file() or path.is_dir()):
            return None
        return _file(path) if path.is_file() else _folder(path)
    except OSError as fault:
        if path is None or not os.path.lexists(path):
            return None  # too long a text for a path, for instance
        raise InputError(f"{path}: cannot be read: {fault.strerror or fault}") from fault


def _file(path: Path) -> str:
    total = hashlib.sha256()
    require_regular(path)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            total.update(block)
    return total.hexdigest()


def _folder(root: Path) -> str:
    """Name the regular files below a folder, hidden ones and what runs write left out."""
    return digest([[path.relative_to(root).as_posix(), _file(path)] for path in _files(root)])


def _files(root: Path) -> list[Path]:
    """Return the files below a folder; folders that are links are followed once."""
    found: list[Path] = []
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if _wanted(name))
        found += [Path(folder, name) for name in sorted(names) if _wanted(name)]
    return [path for path in found if path.is_file()]


def _wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED
