"""Ways to bring the scores of several retrievers onto one scale.

Each takes one retriever's scores and returns a value for every chunk; the hybrid adds the values
up, weighted. Chunks outside the scope never count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rageval.retrieval.retrievers.top import significant

Values = NDArray[np.float64]  # [n_queries, n_chunks]
Mask = NDArray[np.bool_]  # [n_queries, n_chunks]
_ROUNDING = 1e-6  # of the largest score: what differs by less is a tie


def standard(values: Values, matched: Mask, visible: Mask) -> Values:
    """Standardise a query's scores over all visible chunks: (score − mean) / deviation.

    A chunk that does not match counts with its score of 0. Without deviation, or one that is no
    more than rounding, everything is 0.

    Examples
    --------
    >>> everything = np.ones((1, 4), bool)
    >>> standard(np.array([[3.0, 1.0, 1.0, 3.0]]), everything, everything).tolist()
    [[1.0, -1.0, -1.0, 1.0]]
    """
    number = np.maximum(visible.sum(axis=1, keepdims=True), 1)
    mean = np.where(visible, values, 0).sum(axis=1, keepdims=True) / number
    square = np.where(visible, (values - mean) ** 2, 0).sum(axis=1, keepdims=True) / number
    deviation = np.sqrt(square)
    differ = deviation > _ROUNDING * _largest(values, visible)
    scaled: Values = np.where(differ, (values - mean) / np.where(differ, deviation, 1), 0)
    return scaled


def unit_range(values: Values, matched: Mask, visible: Mask) -> Values:
    """Stretch a query's scores over all visible chunks to 0..1.

    Scores that are equal but for rounding are all 0.

    Examples
    --------
    >>> everything = np.ones((1, 3), bool)
    >>> unit_range(np.array([[0.0, 1.0, 4.0]]), everything, everything).tolist()
    [[0.0, 0.25, 1.0]]
    """
    low = np.where(visible, values, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    high = np.where(visible, values, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    differ = high - low > _ROUNDING * _largest(values, visible)
    scaled: Values = np.where(visible & differ, (values - low) / np.where(differ, high - low, 1), 0)
    return scaled


def _largest(values: Values, visible: Mask) -> Values:
    """Return the largest magnitude of a query's visible scores: [n_queries, 1]."""
    largest: Values = np.where(visible, np.abs(values), 0).max(axis=1, keepdims=True, initial=0)
    return largest


_RANK_CONSTANT = 60  # Cormack, Clarke and Büttcher 2009


def reciprocal_rank(values: Values, matched: Mask, visible: Mask) -> Values:
    """Turn ranks into 1 / (60 + rank); a chunk that is not in the list gets 0.

    Examples
    --------
    >>> everything = np.ones((1, 2), bool)
    >>> (1 / reciprocal_rank(np.array([[0.2, 0.7]]), everything, everything)).round().tolist()
    [[62.0, 61.0]]
    """
    listed = matched & visible
    order = np.argsort(np.where(listed, -significant(values), np.inf), axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(1, values.shape[1] + 1)[None, :], axis=1)
    scaled: Values = np.where(listed, 1 / (_RANK_CONSTANT + rank), 0)
    return scaled


FUSIONS: dict[str, Callable[[Values, Mask, Mask], Values]] = {
    "zscore": standard,
    "minmax": unit_range,
    "rrf": reciprocal_rank,
}
