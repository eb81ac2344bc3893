"""Candidates without the documents that their questions themselves are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rageval.retrieval.retrievers.retriever import Candidates


def without(
    found: Candidates, own: Sequence[int | None], document: NDArray[np.int32], depth: int
) -> Candidates:
    """Return candidates without each query's own document, at most `depth` of them.

    `document` holds the document of each chunk. The order of the others stays.

    Examples
    --------
    >>> row = Candidates(np.array([[2, 0, 1]], np.int32), np.zeros((1, 3)), np.zeros((1, 3)))
    >>> without(row, [2], np.array([0, 1, 2], np.int32), depth=2).chunk.tolist()
    [[0, 1]]
    """
    mine = np.array([-1 if number is None else number for number in own], dtype=np.int64)
    of = np.where(found.chunk >= 0, document[found.chunk], -2)
    lost = of == mine[:, None]
    # Stable, so that what stays moves up in its order and what goes ends as a place after the last.
    order = np.argsort(lost, axis=1, kind="stable")[:, :depth]
    chunk = np.take_along_axis(np.where(lost, -1, found.chunk), order, axis=1).astype(np.int32)
    score, raw = (np.take_along_axis(column, order, axis=1) for column in (found.score, found.raw))
    return replace(found, chunk=chunk, score=score, raw=raw)
