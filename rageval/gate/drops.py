"""The drops that a gate allows: each measured, all of them judged as one family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired, differences_of, paired
from rageval.gate.evidence import Drop, Judged, failing, in_words, judge
from rageval.gate.thresholds import GateThresholds, decimal
from rageval.gate.verdict import Check, Rule, Shown, listed, share
from rageval.split.split import DEV

MustSee = float | Mapping[str, Mapping[str, float]] | None  # of all limits, or of some
Mean = tuple[Fraction, int]  # the sum of a measure, and the n that it is divided by


@dataclass(frozen=True, slots=True)
class _Limit:
    """One line of `max_drop` that found questions."""

    subset: str
    measure: str
    limit: float
    means: tuple[Mean, Mean]  # before, after
    drop: Drop
    paired: Paired | None


def drops(
    comparison: Comparison, thresholds: GateThresholds, must_see: MustSee = None
) -> Iterator[Check]:
    """Yield a check for each limit of `max_drop` that a question falls under."""
    limits = list(_limits(comparison, thresholds))
    judged = judge([limit.drop for limit in limits], thresholds.standard)
    for limit, found in zip(limits, judged, strict=True):
        yield replace(_check(comparison, limit, found), must_see=_wanted(must_see, limit))


def _wanted(must_see: MustSee, limit: _Limit) -> Fraction | None:
    if isinstance(must_see, Mapping):
        must_see = must_see.get(limit.subset, {}).get(limit.measure)
    return None if must_see is None else decimal(must_see)


def _limits(comparison: Comparison, thresholds: GateThresholds) -> Iterator[_Limit]:
    for subset, limits in thresholds.max_drop.items():
        for measure, limit in limits.items():
            means = means_of(comparison, subset, measure)
            if means is None:
                continue
            before, after = means
            fell = before[0] / before[1] - after[0] / after[1]
            found = differences_of(comparison, subset, measure)
            sure = None if found is None else paired(found)
            drop = Drop(fell, decimal(limit), found, 1.0 if sure is None else sure.worse)
            yield _Limit(subset, measure, limit, means, drop, sure)


def _check(comparison: Comparison, limit: _Limit, judged: Judged) -> Check:
    before, after = limit.means
    told = f"{share(*before)} → {share(*after)}, {tolerated(limit.limit, after[1])}"
    if not judged.passed and comparison.after.split == DEV:  # no held-out one is ever named
        told += f"; fell: {listed(_fallen(comparison, limit.subset, limit.measure))}"
    shown = None
    if limit.paired is not None:
        words = in_words(limit.paired, judged)
        shown = Shown(limit.paired, judged.used.value, judged.p, words)
    return Check(
        Rule.DROP, limit.subset, limit.measure, judged.passed, told, shown, seen=judged.seen
    )


def means_of(comparison: Comparison, subset: str, measure: str) -> tuple[Mean, Mean] | None:
    """Return a measure's mean over a subset before and after; None if either is over nothing."""
    before = comparison.before.mean(subset, measure)
    after = comparison.after.mean(subset, measure)
    return None if before is None or after is None else (before, after)


def _fallen(comparison: Comparison, subset: str, measure: str) -> list[str]:
    """Return the questions that made a measure drop: a hit may be lost though recall is not."""
    return [c.after.id for c in comparison.changes if subset in c.after.subsets and c.fell(measure)]


def tolerated(limit: float, n: int) -> str:
    """Say what a tolerance means in questions.

    Examples
    --------
    >>> tolerated(0.1, 34)
    'allowed drop 0.1 (fails at 4 or more lost questions)'
    """
    lost = failing(decimal(limit), n)
    if lost > n:
        return f"allowed drop {limit:g} (never fails)"
    return f"allowed drop {limit:g} (fails at {lost} or more lost questions)"
