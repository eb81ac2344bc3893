"""The benchmark: what was asked, of what, and how it was scored; only equal ones are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rageval.corpus.document import Corpus
from rageval.golden.access import Access
from rageval.golden.question import GoldenSet
from rageval.measures.catalogue import Cutoffs
from rageval.schema.fingerprint import digest

SCORING = 2  # raised whenever a measure's value may change for the same rankings and labels


@dataclass(frozen=True, slots=True)
class Judging:
    """How labels are held against chunks and rankings."""

    cutoffs: Cutoffs
    min_overlap: float
    exclude_self: bool = False
    own: Mapping[str, str] = field(default_factory=dict)  # a user's measure → what its code is


def facts_of(corpus: Corpus, scored: GoldenSet, access: Access, judging: Judging) -> dict[str, Any]:
    """Return what names a benchmark, as plain values; their digest is its fingerprint.

    `scored` holds the questions of the split that is scored, and no others.
    """
    askers = sorted({question.asker for question in scored if question.asker is not None})
    return {
        "corpus": corpus.digest,
        "labels": scored.digest,
        "cutoffs": judging.cutoffs.facts,
        "min_overlap": judging.min_overlap,
        "groups": {asker: sorted(access.groups(asker)) for asker in askers},
        "scoring": SCORING,
        **({"exclude_self": True} if judging.exclude_self else {}),
        **({"own_measures": dict(judging.own)} if judging.own else {}),
    }


def fingerprint(facts: Mapping[str, Any]) -> str:
    """Return the fingerprint of a benchmark from its facts (64 hex digits)."""
    return digest(dict(facts))
