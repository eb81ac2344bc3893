"""One chunk per document."""

from __future__ import annotations

from typing import ClassVar

from rageval.chunking.chunks import Offsets
from rageval.chunking.headers import Header
from rageval.corpus.document import Document
from rageval.schema.fields import component


@component
class WholeDocument:
    """The whole document is its one chunk; an empty document has none."""

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    header: Header = "none"  # what a retriever reads before each text

    def spans(self, document: Document) -> list[Offsets]:
        """Return the document from its first character to its last."""
        return [(0, len(document.text))] if document.text else []
