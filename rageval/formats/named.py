"""Which document a path, a file name or an address of another tool means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import near_names

_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_TITLE = re.compile(r"\s*#\s+(.+?)\s*#*\s*(?:\n|\Z)")
_FRONT = frozenset({"index", "_index", "readme"})  # pages that stand for their folder
_LISTED = 5  # documents in a message


class DocumentNames:
    """Looks up documents by what other tools call them."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def id_of(self, source: str) -> str:
        """Return the document that a source means.

        A source is an id; an id with a suffix (`leave.md`), from another root (`site/docs/leave`)
        or without its folders (`leave` for `hr/leave`); an address of a page; or a file name or
        title in the same letters and digits (`Sick leave.pdf` for `sick-leave`). Case does not
        count where only one document is left.

        Raises
        ------
        InputError
            If it means none or several.
        """
        found = self._candidates(source)
        if len(found) == 1:
            return found[0]
        if found:
            named = ", ".join(found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
            raise InputError(
                f"the source {source!r} names {len(found)} documents of the corpus: {named}; "
                "write more of the path"
            )
        near = near_names([source], self._corpus.number)[source]
        raise InputError(f"the source {source!r} names no document of the corpus{near}")

    def knows(self, source: str) -> bool:
        """Say whether a source means exactly one document."""
        return len(self._candidates(source)) == 1

    def _candidates(self, source: str) -> list[str]:
        for name in (source, _SUFFIX.sub("", source)):
            if name in self._corpus.number:
                return [name]
        parts = _parts(source)
        if not parts:
            return []
        near = {name: shared for name, shared in self._same_end(parts)}
        whole = [name for name, complete in near.items() if complete]
        if whole or parts[-1] in _FRONT:
            return whole
        return list(near) or self._by_letters.get(_letters(parts[-1]), [])

    def _same_end(self, parts: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
        """Yield the documents with the same last part, with whether one path ends the other."""
        for name, path in self._by_end.get(parts[-1], ()):
            shared = min(len(path), len(parts))
            yield name, path[-shared:] == parts[-shared:]
        if len(parts) > 1 and parts[-1] in _FRONT:
            for name, path in self._by_end.get(parts[-2], ()):
                shared = min(len(path), len(parts) - 1)
                yield name, path[-shared:] == parts[:-1][-shared:]

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        """The documents by the letters and digits of their last part, and of their titles."""
        found: dict[str, dict[str, None]] = {}
        for document in self._corpus:
            title = _TITLE.match(document.text)
            for name in (document.id.rpartition("/")[2], title[1] if title else ""):
                if letters := _letters(name):
                    found.setdefault(letters, {})[document.id] = None
        return {letters: list(names) for letters, names in found.items()}

    @cached_property
    def _by_end(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """The documents by the last part of their paths, front pages by their folder as well."""
        found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for name in self._corpus.number:
            path = _parts(name)
            if not path:
                continue
            found.setdefault(path[-1], []).append((name, path))
            if len(path) > 1 and path[-1] in _FRONT:
                found.setdefault(path[-2], []).append((name, path[:-1]))
        return found


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def document_of(source: str, corpus: Corpus) -> str:
    """Return the document that a path or name means; see `DocumentNames`.

    Raises
    ------
    InputError
        If it means none or several.
    """
    return DocumentNames(corpus).id_of(source)


def _parts(source: str) -> tuple[str, ...]:
    r"""Return the parts of a path or of an address, the last one without its suffix.

    Examples
    --------
    >>> _parts("https://docs.example.org/Guide/leave/#sick"), _parts(r"docs\leave.md")
    (('guide', 'leave'), ('docs', 'leave'))
    """
    path = source.strip()
    if "://" in path:
        path = unquote(urlsplit(path).path)
    path = path.partition("#")[0].replace("\\", "/").casefold()
    parts = [part for part in PurePosixPath(path).parts if part not in ("/", ".", "..")]
    if parts:
        parts[-1] = _SUFFIX.sub("", parts[-1])
    return tuple(parts)
