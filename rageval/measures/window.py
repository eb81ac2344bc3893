"""Window measures: they look at the chunks that would reach the model, no more and no less.

All take the support table of a chunking (see `rageval.judging.qrels`): one row for each chunk that
supports an alternative of a requirement of a question, with the chunk's rank in the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rageval.measures.ranks import ABSENT, Ints, first_rank


@dataclass(frozen=True)
class Support:
    """Supporting chunks with their ranks in the window; rows are sorted by the first three."""

    n: int  # questions
    question: Ints  # [m]
    requirement: Ints  # [m] 0, 1, … within the question; all are needed
    alternative: Ints  # [m] 0, 1, … within the requirement; any suffices
    chunk: Ints  # [m]
    rank: Ints  # [m] 1 = first in the window, 0 = not in it
    required: Ints  # [n] number of requirements

    @cached_property
    def first(self) -> NDArray[np.int32]:
        """The rank of each question's first supporting chunk in the window, 0 = none: [n]."""
        return first_rank(self.n, self.question, self.rank)


def recall(support: Support) -> NDArray[np.bool_]:
    """Say whether any supporting chunk reached the window: [n]. Range {0, 1}.

    Source: the chapter "Evaluating retrieval on its own" (success at the window's size).

    Examples
    --------
    >>> recall(_example()).tolist()
    [True]
    """
    return support.first > ABSENT


def reciprocal_rank(support: Support) -> NDArray[np.float64]:
    """Return 1 / rank of the window's first supporting chunk, 0 if there is none: [n].

    Its mean is the mrr. Range 0..1.

    Examples
    --------
    >>> reciprocal_rank(_example()).tolist()
    [0.5]
    """
    inverse: NDArray[np.float64] = np.divide(
        1.0, support.first, out=np.zeros(support.n), where=support.first > ABSENT
    )
    return inverse


def precision(support: Support, length: Ints) -> NDArray[np.float64]:
    """Return the share of the window that supports anything; `length` is the window's: [n].

    A chunk that supports several requirements counts once. Range 0..1; an empty window gets 0.

    Examples
    --------
    >>> precision(_example(), np.array([4])).tolist()
    [0.25]
    """
    inside = support.rank > ABSENT
    found = _distinct(support.n, support.question[inside], support.chunk[inside])
    share: NDArray[np.float64] = np.divide(found, length, out=np.zeros(support.n), where=length > 0)
    return share


def completeness(support: Support) -> NDArray[np.float64]:
    """Return required evidence items found / required items: [n].

    An item is found when a window chunk supports any of its alternatives. Range 0..1; 0 without
    items.

    Examples
    --------
    >>> completeness(_example()).tolist()  # the first of two items is found
    [0.5]
    """
    inside = support.rank > ABSENT
    found = _distinct(support.n, support.question[inside], support.requirement[inside])
    share: NDArray[np.float64] = np.divide(
        found, support.required, out=np.zeros(support.n), where=support.required > 0
    )
    return share


def chunk_completeness(support: Support) -> NDArray[np.float64]:
    """Return supporting chunks found / supporting chunks that exist: [n].

    The chapter's literal formula. Of several alternatives the one found best counts, the first
    named on a tie. A chunk counts once. Range 0..1; 0 where no chunk supports anything.

    Examples
    --------
    >>> chunk_completeness(_example()).round(3).tolist()  # 1 of 2 chunks, and 0 of 1
    [0.333]
    """
    rows = _best_alternative(support)
    inside = rows & (support.rank > ABSENT)
    found = _distinct(support.n, support.question[inside], support.chunk[inside])
    exist = _distinct(support.n, support.question[rows], support.chunk[rows])
    share: NDArray[np.float64] = np.divide(found, exist, out=np.zeros(support.n), where=exist > 0)
    return share


def _best_alternative(support: Support) -> NDArray[np.bool_]:
    """Mark the rows of the alternative that is found best in each requirement: [m]."""
    if len(support.question) == 0:
        return np.zeros(0, dtype=bool)
    keys = np.stack([support.question, support.requirement, support.alternative], axis=1)
    options, option = np.unique(keys, axis=0, return_inverse=True)
    option = option.reshape(-1)
    share = np.bincount(option, support.rank > ABSENT) / np.bincount(option)
    order = np.lexsort((options[:, 2], -share, options[:, 1], options[:, 0]))
    needs = options[order, :2]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (needs[1:] != needs[:-1]).any(axis=1)
    chosen = np.zeros(len(options), dtype=bool)
    chosen[order[first]] = True
    rows: NDArray[np.bool_] = chosen[option]
    return rows


def _distinct(n: int, question: Ints, item: Ints) -> NDArray[np.int64]:
    """Count the distinct items of each question: [n]."""
    if len(question) == 0:
        return np.zeros(n, np.int64)
    width = np.int64(item.max()) + 1
    pairs = question.astype(np.int64) * width + item
    if not (pairs[1:] > pairs[:-1]).all():
        pairs = np.unique(pairs)
    return np.bincount(pairs // width, minlength=n)


def _example() -> Support:
    """Return one question with two items: chunks 3 and 4 support the first, 9 the second."""
    column = np.array
    return Support(
        n=1,
        question=column([0, 0, 0]),
        requirement=column([0, 0, 1]),
        alternative=column([0, 0, 0]),
        chunk=column([3, 4, 9]),
        rank=column([2, 0, 0]),
        required=column([2]),
    )
