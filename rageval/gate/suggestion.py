"""Floors just below where a candidate stands: what a gate can hold from the first day."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from rageval.comparison.result import Result
from rageval.gate.thresholds import Limits
from rageval.measures.catalogue import comparable_across_questions
from rageval.statistics.churn import unluckiest

_ENOUGH = 5  # questions without which a floor says nothing

Floors = dict[str, dict[str, float]]


def suggest(candidate: Result, committed: Limits, allow_lower: bool, level: float = 0.01) -> Floors:
    """Return the floors that are new or change: below each value by what churn explains.

    Any change loses some found questions by chance (`statistics.churn`): 4 % of them on average.
    A floor leaves room for so many as a harmless change loses at most, 1 − `level` sure, each with
    the mean value of the found ones, and is cut to two decimals. Subsets with fewer than five
    questions get none. A committed floor is never lowered, unless `allow_lower`.
    """
    floors: Floors = {}
    for subset in candidate.subsets:
        for measure in filter(comparable_across_questions, candidate.measures):
            value = _floor(candidate, subset, measure, level)
            known = committed.get(subset, {}).get(measure)
            if value is None or value == known or (known is None and value == 0):
                continue
            if known is None or allow_lower or value > known:
                floors.setdefault(subset, {})[measure] = value
    return floors


def _floor(candidate: Result, subset: str, measure: str, level: float) -> float | None:
    """Return a measure's mean less what a harmless change may lose of it; None for few questions.

    Examples
    --------
    >>> from rageval.comparison.result import Row
    >>> rows = [Row(f"q{i}", "?", "", ("all",), {"recall": float(i < 13)}, {}, (), "", False, 0)
    ...         for i in range(16)]
    >>> found = Result("r", "", "", "dev", "", "", "", {row.id: row for row in rows})
    >>> _floor(found, "all", "recall", 0.05)  # of 13 found 2 may be lost: 11/16
    0.68
    """
    values = [row.exact(measure) for row in candidate.inside(subset)]
    counted = [value for value in values if value is not None]
    if len(counted) < _ENOUGH:
        return None
    found = sum(value > 0 for value in counted)
    kept = Fraction(found - unluckiest(found, level=level), found) if found else Fraction(0)
    return math.floor(sum(counted, Fraction(0)) * kept / len(counted) * 100) / 100


def changed(before: Limits, after: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return what is different, as sentences.

    Examples
    --------
    >>> changed({"all": {"mrr": 0.6}}, {"all": {"mrr": 0.65, "recall": 0.9}})
    ['all mrr: 0.6 → 0.65', 'all recall: none → 0.9']
    """
    return [
        f"{subset} {measure}: {before.get(subset, {}).get(measure, 'none')} → {limit:g}"
        for subset, limits in after.items()
        for measure, limit in limits.items()
        if before.get(subset, {}).get(measure) != limit
    ]
