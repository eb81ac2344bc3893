"""Searching by scores: what our own indexes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.retrieval.retrievers.retriever import Candidates, Query, Scores
from rageval.retrieval.retrievers.top import top

_CELLS = 4_000_000  # scores held at once: 32 MB of them


@dataclass(frozen=True)
class ScoredIndex:
    """An index that scores every chunk; searching takes the best, a block of queries at a time."""

    size: int  # chunks
    score: Callable[[Sequence[Query]], Scores]
    unkept: Callable[[Sequence[Query]], Scores] | None = None  # as `score`, of parts that keep none

    @property
    def direct(self) -> ScoredIndex:
        """Return an index whose answers take the time that they take."""
        return self if self.unkept is None else ScoredIndex(self.size, self.unkept)

    def scores(self, queries: Sequence[Query]) -> Scores:
        """Return the score of every chunk."""
        return self.score(queries)

    def search(self, queries: Sequence[Query], depth: int) -> Candidates:
        """Return the best chunks of each query (see `rageval.retrieval.retrievers.top`)."""
        step = max(1, _CELLS // max(1, self.size))
        blocks = [queries[at : at + step] for at in range(0, len(queries), step)]
        return joined([top(self.score(block), block, depth) for block in blocks])


def joined(parts: Sequence[Candidates]) -> Candidates:
    """Put the candidates of consecutive batches below each other."""
    width = max((part.chunk.shape[1] for part in parts), default=0)
    if not parts:
        return Candidates(np.zeros((0, 0), np.int32), np.zeros((0, 0)), np.zeros((0, 0)))

    def wide(rows: np.ndarray, fill: int) -> np.ndarray:
        return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=fill)

    starts = np.cumsum([0, *(len(part.chunk) for part in parts)])
    errors = {
        int(start) + row: fault
        for start, part in zip(starts, parts, strict=False)
        for row, fault in part.errors.items()
    }
    return Candidates(
        np.concatenate([wide(part.chunk, -1) for part in parts]),
        np.concatenate([wide(part.score, 0) for part in parts]),
        np.concatenate([wide(part.raw, 0) for part in parts]),
        errors,
        ties=all(part.ties for part in parts),
        seconds=_seconds(parts),
        before=_before(parts),
    )


def _before(parts: Sequence[Candidates]) -> NDArray[np.int32] | None:
    """Return the orders of a first stage of consecutive batches, where all of them have some."""
    orders = [part.before for part in parts if part.before is not None]
    if not orders or len(orders) < len(parts):
        return None
    width = max(order.shape[1] for order in orders)
    return np.concatenate(
        [
            np.pad(order, ((0, 0), (0, width - order.shape[1])), constant_values=-1)
            for order in orders
        ]
    )


def _seconds(parts: Sequence[Candidates]) -> NDArray[np.float64] | None:
    """Return how long each query of consecutive batches took, where all of them were timed."""
    timed = [part.seconds for part in parts if part.seconds is not None]
    return np.concatenate(timed) if len(timed) == len(parts) else None
