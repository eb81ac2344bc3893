"""Document measures: they look at the distinct documents of the ranking, best first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rageval.measures.ranks import ABSENT, Grades, Ints, first_rank, ranks_of


def hit(rank: Ints, k: int) -> NDArray[np.bool_]:
    """Say whether any target is among the k best distinct documents (ADR-072's top-k hit).

    hit@k = 1 if 1 ≤ rank ≤ k, else 0, with `rank` that of the best target: [n]. Range {0, 1}.

    Examples
    --------
    >>> hit(np.array([1, 3, 4, 0]), k=3).tolist()
    [True, True, False, False]
    """
    hits: NDArray[np.bool_] = (rank > ABSENT) & (rank <= k)
    return hits


def silence(count: Ints, failed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say whether a question that nothing answers got an empty ranking without a failure: [n].

    Examples
    --------
    >>> silence(np.array([0, 2, 0]), np.array([False, False, True])).tolist()
    [True, False, False]
    """
    silent: NDArray[np.bool_] = (count == 0) & ~failed
    return silent


def ndcg(
    ranked: Ints, question: Ints, document: Ints, grade: Grades, k: int
) -> NDArray[np.float64]:
    """Return nDCG@k with linear gains (Järvelin and Kekäläinen 2002, as trec_eval's ndcg_cut).

    DCG = Σ grade / log2(rank + 1) over the ranks 1..k, divided by that of the best possible order.
    Grades ≤ 0 gain nothing. Range 0..1; a question without a positive grade gets 0.

    Parameters
    ----------
    ranked
        [n, depth] distinct documents by rank; negative = none.
    question, document, grade
        [m] the graded pairs.

    Examples
    --------
    >>> ranked = np.array([[4, 5, 6]])
    >>> pairs = np.array([0, 0]), np.array([5, 6]), np.array([1, 1])
    >>> ndcg(ranked, *pairs, k=3).round(3).tolist()  # (1/log2(3) + 1/2) / (1 + 1/log2(3))
    [0.693]
    """
    rank = ranks_of(ranked[:, :k], question, document)
    return ndcg_of_ranks(len(ranked), question, rank, grade, k)


def ndcg_of_ranks(n: int, question: Ints, rank: Ints, grade: Grades, k: int) -> NDArray[np.float64]:
    """Return nDCG@k (see `ndcg`) where the ranks of the graded pairs are known, 0 = absent: [n].

    Examples
    --------
    >>> zeros, ones = np.array([0, 0]), np.array([1, 1])
    >>> ndcg_of_ranks(1, zeros, np.array([2, 3]), ones, k=3).round(3).tolist()
    [0.693]
    """
    gain = np.maximum(grade, 0).astype(np.float64)
    gained = _discounted(n, question, gain, np.where(rank <= k, rank, ABSENT))
    question, gain = _best_first(question, gain)
    ideal_rank = _position(question) + 1
    ideal = _discounted(n, question, gain, np.where(ideal_rank <= k, ideal_rank, ABSENT))
    share: NDArray[np.float64] = np.divide(gained, ideal, out=np.zeros(n), where=ideal > 0)
    return np.minimum(share, 1.0)


def _discounted(
    n: int, question: Ints, gain: NDArray[np.float64], rank: Ints
) -> NDArray[np.float64]:
    """Sum gain / log2(rank + 1) over each question's pairs that have a rank: [n]."""
    discount = np.log2(np.arange(1.0, rank.max(initial=ABSENT) + 2))
    discount[ABSENT] = np.inf  # what is absent gains nothing
    gained = np.bincount(question, gain / discount[rank], minlength=n)
    return gained.astype(np.float64, copy=False)  # of no pairs, bincount counts in integers


def _best_first(question: Ints, gain: NDArray[np.float64]) -> tuple[Ints, NDArray[np.float64]]:
    """Sort pairs by question and falling gain, if they are not so already."""
    later, same = question[1:] > question[:-1], question[1:] == question[:-1]
    if (later | (same & (gain[1:] <= gain[:-1]))).all():
        return question, gain
    order = np.lexsort((-gain, question))
    return question[order], gain[order]


def _position(question: Ints) -> NDArray[np.int64]:
    """Return each pair's place among its question's, 0 = first; pairs are sorted by question.

    Examples
    --------
    >>> _position(np.array([0, 0, 0, 2])).tolist()
    [0, 1, 2, 0]
    """
    place = np.arange(len(question))
    starts = np.diff(question, prepend=-1) != 0
    return place - np.maximum.accumulate(np.where(starts, place, 0))


def judged(ranked: Ints, question: Ints, document: Ints, k: int) -> NDArray[np.float64]:
    """Return the share of the k best distinct documents that anybody has labelled for the question.

    Labelled right or wrong, it counts; what nobody has labelled may be right unseen. Range 0..1; an
    empty ranking gets 0.

    Examples
    --------
    >>> ranked = np.array([[4, 5, 6, 7]])
    >>> judged(ranked, np.array([0, 0]), np.array([4, 7]), k=2).tolist()
    [0.5]
    """
    rank = ranks_of(ranked[:, :k], question, document)
    seen = np.bincount(question[rank > ABSENT], minlength=len(ranked))
    length = (ranked[:, :k] >= 0).sum(axis=1)
    share: NDArray[np.float64] = np.divide(
        seen, length, out=np.zeros(len(ranked)), where=length > 0
    )
    return share


def best_rank(ranked: Ints, question: Ints, document: Ints) -> NDArray[np.int32]:
    """Return the rank of each question's best listed document, 0 where none is present: [n].

    Examples
    --------
    >>> best_rank(np.array([[4, 5], [6, -1]]), np.array([0, 1]), np.array([5, 5])).tolist()
    [2, 0]
    """
    return first_rank(len(ranked), question, ranks_of(ranked, question, document))
