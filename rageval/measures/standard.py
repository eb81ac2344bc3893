"""The field's measures under their standard names, as ir_measures writes them: `P@5`, `AP`.

Values are trec_eval's. A question without a ranking, or without a relevant document, counts as 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rageval.measures import trec_eval
from rageval.measures.ranks import ABSENT
from rageval.measures.trec_eval import Floats, JudgedRanks

_NAME = re.compile(r"([A-Za-z]+)(?:\(([^()]*)\))?(?:@(\d+(?:\.\d+)?))?")
_KEY = re.compile(
    r"(?P<kind>[a-z]+?)(?P<exponential>_exp_log2)?(?:_rel_(?P<rel>[1-9]\d?))?(?:_at_(?P<cut>[\d.]+))?"
)
_DEEPEST = 1_000_000  # documents: a measure without a cutoff looks at all of them


@dataclass(frozen=True, slots=True)
class Standard:
    """One measure."""

    kind: str  # nDCG
    cutoff: float | None = None  # documents, or the recall of IPrec
    relevant_from: int = 1  # the least grade that is relevant
    exponential: bool = False  # nDCG alone: the gain is 2^grade − 1, not the grade

    @property
    def name(self) -> str:
        """Return the name as ir_measures writes it: `nDCG(dcg='exp-log2')@10`.

        Examples
        --------
        >>> [parse(name).name for name in ("ndcg@10", "p(rel=1)@5", "nDCG(dcg=exp-log2)")]
        ['nDCG@10', 'P@5', "nDCG(dcg='exp-log2')"]
        """
        given = ["dcg='exp-log2'"] if self.exponential else []
        given += [f"rel={self.relevant_from}"] if self.relevant_from != 1 else []
        cut = "" if self.cutoff is None else f"@{self.cutoff:g}"
        return self.kind + (f"({', '.join(given)})" if given else "") + cut

    @property
    def key(self) -> str:
        """Return the name in the characters that a store allows: `ndcg_at_10`."""
        gain = "_exp_log2" if self.exponential else ""
        level = f"_rel_{self.relevant_from}" if self.relevant_from != 1 else ""
        cut = "" if self.cutoff is None else f"_at_{self.cutoff:.2f}"
        whole = cut if self.kind == "IPrec" else cut.removesuffix(".00")
        return f"{self.kind.lower()}{gain}{level}{whole}"

    @property
    def depth(self) -> int:
        """Return how many documents it looks at, 0 where it has no cutoff."""
        return 0 if self.cutoff is None or self.kind == "IPrec" else int(self.cutoff)

    def values(self, ranks: JudgedRanks) -> Floats:
        """Return one value a question: [n]."""
        judged = replace(ranks, relevant_from=self.relevant_from)
        if self.kind == "IPrec":
            return interpolated_precision(judged, float(self.cutoff or 0))
        if self.exponential:
            return trec_eval.ndcg_at(with_exponential_gains(judged), self.depth or _DEEPEST)
        if self.kind in _CUT:
            return _CUT[self.kind](judged, self.depth or _DEEPEST)
        return _WHOLE[self.kind](judged)


def parse(name: str) -> Standard:
    """Return the measure of a standard name, as ir_measures writes it.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> [parse(name).key for name in ("nDCG@10", "AP", "P(rel=2)@5", "IPrec@0.1")]
    ['ndcg_at_10', 'ap', 'p_rel_2_at_5', 'iprec_at_0.10']
    """
    found = _NAME.fullmatch(name.strip())
    kinds = {kind.lower(): kind for kind in (*_CUT, *_WHOLE, "IPrec")}
    kind = kinds.get(found[1].lower()) if found else None
    if found is None or kind is None:
        raise ValueError(f"no such measure, got {name!r}; choose from: {_ALLOWED}")
    cut = float(found[3]) if found[3] else None
    if not _fits(kind, cut):
        raise ValueError(f"{_cutoff_of(kind)}, got {name!r}")
    return Standard(kind, cut, **_parameters(kind, found[2] or "", name))


def _parameters(kind: str, written: str, name: str) -> dict[str, Any]:
    """Return what stands in brackets: the least relevant grade, and how nDCG counts a grade."""
    given: dict[str, Any] = {}
    for part in filter(None, map(str.strip, written.split(","))):
        key, _, value = (word.strip().strip("'\"") for word in part.partition("="))
        if key == "rel" and kind not in _BY_GRADE and re.fullmatch(r"[1-9]\d?", value):
            given["relevant_from"] = int(value)
        elif key == "dcg" and kind == "nDCG" and value in ("log2", "exp-log2"):
            given["exponential"] = value == "exp-log2"
        else:
            takes = _TAKES.get(kind, "rel=1..99")
            raise ValueError(f"{kind} takes {takes}, got {part!r} in {name!r}")
    return given


def from_key(key: str) -> Standard | None:
    """Return the standard measure of a key, None for any other name.

    Examples
    --------
    >>> from_key("p_rel_2_at_5").name, from_key("ndcg_exp_log2_at_10").name
    ('P(rel=2)@5', "nDCG(dcg='exp-log2')@10")
    >>> from_key("recall") is None, from_key("p_at_05") is None
    (True, True)
    """
    found = _KEY.fullmatch(key)
    kinds = {kind.lower(): kind for kind in (*_CUT, *_WHOLE, "IPrec")}
    if found is None or found["kind"] not in kinds:
        return None
    kind = kinds[found["kind"]]
    try:
        cut = None if found["cut"] is None else float(found["cut"])
    except ValueError:
        return None
    measure = Standard(kind, cut, int(found["rel"] or 1), found["exponential"] is not None)
    return measure if _fits(kind, cut) and measure.key == key else None


def with_exponential_gains(ranks: JudgedRanks) -> JudgedRanks:
    """Return the same ranks with 2^grade − 1 for each positive grade.

    Burges and others 2005; what ir_measures calls dcg='exp-log2'.

    Examples
    --------
    >>> with_exponential_gains(_example()).grade.tolist()
    [1.0, 1.0, 1.0, 0.0]
    """
    grade = np.maximum(ranks.grade, 0).astype(np.float64)
    return replace(ranks, grade=np.exp2(grade) - 1)


def judged(ranks: JudgedRanks, k: int) -> Floats:
    """Return the share of the first k documents, or of as many as there are, that are judged: [n].

    Examples
    --------
    >>> judged(replace(_example(), returned=np.array([5])), 4).tolist()  # ranks 1, 2 and 4
    [0.75]
    """
    if ranks.returned is None:
        raise ValueError("how many documents were returned must be known")
    seen = (ranks.rank > ABSENT) & (ranks.rank <= k)
    length = np.minimum(ranks.returned, k)
    return _shares(np.bincount(ranks.query[seen], minlength=ranks.n), length)


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
        return kind not in _NEED_A_CUTOFF
    return kind in _CUT and cut == int(cut) and 1 <= cut <= _DEEPEST


def _cutoff_of(kind: str) -> str:
    """Say what cutoff a measure can have."""
    if kind == "IPrec":
        return "IPrec needs a recall of 0..1, such as IPrec@0.1"
    if kind in _WHOLE:
        return f"{kind} has no cutoff"
    needs = "needs" if kind in _NEED_A_CUTOFF else "can have"
    return f"{kind} {needs} a whole number of documents from 1, such as {kind}@10"


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
    "Judged": judged,
}
_NEED_A_CUTOFF = ("P", "R", "Success", "Judged")
_BY_GRADE = ("nDCG", "Judged")  # for these no grade divides relevant from irrelevant
_TAKES = {"nDCG": "dcg='log2' or dcg='exp-log2'", "Judged": "nothing in brackets"}
_WHOLE: Mapping[str, Callable[[JudgedRanks], Floats]] = {
    "Rprec": r_precision,
    "Bpref": bpref,
    "SetP": set_precision,
    "SetR": set_recall,
    "SetF": set_f,
}
_ALLOWED = (
    "nDCG, nDCG@k, AP, AP@k, RR, RR@k, P@k, R@k, Success@k, Judged@k, Rprec, Bpref, IPrec@recall, "
    "SetP, SetR, SetF; P(rel=2)@5 counts documents from grade 2 on, "
    "nDCG(dcg='exp-log2')@k gains 2^grade - 1"
)
