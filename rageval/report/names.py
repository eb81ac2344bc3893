"""How a passage is called outside."""

from __future__ import annotations

from rageval.chunking.chunks import Chunks


def passage(chunks: Chunks, number: int) -> str:
    """Return a chunk's id: `<document>#<start>-<end>`."""
    document = chunks.corpus[int(chunks.document[number])]
    return f"{document.id}#{int(chunks.start[number])}-{int(chunks.end[number])}"
