"""Chunks of a fixed size."""

from __future__ import annotations

import re
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from rageval.chunking.chunks import Offsets
from rageval.chunking.headers import Header
from rageval.corpus.document import Document
from rageval.schema.fields import Count, Natural, component

_TOKEN = re.compile(r"\w+|[^\w\s]")  # a run of letters, digits and _, or one other visible sign


@component
class FixedSize:
    r"""Chunks of `size` units, of which the first `overlap` are the end of the chunk before.

    The unit is a character, or a word-like token: a match of ``\w+|[^\w\s]``. A chunk of tokens
    reaches from the begin of its first to the end of its last. The last chunk may be shorter. Where
    words are written without spaces between (Chinese, Thai), characters are the better unit.

    Examples
    --------
    >>> FixedSize(size=4, overlap=1).spans(Document("d", "abcdefgh"))
    [(0, 4), (3, 7), (6, 8)]
    >>> FixedSize(size=2, overlap=0, unit="tokens").spans(Document("d", "One, two three"))
    [(0, 4), (5, 14)]
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    size: Count = 1000
    overlap: Natural = 0
    unit: Literal["characters", "tokens"] = "characters"
    header: Header = "none"  # what a retriever reads before each text

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError(f"overlap is {self.overlap}, it must be below the size {self.size}")
        return self

    def spans(self, document: Document) -> list[Offsets]:
        """Return the chunks in reading order."""
        if self.unit == "characters":
            return self._windows(len(document.text))
        tokens = [match.span() for match in _TOKEN.finditer(document.text)]
        return [
            (tokens[first][0], tokens[last - 1][1]) for first, last in self._windows(len(tokens))
        ]

    def _windows(self, length: int) -> list[Offsets]:
        """Return the half-open windows over that many units; the last one reaches the end."""
        step = self.size - self.overlap
        starts = range(0, max(length - self.overlap, min(length, 1)), step)
        return [(start, min(start + self.size, length)) for start in starts]
