"""The measures by name: what each is called, in tracking and in tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, field_validator

from rageval.measures.standard import Standard, is_standard, parse
from rageval.schema.fields import Record

Cutoff = Annotated[int, Field(strict=True, ge=1, le=1000)]  # documents of a ranking


class Cutoffs(Record):
    """How deep the document measures look."""

    hit_at: Annotated[tuple[Cutoff, ...], Field(min_length=1)] = (1, 3)
    ndcg_at: Cutoff = 10
    standard: tuple[str, ...] = ()  # measures under their standard names, such as P@5

    @field_validator("hit_at")
    @classmethod
    def _ascending(cls, cutoffs: tuple[int, ...]) -> tuple[int, ...]:
        if list(cutoffs) != sorted(set(cutoffs)):
            raise ValueError(f"must ascend without repeats, got {list(cutoffs)}")
        return cutoffs

    @field_validator("standard")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        keys = [parse(name).key for name in names]
        twice = next(
            (name for name, key in zip(names, keys, strict=True) if keys.count(key) > 1), ""
        )
        if twice:
            raise ValueError(f"names {twice!r} twice")
        return names

    @property
    def by_name(self) -> tuple[Standard, ...]:
        """Return the measures that are named, but for those that are taken anyway."""
        named = (parse(name) for name in self.standard)
        return tuple(measure for measure in named if measure.key != f"ndcg_at_{self.ndcg_at}")

    @property
    def facts(self) -> dict[str, Any]:
        """Return what a benchmark is named by; measures that nobody named are no part of it."""
        return self.model_dump(mode="json", exclude=set() if self.standard else {"standard"})

    @property
    def deepest(self) -> int:
        """Return how many distinct documents a ranking must hold for every measure."""
        return max(*self.hit_at, self.ndcg_at, *(measure.depth for measure in self.by_name))


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
    named = [Measure(m.key, m.name, "as trec_eval has it") for m in cutoffs.by_name]
    return (*hits, *_FIXED, _ndcg(cutoffs.ndcg_at), *named, *seen, *_WARNINGS)


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
    return name in fixed or _CUT.fullmatch(name) is not None or is_standard(name)
