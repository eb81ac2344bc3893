"""The measures of trec_eval for documents, as functions of the ranks of judged documents.

Every query of the judgements counts: one that a run does not have is a miss, as with trec_eval's
option -c. nDCG is trec_eval's to every digit that it prints; the other measures have no twin there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.formats.trec.qrels import TrecQrels
from rageval.formats.trec.run import TrecRun
from rageval.measures.documents import ndcg_of_ranks
from rageval.measures.ranks import ABSENT, Grades, Ints, first_rank

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgedRanks:
    """Where the judged documents of each query stand in its ranking, a row a judgement."""

    n: int  # queries
    query: Ints  # [rows] 0..n-1
    rank: Ints  # [rows] 1 = best, 0 = not returned
    grade: Grades  # [rows] whole, or the gains that stand for them
    relevant_from: int = 1  # the least grade that is relevant
    returned: Ints | None = None  # [n] documents that each query got; None = not known

    @property
    def relevant(self) -> NDArray[np.bool_]:
        """Mark the rows that are relevant: [rows]."""
        marks: NDArray[np.bool_] = self.grade >= self.relevant_from
        return marks

    def count(self, k: int | None = None) -> Ints:
        """Return how many relevant documents a query has, or has among its first k: [n]."""
        rows = self.relevant
        if k is not None:
            rows = rows & (self.rank > ABSENT) & (self.rank <= k)
        return np.bincount(self.query[rows], minlength=self.n)


def judged_ranks(qrels: TrecQrels, run: TrecRun, relevant_from: int = 1) -> JudgedRanks:
    """Look the judged documents up in a run; queries are those of the judgements, in their order.

    A query of the run that nobody judged is left out.
    """
    number = {name: n for n, name in enumerate(qrels.queries)}
    known = {name: n for n, name in enumerate(qrels.documents)}
    query = np.array([number.get(name, -1) for name in run.queries], dtype=np.int64)[run.query]
    document = np.array([known.get(name, -1) for name in run.documents], dtype=np.int64)
    returned = document[run.document]
    rank = np.arange(len(run.query)) - np.searchsorted(run.query, run.query) + 1
    judged = (query >= 0) & (returned >= 0)
    pairs = query[judged] << 32 | returned[judged]
    order = np.argsort(pairs)
    wanted = qrels.query.astype(np.int64) << 32 | qrels.document
    at = np.minimum(np.searchsorted(pairs[order], wanted), max(len(pairs) - 1, 0))
    found = np.zeros(len(wanted), np.int64)
    if len(pairs):
        found = np.where(pairs[order][at] == wanted, rank[judged][order][at], ABSENT)
    n = len(qrels.queries)
    returned = np.bincount(query[query >= 0], minlength=n)
    return JudgedRanks(n, qrels.query, found, qrels.grade, relevant_from, returned)


def success(ranks: JudgedRanks, k: int) -> Floats:
    """Return 1 where a relevant document is among the first k, else 0: [n].

    Examples
    --------
    >>> success(_example(), k=1).tolist(), success(_example(), k=3).tolist()
    ([0.0, 0.0], [1.0, 0.0])
    """
    return (ranks.count(k) > 0).astype(np.float64)


def reciprocal_rank(ranks: JudgedRanks) -> Floats:
    """Return 1 / rank of the best relevant document, 0 without one: [n]. Range 0..1.

    Examples
    --------
    >>> reciprocal_rank(_example()).tolist()
    [0.5, 0.0]
    """
    rows = ranks.relevant
    best = first_rank(ranks.n, ranks.query[rows], ranks.rank[rows])
    return _shares(np.ones(ranks.n), best)


def precision_at(ranks: JudgedRanks, k: int) -> Floats:
    """Return the share of the first k places with a relevant document: [n]. Range 0..1.

    A ranking shorter than k is judged as if the places after it were filled in vain.

    Examples
    --------
    >>> precision_at(_example(), k=5).tolist()  # ranks 2 and 4
    [0.4, 0.0]
    """
    return ranks.count(k) / float(k)


def recall_at(ranks: JudgedRanks, k: int) -> Floats:
    """Return the share of the relevant documents among the first k: [n]. Range 0..1.

    Examples
    --------
    >>> recall_at(_example(), k=2).round(4).tolist()  # one of three
    [0.3333, 0.0]
    """
    return _shares(ranks.count(k), ranks.count())


def average_precision(ranks: JudgedRanks) -> Floats:
    """Return the mean, over the relevant documents, of the precision at each one's rank: [n].

    A relevant document that was not returned adds 0. Its mean over queries is trec_eval's map.
    Range 0..1.

    Examples
    --------
    >>> average_precision(_example()).round(4).tolist()  # (1/2 + 2/4 + 0) / 3
    [0.3333, 0.0]
    """
    rows = ranks.relevant & (ranks.rank > ABSENT)
    query, rank = ranks.query[rows], ranks.rank[rows]
    order = np.lexsort((rank, query))
    query, rank = query[order], rank[order]
    nth = np.arange(len(query)) - np.searchsorted(query, query) + 1
    return _shares(np.bincount(query, nth / rank, minlength=ranks.n), ranks.count())


def ndcg_at(ranks: JudgedRanks, k: int) -> Floats:
    """Return nDCG over the first k, with the grade as gain; `relevant_from` plays no part: [n].

    Examples
    --------
    >>> ndcg_at(_example(), k=2).round(4).tolist()  # (1 / log2(3)) / (2 + 1 / log2(3))
    [0.2398, 0.0]
    """
    return ndcg_of_ranks(ranks.n, ranks.query, ranks.rank, ranks.grade, k)


def _shares(part: NDArray[np.generic], whole: Ints) -> Floats:
    share: Floats = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return share


def _example() -> JudgedRanks:
    """Return one query with grades 2 (not returned), 1 at rank 2, 1 at rank 4; one all missed."""
    column = np.array
    return JudgedRanks(2, column([0, 0, 0, 1]), column([0, 2, 4, 0]), column([2, 1, 1, 1]))
