"""Where labelled items stand in rankings: the integers that every rank measure is made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer[Any]]
Grades = NDArray[np.integer[Any]] | NDArray[np.floating[Any]]
_CELLS = 131_072  # compared at once: what a processor's cache holds

ABSENT = 0  # the rank of what is not in the ranking; ranks begin at 1


def ranks_of(ranked: Ints, question: Ints, item: Ints) -> NDArray[np.int32]:
    """Return the rank at which each (question, item) pair first stands, 1 = first, 0 = absent.

    Parameters
    ----------
    ranked
        [n_questions, depth] items by rank; negative = no item.
    question, item
        [n_pairs] row of `ranked`, and the item looked for.

    Examples
    --------
    >>> ranked = np.array([[7, 8, 9], [8, -1, -1]])
    >>> ranks_of(ranked, np.array([0, 0, 1]), np.array([9, 5, 8])).tolist()
    [3, 0, 1]
    """
    ranks = np.zeros(len(question), dtype=np.int32)
    if ranked.shape[1] == 0:
        return ranks
    step = max(1, _CELLS // ranked.shape[1])
    each = np.arange(step)
    for at in range(0, len(question), step):
        pairs = slice(at, at + step)
        same = ranked.take(question[pairs], axis=0) == item[pairs, None]
        place = same.argmax(axis=1)
        ranks[pairs] = np.where(same[each[: len(place)], place], place + 1, ABSENT)
    return ranks


def first_rank(n: int, question: Ints, rank: Ints) -> NDArray[np.int32]:
    """Return each question's best rank among its pairs, 0 where none is present: [n].

    Examples
    --------
    >>> first_rank(3, np.array([0, 0, 1]), np.array([5, 2, 0])).tolist()
    [2, 0, 0]
    """
    never = np.iinfo(np.int32).max
    best = np.full(n, never, dtype=np.int32)
    standing = np.where(rank > ABSENT, rank, never).astype(np.int32)
    if len(question) and (question[1:] >= question[:-1]).all():
        starts = np.flatnonzero(np.diff(question, prepend=question[0] - 1))
        best[question[starts]] = np.minimum.reduceat(standing, starts)
    else:
        np.minimum.at(best, question, standing)
    return np.where(best == never, np.int32(ABSENT), best)
