"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.floating[Any]]  # [n, dimensions], rows of length 1, or 0 for an empty text


class Encoding(Protocol):
    """An encoder that is ready to encode."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text."""
        ...


@runtime_checkable
class QueryEncoding(Encoding, Protocol):
    """An encoding that treats questions otherwise than passages."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a question."""
        ...


@runtime_checkable
class Encoder(Protocol):
    """Makes an encoding; one that learns from the corpus does so here."""

    def fit(self, texts: Sequence[str]) -> Encoding:
        """Return the encoding for a corpus of these chunk texts."""
        ...


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale every row to length 1; a row of zeros stays.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = vectors / np.where(lengths > 0, lengths, 1)
    return scaled
