"""Chunks of a few sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Annotated, ClassVar, Self

import sentencex
from pydantic import Field, model_validator

from rageval.chunking.chunks import Offsets
from rageval.chunking.headers import Header
from rageval.corpus.document import Document
from rageval.schema.fields import Count, Natural, component

Language = Annotated[str, Field(strict=True, pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]

_PARAGRAPH = re.compile(r"\S[^\r\n]*(?:(?:\r\n|\n|\r)[^\S\r\n]*\S[^\r\n]*)*")  # up to a blank line
_LONGEST = 5_000  # characters segmented at once: the library's time grows with their square
_ODD = re.compile(r"[^\S\t\n\r ]|[\ud800-\udfff]")  # spaces and surrogates that stop the library


@component
class Sentences:
    """Chunks of `per_chunk` sentences, the first `overlap` of them the last of the chunk before.

    A blank line ends a sentence. White space around a chunk is left out. The language is an ISO 639
    code; one that the library `sentencex` does not know is cut by its general rules.

    Examples
    --------
    >>> text = "Dr. Roe left. She came back. All was well."
    >>> chunks = Sentences(per_chunk=2, overlap=1).spans(Document("d", text))
    >>> [text[start:end] for start, end in chunks]
    ['Dr. Roe left. She came back.', 'She came back. All was well.']
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("sentencex",)

    language: Language = "en"
    per_chunk: Count = 3
    overlap: Natural = 0
    header: Header = "none"  # what a retriever reads before each text

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.overlap >= self.per_chunk:
            raise ValueError(f"overlap is {self.overlap}, it must be below {self.per_chunk}")
        return self

    def spans(self, document: Document) -> list[Offsets]:
        """Return the chunks in reading order."""
        sentences = list(_sentences(document.text, self.language))
        step = self.per_chunk - self.overlap
        starts = range(0, max(len(sentences) - self.overlap, min(len(sentences), 1)), step)
        groups = [sentences[start : start + self.per_chunk] for start in starts]
        return [(group[0][0], group[-1][1]) for group in groups]


def _sentences(text: str, language: str) -> Iterator[Offsets]:
    """Yield the sentences without the white space around them."""
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.span()
        while start < end:
            stop = min(start + _LONGEST, end)
            sentences = _segment(text[start:stop], language)
            if stop < end and len(sentences) > 1:
                sentences.pop()  # it may go on behind the border
            for sentence in sentences:
                yield from _trimmed(sentence, start)
                start += len(sentence)


def _trimmed(sentence: str, start: int) -> Iterator[Offsets]:
    inner = sentence.strip()
    if inner:
        first = start + len(sentence) - len(sentence.lstrip())
        yield first, first + len(inner)


def _segment(piece: str, language: str) -> list[str]:
    """Return a piece as sentences that join to it, character for character."""
    lengths = [len(part) for part in sentencex.segment(language, _ODD.sub(" ", piece))]
    if sum(lengths) != len(piece):  # a loss would shift every later span
        return [piece]
    return [
        piece[end - length : end] for length, end in zip(lengths, accumulate(lengths), strict=True)
    ]
