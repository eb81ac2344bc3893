"""The headings of one document, for looking up where a path of headings stands."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from functools import cached_property

from rageval.chunking.chunks import Offsets
from rageval.chunking.sections import Section, plain_title, sections
from rageval.errors import InputError

_LISTED = 10  # headings in a message: more help nobody

_Path = tuple[str, ...]


class Outline:
    """The sections of a Markdown text by their paths.

    Titles are compared after NFKC, case folding and collapsing of white space, without inline
    markup. A path may leave out the document's first-level heading if there is only one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._sections = sections(text)

    def place(self, heading: _Path) -> Offsets:
        r"""Return the place of the section with this path and of the sections below it.

        White space at the end of the section is left out.

        Raises
        ------
        InputError
            If no section has the path (the nearest is offered), or several have it.

        Examples
        --------
        >>> Outline("# Leave\n## Sick\nx\n## Paid\n").place(("sick",))
        (8, 17)
        """
        matches = self._matches(heading)
        if not matches:
            raise InputError(self._no_such(" > ".join(heading)))
        if len(matches) > 1:
            lines = ", ".join(str(section.line) for section in matches[:_LISTED])
            told = f"{len(matches)} headings are named so, on lines {lines}"
            raise InputError(f"{told}: give a quote or a span")
        start, end = matches[0].start, matches[0].end
        return start, start + len(self._text[start:end].rstrip())

    def ending(self, heading: _Path) -> list[Offsets]:
        r"""Return the places of the sections whose paths end so, as `place` does.

        Examples
        --------
        >>> Outline("# Leave\n## Sick\nx\n## Paid\n### Long\n").ending(("long",))
        [(26, 34)]
        """
        wanted = _normal(heading)
        return [
            (section.start, section.start + len(self._text[section.start : section.end].rstrip()))
            for section in self._sections
            if _normal(section.path)[-len(wanted) :] == wanted
        ]

    def _matches(self, heading: _Path) -> list[Section]:
        """Return the sections of this path: as written or without markup, whole or untitled."""
        for wanted in (_normal(heading), _normal(map(plain_title, heading))):
            for paths in (self._by_path, self._by_path_below_title):
                if wanted in paths:
                    return paths[wanted]
        return []

    @cached_property
    def _by_path(self) -> dict[_Path, list[Section]]:
        return _index((section.path, section) for section in self._sections)

    @cached_property
    def _by_path_below_title(self) -> dict[_Path, list[Section]]:
        titles = [section for section in self._sections if section.level == 1]
        if len(titles) != 1:
            return {}
        title = titles[0]
        return _index(
            (section.path[1:], section)
            for section in self._sections
            if title.start < section.start < title.end
        )

    def _no_such(self, wanted: str) -> str:
        paths = [" > ".join(section.path) for section in self._sections]
        if not paths:
            return "the document has no headings"
        titles = (section.title for section in self._sections)
        names = dict(zip(titles, paths, strict=True)) | dict(zip(paths, paths, strict=True))
        near = difflib.get_close_matches(wanted, names, n=1)
        offer = f", did you mean {names[near[0]]!r}?" if near else ""
        more = "; …" if len(paths) > _LISTED else ""
        return (
            f"the document has no such heading{offer}; it has: {'; '.join(paths[:_LISTED])}{more}"
        )


def _index(pairs: Iterable[tuple[_Path, Section]]) -> dict[_Path, list[Section]]:
    index: dict[_Path, list[Section]] = {}
    for path, section in pairs:
        index.setdefault(_normal(path), []).append(section)
    return index


def _normal(titles: Iterable[str]) -> _Path:
    return tuple(" ".join(unicodedata.normalize("NFKC", t).casefold().split()) for t in titles)
