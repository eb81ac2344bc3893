"""From scores to candidates: the one place where our retrievers order and cut.

Equal scores are ordered by the numbers of their chunks. Those follow the order of the corpus, which
is by a hash of the document's id with a fixed seed (`Corpus.in_tie_order`), and within a document
by position: no order in which a file lists its documents is evidence of anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rageval.retrieval.retrievers.retriever import Candidates, Query, Scores

_DIGITS = 6  # significant; what differs by less is a tie on any machine
_SAMPLED = 16  # every so many scores are looked at before all are


def significant(values: NDArray[np.float64], digits: int = _DIGITS) -> NDArray[np.float64]:
    """Round to significant decimal digits.

    Examples
    --------
    >>> significant(np.array([123.4567, 0.00012345678, -2.0, 0.0])).tolist()
    [123.457, 0.000123457, -2.0, 0.0]
    """
    size = np.abs(np.where(values == 0, 1, values))
    factor = 10.0 ** (digits - 1 - np.floor(np.log10(size)))
    rounded: NDArray[np.float64] = np.round(values * factor) / factor
    return rounded


def top(scores: Scores, queries: Sequence[Query], depth: int) -> Candidates:
    """Take the best `depth` chunks of each query that match it and lie inside its scope.

    Ordered by score, rounded to 6 significant digits, descending; ties by number of the chunk.
    """
    found = [
        _best(scores.value[row], scores.matched[row] & query.scope.visible, depth)
        if row not in scores.errors
        else np.zeros(0, np.int64)
        for row, query in enumerate(queries)
    ]
    shape = (len(queries), max((len(best) for best in found), default=0))
    chunk = np.full(shape, -1, dtype=np.int32)
    value, raw = np.zeros(shape), np.zeros(shape)
    for row, best in enumerate(found):
        chunk[row, : len(best)] = best
        value[row, : len(best)] = significant(scores.value[row, best])
        raw[row, : len(best)] = scores.raw[row, best]
    return Candidates(chunk, value, raw, scores.errors, ties=True)


def _best(values: NDArray[np.float64], allowed: NDArray[np.bool_], depth: int) -> NDArray[np.int64]:
    """Return the numbers of the best allowed chunks, in order."""
    numbers = np.flatnonzero(_promising(values, allowed, depth))
    kept = values[numbers]
    if len(numbers) > depth:
        near = kept >= _bar(kept, depth)
        numbers, kept = numbers[near], kept[near]
    order = np.argsort(-significant(kept), kind="stable")[:depth]
    return numbers[order]


def _promising(
    values: NDArray[np.float64], allowed: NDArray[np.bool_], depth: int
) -> NDArray[np.bool_]:
    """Rule out what cannot be among the best: what is below the last of a sample's best."""
    sample = values[::_SAMPLED][allowed[::_SAMPLED]]
    return allowed & (values >= _bar(sample, depth)) if len(sample) > depth else allowed


def _bar(values: NDArray[np.float64], depth: int) -> float:
    """Return the last of the best values, less what rounding may tie with it."""
    last = float(np.partition(values, len(values) - depth)[len(values) - depth])
    return last - abs(last) * 10.0 ** (1 - _DIGITS)
