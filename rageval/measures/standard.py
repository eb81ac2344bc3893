"""The field's measures under their standard names, as ir_measures writes them: `P@5`, `AP`.

Values are trec_eval's. A question without a ranking, or without a relevant document, counts as 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rageval.measures import trec_eval
from rageval.measures.ranks import ABSENT
from rageval.measures.trec_eval import Floats, JudgedRanks

_NAME = re.compile(r"([A-Za-z]+)(?:\(rel=([1-9]\d?)\))?(?:@(\d+(?:\.\d+)?))?")
_KEY = re.compile(
    r"(?:p|r|success|rr|ap|ndcg)(?:_rel_[1-9]\d?)?_at_[1-9]\d*|iprec(?:_rel_[1-9]\d?)?_at_[01]\.\d+"
    r"|(?:rr|ap|ndcg|rprec|bpref|setp|setr|setf)(?:_rel_[1-9]\d?)?"
)
_DEEPEST = 1_000_000  # documents: a measure without a cutoff looks at all of them


@dataclass(frozen=True, slots=True)
class Standard:
    """One measure."""

    name: str  # as it was written: nDCG@10
    kind: str  # nDCG
    cutoff: float | None  # documents, or the recall of IPrec
    relevant_from: int = 1  # the least grade that is relevant

    @property
    def key(self) -> str:
        """Return the name in the characters that a store allows: `ndcg_at_10`."""
        level = f"_rel_{self.relevant_from}" if self.relevant_from != 1 else ""
        cut = "" if self.cutoff is None else f"_at_{self.cutoff:.2f}"
        whole = cut if self.kind == "IPrec" else cut.removesuffix(".00")
        return f"{self.kind.lower()}{level}{whole}"

    @property
    def depth(self) -> int:
        """Return how many documents it looks at, 0 where it has no cutoff."""
        return 0 if self.cutoff is None or self.kind == "IPrec" else int(self.cutoff)

    def values(self, ranks: JudgedRanks) -> Floats:
        """Return one value a question: [n]."""
        judged = replace(ranks, relevant_from=self.relevant_from)
        if self.kind == "IPrec":
            return interpolated_precision(judged, float(self.cutoff or 0))
        if self.kind in _CUT:
            return _CUT[self.kind](judged, self.depth or _DEEPEST)
        return _WHOLE[self.kind](judged)


def parse(name: str) -> Standard:
    """Return the measure of a standard name.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> [parse(name).key for name in ("nDCG@10", "AP", "P(rel=2)@5", "IPrec@0.1")]
    ['ndcg_at_10', 'ap', 'p_rel_2_at_5', 'iprec_at_0.10']
    """
    found = _NAME.fullmatch(name)
    kinds = {kind.lower(): kind for kind in (*_CUT, *_WHOLE, "IPrec")}
    kind = kinds.get(found[1].lower()) if found else None
    if found is None or kind is None:
        raise ValueError(f"unknown measure {name!r}; there are: {_ALLOWED}")
    cut = float(found[3]) if found[3] else None
    fits = _fits(kind, cut)
    if not fits:
        raise ValueError(f"the cutoff of {name!r} is not one; there are: {_ALLOWED}")
    return Standard(name, kind, cut, int(found[2] or 1))


def is_standard(key: str) -> bool:
    """Say whether a key is that of a standard measure.

    Examples
    --------
    >>> is_standard("p_at_5"), is_standard("ap"), is_standard("recall")
    (True, True, False)
    """
    return _KEY.fullmatch(key) is not None


def r_precision(ranks: JudgedRanks) -> Floats:
    """Return the share of relevant documents among the first R, R being how many there are: [n].

    Examples
    --------
    >>> r_precision(_example()).round(4).tolist()  # of three relevant, one is among the first three
    [0.3333]
    """
    wanted = ranks.count()
    inside = ranks.relevant & (ranks.rank > ABSENT) & (ranks.rank <= wanted[ranks.query])
    return _shares(np.bincount(ranks.query[inside], minlength=ranks.n), wanted)


def bpref(ranks: JudgedRanks) -> Floats:
    """Return how seldom documents judged irrelevant stand above relevant ones: [n].

    The mean over the relevant documents of 1 − (judged irrelevant above it) / min(R, N), each count
    at most R; one that was not returned adds 0 (Buckley and Voorhees 2004, as trec_eval counts).

    Examples
    --------
    >>> bpref(_example()).round(4).tolist()  # (1 - 1/1 at rank 2 and 4) / 3
    [0.0]
    """
    relevant, wrong = ranks.relevant, (ranks.grade >= 0) & ~ranks.relevant
    wanted, against = ranks.count(), np.bincount(ranks.query[wrong], minlength=ranks.n)
    total = np.zeros(ranks.n)
    for query in np.unique(ranks.query[relevant & (ranks.rank > ABSENT)]).tolist():
        mine = (ranks.query == query) & (ranks.rank > ABSENT)
        above = np.sort(ranks.rank[mine & wrong])
        right = ranks.rank[mine & relevant]
        counted = np.minimum(np.searchsorted(above, right), wanted[query])
        least = max(min(int(wanted[query]), int(against[query])), 1)
        lost = counted.astype(np.float32) / np.float32(least)  # trec_eval divides in 32 bits
        total[query] = (1.0 - lost.astype(np.float64)).sum()
    return _shares(total, wanted)


def interpolated_precision(ranks: JudgedRanks, recall: float) -> Floats:
    """Return the best precision at any rank from a recall on: [n].

    Examples
    --------
    >>> interpolated_precision(_example(), 0.0).tolist()
    [0.5]
    >>> interpolated_precision(_example(), 1.0).tolist()
    [0.0]
    """
    rows = ranks.relevant & (ranks.rank > ABSENT)
    query, rank = ranks.query[rows], ranks.rank[rows]
    order = np.lexsort((rank, query))
    query, rank = query[order], rank[order]
    nth = np.arange(len(query)) - np.searchsorted(query, query) + 1
    needed = np.floor(recall * ranks.count() + 0.5)  # as trec_eval rounds
    late = nth >= needed[query]
    best = np.zeros(ranks.n)
    np.maximum.at(best, query[late], (nth / rank)[late])
    return best


def set_precision(ranks: JudgedRanks) -> Floats:
    """Return the share of everything returned that is relevant: [n]."""
    if ranks.returned is None:
        raise ValueError("how many documents were returned must be known")
    return _shares(ranks.count(_DEEPEST), ranks.returned)


def set_recall(ranks: JudgedRanks) -> Floats:
    """Return the share of the relevant documents that were returned: [n]."""
    return _shares(ranks.count(_DEEPEST), ranks.count())


def set_f(ranks: JudgedRanks) -> Floats:
    """Return the harmonic mean of set precision and set recall: [n]."""
    precise, complete = set_precision(ranks), set_recall(ranks)
    both = precise + complete
    found: Floats = np.divide(2 * precise * complete, both, out=np.zeros(ranks.n), where=both > 0)
    return found


def reciprocal_rank(ranks: JudgedRanks, k: int) -> Floats:
    """Return 1 / rank of the best relevant document among the first k, 0 without one: [n]."""
    return trec_eval.reciprocal_rank(_cut(ranks, k))


def average_precision(ranks: JudgedRanks, k: int) -> Floats:
    """Return average precision over the first k (see `trec_eval.average_precision`): [n]."""
    return trec_eval.average_precision(_cut(ranks, k))


def _cut(ranks: JudgedRanks, k: int) -> JudgedRanks:
    return replace(ranks, rank=np.where(ranks.rank <= k, ranks.rank, ABSENT))


def _fits(kind: str, cut: float | None) -> bool:
    """Say whether a measure can have a cutoff, or none."""
    if kind == "IPrec":
        return cut is not None and 0 <= cut <= 1
    if cut is None:
        return kind not in ("P", "R", "Success")
    return kind in _CUT and cut == int(cut) and 1 <= cut <= _DEEPEST


def _shares(part: np.ndarray, whole: np.ndarray) -> Floats:
    share: Floats = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return share


def _example() -> JudgedRanks:
    """Return a query of three relevant documents, at ranks 2, 4 and nowhere, and a wrong at 1."""
    column = np.array
    return JudgedRanks(1, column([0, 0, 0, 0]), column([2, 4, 0, 1]), column([1, 1, 1, 0]))


_CUT: Mapping[str, Callable[[JudgedRanks, int], Floats]] = {
    "nDCG": trec_eval.ndcg_at,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "P": trec_eval.precision_at,
    "R": trec_eval.recall_at,
    "Success": trec_eval.success,
}
_WHOLE: Mapping[str, Callable[[JudgedRanks], Floats]] = {
    "Rprec": r_precision,
    "Bpref": bpref,
    "SetP": set_precision,
    "SetR": set_recall,
    "SetF": set_f,
}
_ALLOWED = "nDCG, nDCG@k, AP, AP@k, RR, RR@k, P@k, R@k, Success@k, Rprec, Bpref, IPrec@recall, " \
    "SetP, SetR, SetF, each also with the least relevant grade: P(rel=2)@5"  # fmt: skip
