"""One chunk per document."""

from __future__ import annotations

from rageval.chunking.chunks import Offsets
from rageval.corpus.document import Document
from rageval.fields import component


@component
class WholeDocument:
    """The whole document is its one chunk; an empty document has none."""

    def spans(self, document: Document) -> list[Offsets]:
        """Return the document from its first character to its last."""
        return [(0, len(document.text))] if document.text else []
