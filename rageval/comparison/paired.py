"""How sure the difference of two results is: what changed, question by question, and chance."""

from __future__ import annotations

from dataclasses import dataclass

from rageval.comparison.changes import Comparison
from rageval.measures import catalogue
from rageval.statistics.bootstrap import bca
from rageval.statistics.differences import Differences, differences
from rageval.statistics.randomisation import randomisation


@dataclass(frozen=True, slots=True)
class Paired:
    """A measure's mean difference over a subset."""

    n: int  # paired questions that the measure applies to
    groups: int  # of questions that belong together; n where none do
    difference: float  # after − before, −1..1
    low: float  # 95 % interval
    high: float
    worse: float  # one-sided p: the chance of such a loss, or more, if nothing had changed
    either: float  # two-sided p
    exact: bool  # False: p is from random flips


def paired(found: Differences) -> Paired:
    """Return the mean difference with its interval and the chance of it."""
    interval, chance = bca(found), randomisation(found)
    return Paired(
        n=found.n,
        groups=len(found.sizes),
        difference=found.mean,
        low=interval.low,
        high=interval.high,
        worse=chance.worse,
        either=chance.either,
        exact=chance.exact,
    )


def differences_of(comparison: Comparison, subset: str, measure: str) -> Differences | None:
    """Return a measure's differences over the paired questions of a subset; None without any."""
    found = [
        (after - before, change.after.group or f"\0{change.after.id}")
        for change in comparison.changes
        if subset in change.after.subsets
        and (after := change.after.exact(measure)) is not None
        and (before := change.before.exact(measure)) is not None
    ]
    if not found:
        return None
    values, groups = zip(*found, strict=True)
    return differences(values, groups)


def headlines(comparison: Comparison) -> dict[str, Paired]:
    """Return the headline measures of `all`, the hit rates first: measure → difference."""
    names = catalogue.headlines(comparison.after.measures)
    each = {name: differences_of(comparison, "all", name) for name in names}
    return {name: paired(found) for name, found in each.items() if found is not None}


def signed(paired: Paired) -> str:
    """Return a difference with its 95 % interval.

    Examples
    --------
    >>> signed(Paired(34, 34, 0.0, 0.0, 0.029, 1.0, 1.0, True))
    '±0.000 [±0.000, +0.029]'
    """
    return f"{_sign(paired.difference)} [{_sign(paired.low)}, {_sign(paired.high)}]"


def _sign(value: float) -> str:
    told = f"{abs(value):.3f}"
    return ("±" if float(told) == 0 else "+" if value > 0 else "−") + told
