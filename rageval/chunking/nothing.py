"""No chunks of ours: the retriever's own passages are measured."""

from __future__ import annotations

from typing import ClassVar

from rageval.chunking.chunks import Offsets
from rageval.corpus.document import Document
from rageval.schema.fields import component


@component
class NoChunks:
    """Cuts nothing, for a retriever that brings its own passages."""

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()
    complete: ClassVar[bool] = False  # what the retriever holds is seen only as it comes back

    def spans(self, document: Document) -> list[Offsets]:
        """Return no span."""
        return []
