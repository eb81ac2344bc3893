"""Chunks cut at the strongest separator that keeps them small enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from rageval.chunking.chunks import Offsets
from rageval.chunking.headers import Header
from rageval.corpus.document import Document
from rageval.schema.fields import Count, Natural, component

Separator = Annotated[str, Field(strict=True, min_length=1)]


@component
class Recursive:
    r"""The document is split at the first separator, what is still too long at the next, and so on.

    Neighbouring pieces are then merged up to `size` characters, and a chunk begins with those last
    pieces of the chunk before that fit into `overlap`. A separator stays at the end of its piece; a
    piece that no separator makes small enough is cut every `size` characters. White space around a
    chunk is left out.

    Examples
    --------
    >>> text = "One two.\n\nThree four five.\n\nSix."
    >>> chunks = Recursive(size=12).spans(Document("d", text))
    >>> [text[start:end] for start, end in chunks]
    ['One two.', 'Three four', 'five.\n\nSix.']
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    size: Count = 1000
    overlap: Natural = 0
    separators: tuple[Separator, ...] = ("\n\n", "\n", " ")
    header: Header = "none"  # what a retriever reads before each text

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError(f"overlap is {self.overlap}, it must be below the size {self.size}")
        return self

    def spans(self, document: Document) -> list[Offsets]:
        """Return the chunks in reading order."""
        text = document.text
        pieces = self._pieces(text, (0, len(text)), self.separators)
        found: list[Offsets] = []
        for start, end in self._merged(pieces):
            first = end - len(text[start:end].lstrip())
            last = start + len(text[start:end].rstrip())
            if first < last and (not found or last > found[-1][1]):
                found.append((first, last))
        return found

    def _pieces(self, text: str, span: Offsets, separators: tuple[str, ...]) -> Iterator[Offsets]:
        """Yield pieces of at most `size` characters that join to the span."""
        start, end = span
        if end - start <= self.size:
            if start < end:
                yield span
        elif not separators:
            for place in range(start, end, self.size):
                yield place, min(place + self.size, end)
        else:
            for part in _split(text, span, separators[0]):
                yield from self._pieces(text, part, separators[1:])

    def _merged(self, pieces: Iterator[Offsets]) -> Iterator[Offsets]:
        """Yield runs of pieces of at most `size` characters, each as long as the order allows."""
        run: deque[Offsets] = deque()
        for piece in pieces:
            if run and piece[1] - run[0][0] > self.size:
                yield run[0][0], run[-1][1]
                while run and self._too_long(run, piece):
                    run.popleft()
            run.append(piece)
        if run:
            yield run[0][0], run[-1][1]

    def _too_long(self, run: deque[Offsets], piece: Offsets) -> bool:
        """Say whether the run is more than the overlap, or leaves no room for the next piece."""
        start = run[0][0]
        return run[-1][1] - start > self.overlap or piece[1] - start > self.size


def _split(text: str, span: Offsets, separator: str) -> Iterator[Offsets]:
    """Yield the parts of a span, each with the separator that ends it."""
    start, end = span
    while start < end:
        place = text.find(separator, start, end)
        after = end if place < 0 else place + len(separator)
        yield start, after
        start = after
