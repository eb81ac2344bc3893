"""One chunk per Markdown section."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import Field

from rageval.chunking.chunks import Offsets
from rageval.chunking.headers import Header
from rageval.chunking.sections import sections
from rageval.corpus.document import Document
from rageval.schema.fields import component

Level = Annotated[int, Field(strict=True, ge=1, le=6)]


@component
class Headings:
    r"""A chunk begins at each heading of at most `level` (`##` is 2) and reaches to the next.

    The text before the first heading is a chunk of its own; so is a document without headings.
    White space at a chunk's end is left out.

    Examples
    --------
    >>> Headings().spans(Document("d", "Intro\n\n# A\nx\n## B\ny\n"))
    [(0, 5), (7, 12), (13, 19)]
    >>> Headings(level=1).spans(Document("d", "Intro\n\n# A\nx\n## B\ny\n"))
    [(0, 5), (7, 19)]
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("markdown-it-py",)

    level: Level = 6
    header: Header = "none"  # what a retriever reads before each text

    def spans(self, document: Document) -> list[Offsets]:
        """Return the chunks in reading order."""
        text = document.text
        heads = [section.start for section in sections(text) if section.level <= self.level]
        borders = sorted({0, *heads, len(text)})
        trimmed = [
            (start, start + len(text[start:end].rstrip())) for start, end in pairwise(borders)
        ]
        return [(start, end) for start, end in trimmed if start < end]
