"""The measures by name: what each is called, in tracking and in tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, field_validator

from rageval.fields import Record

Cutoff = Annotated[int, Field(strict=True, ge=1, le=1000)]  # documents of a ranking


class Cutoffs(Record):
    """How deep the document measures look."""

    hit_at: Annotated[tuple[Cutoff, ...], Field(min_length=1)] = (1, 3)
    ndcg_at: Cutoff = 10

    @field_validator("hit_at")
    @classmethod
    def _ascending(cls, cutoffs: tuple[int, ...]) -> tuple[int, ...]:
        if list(cutoffs) != sorted(set(cutoffs)):
            raise ValueError(f"must ascend without repeats, got {list(cutoffs)}")
        return cutoffs

    @property
    def deepest(self) -> int:
        """Return how many distinct documents a ranking must hold for every measure."""
        return max(*self.hit_at, self.ndcg_at)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: the mean over a subset of a value in 0..1 for each question."""

    name: str  # as in tracking: hit_rate_at_1
    heading: str  # as in a table: hit@1
    meaning: str  # one line
    lower_is_better: bool = False


def catalogue(cutoffs: Cutoffs) -> tuple[Measure, ...]:
    """Return every measure, in the order in which tables show them.

    Examples
    --------
    >>> [measure.heading for measure in catalogue(Cutoffs(hit_at=(1, 5)))][:2]
    ['hit@1', 'hit@5']
    """
    hits = [
        Measure(f"hit_rate_at_{k}", f"hit@{k}", f"a target is among the {k} best documents")
        for k in cutoffs.hit_at
    ]
    seen = [
        Measure(f"judged_at_{k}", f"judged@{k}", f"share of the {k} best documents with a label")
        for k in cutoffs.hit_at
    ]
    return (*hits, *_FIXED, _ndcg(cutoffs.ndcg_at), *seen, *_WARNINGS)


def _ndcg(k: int) -> Measure:
    return Measure(f"ndcg_at_{k}", f"nDCG@{k}", f"discounted gain of the {k} best documents")


_FIXED = (
    Measure("recall", "recall", "a supporting chunk reached the window"),
    Measure("mrr", "mrr", "1 / rank of the first supporting chunk in the window"),
    Measure("precision", "prec", "share of the window that supports"),
    Measure("completeness", "compl", "share of the required evidence in the window"),
    Measure("chunk_completeness", "chunk-compl", "share of the supporting chunks in the window"),
    Measure("evidence_coverage", "ev-cover", "share of the evidence's characters in the window"),
    Measure("evidence_precision", "ev-prec", "share of the window's characters that are evidence"),
)
_WARNINGS = (
    Measure(
        "distractor_above_answer",
        "distractor↑",
        "a distractor ranks above the answer",
        lower_is_better=True,
    ),
    Measure("denied_pass", "denied", "what the asker may not see was not returned"),
)

_CUT = re.compile(r"(hit_rate|judged|ndcg)_at_[1-9]\d*")


def is_measure(name: str) -> bool:
    """Say whether a name is that of a measure, whatever cutoffs are taken.

    Examples
    --------
    >>> is_measure("hit_rate_at_5"), is_measure("recall"), is_measure("latency")
    (True, True, False)
    """
    fixed = {measure.name for measure in (*_FIXED, *_WARNINGS)}
    return name in fixed or _CUT.fullmatch(name) is not None
