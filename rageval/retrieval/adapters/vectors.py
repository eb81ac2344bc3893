"""Vectors for an engine: of our chunks when we build its index, and of every question."""

from __future__ import annotations

from collections.abc import Sequence

from rageval.errors import InputError
from rageval.retrieval.encoders.encoder import Encoder, Encoding, QueryEncoding, Vectors


def fitted(encoder: Encoder, texts: Sequence[str]) -> Encoding:
    """Return the encoding of an index.

    Raises
    ------
    InputError
        If the encoder learns from a corpus and there are no chunks to learn from: vectors of an
        index that exists were made by another model.
    """
    if not texts and not getattr(encoder, "pretrained", False):
        name = type(encoder).__name__
        raise InputError(
            f"encoder: {name} learns from our chunks, so it cannot have made the vectors of an "
            "index that exists; choose the encoder that made them (encoder=sentence_transformers "
            "encoder.model=…)"
        )
    return encoder.fit(texts)


def of_question(encoding: Encoding, question: str) -> list[float]:
    """Return the vector of one question."""
    asked: Vectors = (
        encoding.encode_queries([question])
        if isinstance(encoding, QueryEncoding)
        else encoding.encode([question])
    )
    return [float(value) for value in asked[0]]
