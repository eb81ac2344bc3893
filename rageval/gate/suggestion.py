"""Floors just below where a candidate stands: what a gate can hold from the first day."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rageval.comparison.result import Result
from rageval.gate.thresholds import Limits
from rageval.subsets import in_order

_ENOUGH = 5  # questions without which a floor says nothing
_MEASURES = ("recall", "mrr", "completeness")  # and every hit rate

Floors = dict[str, dict[str, float]]


def suggest(candidate: Result, committed: Limits, allow_lower: bool) -> Floors:
    """Return floors: each value cut to two decimals, so that it passes and a lost question may not.

    Subsets with fewer than five questions get none. A committed floor is never lowered, unless
    `allow_lower`.
    """
    floors: Floors = {subset: dict(limits) for subset, limits in committed.items()}
    for subset in in_order({name for row in candidate.rows.values() for name in row.subsets}):
        for measure in candidate.measures:
            found = candidate.mean(subset, measure)
            if found is None or found[1] < _ENOUGH or not _judged(measure):
                continue
            value = math.floor(found[0] / found[1] * 100) / 100
            known = floors.get(subset, {}).get(measure)
            if known is None or allow_lower or value > known:
                floors.setdefault(subset, {})[measure] = value
    return floors


def _judged(measure: str) -> bool:
    return measure in _MEASURES or measure.startswith("hit_rate_at_")


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
