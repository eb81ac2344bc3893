"""From candidates to the ranking, and from the ranking to the window that the model would see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError
from rageval.retrieval.retrievers.retriever import Candidates
from rageval.schema.fields import Count, Number, Record

KEPT, REPEATED, BELOW_FLOOR, OVER_CAP = 0, 1, 2, 3  # why a candidate is not in the ranking


def default_depth(k: int, deepest: int) -> int:
    """Return how many candidates are asked for: 4 × the window, or the deepest cutoff of a measure.

    Examples
    --------
    >>> default_depth(k=6, deepest=10)
    40
    """
    return 4 * max(k, deepest)


class Window(Record):
    """How candidates become a window."""

    k: Count = 6  # chunks in the window
    min_score: Number | None = None  # the floor on a candidate's raw score; None = none
    per_document: Count | None = None  # chunks that one document may have in a ranking; None = any
    depth: Count  # candidates asked of the retriever


@dataclass(frozen=True)
class Ranking:
    """The candidates that stayed, best first, a row a query; −1 marks places after the last."""

    chunk: NDArray[np.int32]  # [n_queries, depth]
    drop_reason: NDArray[
        np.int8
    ]  # [n_queries, depth] of each CANDIDATE: KEPT or why it is not in here

    @property
    def count(self) -> NDArray[np.int64]:
        """Return how many chunks each query's ranking holds: [n_queries]."""
        counts: NDArray[np.int64] = (self.chunk >= 0).sum(axis=1)
        return counts

    def first(self, k: int) -> NDArray[np.int32]:
        """Return the window: the first k chunks of each ranking, [n_queries, ≤ k]."""
        return self.chunk[:, :k]


def rank(candidates: Candidates, chunks: Chunks, window: Window) -> Ranking:
    """Drop repeated chunks, those below the floor and those over the per-document cap.

    A score equal to the floor stays. What is dropped for one reason does not count for the next.

    Raises
    ------
    InputError
        If there is a floor and the retriever gave no scores.
    """
    drop_reason = np.zeros(candidates.chunk.shape, dtype=np.int8)
    drop_reason[_repeats(candidates.chunk) > 0] = REPEATED
    if window.min_score is not None:
        if np.isnan(candidates.raw[candidates.chunk >= 0]).any():
            raise InputError(
                "window.min_score: the retriever returns ids without scores, so a floor has "
                "nothing to read; return (id, score) or set window.min_score=null"
            )
        drop_reason[(drop_reason == KEPT) & (candidates.raw < window.min_score)] = BELOW_FLOOR
    if window.per_document is not None:
        document = np.where(drop_reason == KEPT, chunks.document[candidates.chunk], -1)
        drop_reason[(drop_reason == KEPT) & (_repeats(document) >= window.per_document)] = OVER_CAP
    kept = (drop_reason == KEPT) & (candidates.chunk >= 0)
    return Ranking(left_aligned(candidates.chunk, kept), drop_reason)


def _repeats(items: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count, for each place of each row, the earlier places that hold the same item.

    Examples
    --------
    >>> _repeats(np.array([[7, 8, 7, 7]], np.int32)).tolist()
    [[0, 0, 1, 2]]
    """
    if items.shape[1] == 0:
        return np.zeros(items.shape, np.int64)
    order = np.argsort(items, axis=1, kind="stable")
    ordered = np.take_along_axis(items, order, axis=1)
    place = np.broadcast_to(np.arange(items.shape[1]), items.shape)
    starts = np.where(np.diff(ordered, axis=1, prepend=ordered[:, :1] - 1) != 0, place, 0)
    nth = place - np.maximum.accumulate(starts, axis=1)
    repeats = np.empty(items.shape, np.int64)
    np.put_along_axis(repeats, order, nth, axis=1)
    return repeats


def left_aligned(items: NDArray[np.int32], kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Move the kept items of each row to its left, in order; −1 fills the rest.

    Examples
    --------
    >>> left_aligned(np.array([[5, 6, 7]], np.int32), np.array([[False, True, True]])).tolist()
    [[6, 7, -1]]
    """
    order = np.argsort(~kept, axis=1, kind="stable")
    return np.take_along_axis(np.where(kept, items, np.int32(-1)), order, axis=1)


def distinct_documents(chunk: NDArray[np.int32], chunks: Chunks) -> NDArray[np.int32]:
    """Return the documents of each ranking, each at its first place: [n_queries, depth], −1 = none.

    The rule of document measures: keep the first occurrence of each document, then cut to k.
    """
    if len(chunks) == 0:
        return np.full(chunk.shape, -1, np.int32)
    document = np.where(chunk >= 0, chunks.document[chunk], np.int32(-1))
    return left_aligned(document, (document >= 0) & (_repeats(document) == 0))
