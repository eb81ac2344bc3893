"""Where a text stands in a corpus, found without reading every document for every text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from rageval.corpus.document import Corpus
from rageval.judging.quotes import Quoting, places_of_quote

_WORD = re.compile(r"\w+")
_RAREST = 4  # words of a text that choose the documents to look into


class Place(NamedTuple):
    """Characters of a document."""

    document: int  # number of the document in its corpus
    start: int  # half-open characters
    end: int


class TextIndex:
    """The words of every document of a corpus; it is made when the first text is looked up."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def places(self, text: str, document: int | None = None) -> list[Place]:
        """Return where a text stands: character for character, or else up to white space.

        Parameters
        ----------
        text
            What is looked up.
        document
            The document to look into; None = all of them.

        Examples
        --------
        >>> from rageval.corpus.document import Document
        >>> corpus = Corpus((Document("a", "one two"), Document("b", "two  three four")), "test")
        >>> TextIndex(corpus).places("two three"), TextIndex(corpus).places("two")
        ([Place(document=1, start=0, end=10)], [Place(document=0, start=4, end=7), \
Place(document=1, start=0, end=3)])
        """
        if not text.strip():
            return []
        numbers = self._holding(text) if document is None else [document]
        ways: tuple[Quoting, ...] = ("exact", "space")
        for way in ways:
            found = list(self._in(numbers, text if way == "exact" else text.strip(), way))
            if found:
                return found
        return []

    def _in(self, numbers: Sequence[int], text: str, way: Quoting) -> Iterator[Place]:
        for number in numbers:
            for start, end in places_of_quote(text, self._corpus[number].text, way):
                yield Place(number, start, end)

    def _holding(self, text: str) -> list[int]:
        """Return the documents that hold the rarest words of a text.

        Its first and its last word may have been cut, so they do not count.
        """
        words = set(_WORD.findall(text)[1:-1])
        if not words:
            return list(range(len(self._corpus)))
        lists = sorted((self._documents.get(word, ()) for word in words), key=len)[:_RAREST]
        return sorted(set(lists[0]).intersection(*lists[1:]))

    @cached_property
    def _documents(self) -> dict[str, Sequence[int]]:
        """The documents that hold each word."""
        found: dict[str, list[int]] = {}
        for number, document in enumerate(self._corpus):
            for word in set(_WORD.findall(document.text)):
                found.setdefault(word, []).append(number)
        return dict(found)
