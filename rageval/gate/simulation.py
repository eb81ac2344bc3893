"""The limits of a gate on many simulated changes at once, by the rules of `rageval.gate.decision`.

A test holds these against the gate itself, draw by draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rageval.gate.evidence import Drop, Evidence, testable
from rageval.gate.thresholds import GateThresholds, decimal
from rageval.statistics.differences import Differences, differences
from rageval.statistics.joint import joint
from rageval.statistics.noninferiority import not_worse

Failed = NDArray[np.bool_]  # [draws]
QUICK = 4_000  # resamples of the joint test, of which the gate draws 100,000
_NEAR = 1.2  # the normal score of a sum below which no p of 0.1 is reached, generously


@dataclass(frozen=True)
class Column:
    """A measure before and after, question by question, in units of 1 / scale."""

    before: NDArray[np.int64]  # [draws, questions], or [1, questions] if all draws begin alike
    after: NDArray[np.int64]  # [draws, questions]
    counts: NDArray[np.bool_]  # [questions] the measure applies to
    scale: int


@dataclass(frozen=True)
class Draws:
    """Simulated changes of the results of one set."""

    members: Mapping[str, NDArray[np.bool_]]  # subset → [questions]
    columns: Mapping[str, Column]  # measure →
    group: NDArray[np.int64]  # [questions] questions of one group belong together
    lost: NDArray[np.bool_]  # [draws, questions] found before and not after

    @property
    def number(self) -> int:
        """Return how many changes were drawn."""
        return len(self.lost)

    def change(self, subset: str, measure: str) -> NDArray[np.int64]:
        """Return after less before over a subset, [draws, its questions]."""
        column = self.columns[measure]
        inside = self.members[subset] & column.counts
        return (column.after - column.before)[:, inside]

    def groups(self, subset: str, measure: str) -> NDArray[np.int64]:
        """Return the groups of a subset's questions."""
        return self.group[self.members[subset] & self.columns[measure].counts]


def failures(draws: Draws, thresholds: GateThresholds, resamples: int = QUICK) -> dict[str, Failed]:
    """Return which draws each limit fails: path of the limit → [draws].

    Limits of a subset or measure without questions are left out, as the gate leaves them out.
    """
    return {
        **_floors(draws, thresholds),
        **_drops(draws, thresholds, resamples),
        **_policies(draws, thresholds),
        **_distractors(draws, thresholds),
    }


def _floors(draws: Draws, thresholds: GateThresholds) -> dict[str, Failed]:
    found = {}
    for subset, limits in thresholds.floors.items():
        for measure, limit in limits.items():
            if not _has(draws, subset, measure):
                continue
            column, least = draws.columns[measure], decimal(limit)
            inside = draws.members[subset] & column.counts
            total = column.after[:, inside].sum(axis=1)
            whole = column.scale * int(inside.sum())
            below = total * least.denominator < least.numerator * whole
            found[f"floors.{subset}.{measure}"] = below
    return found


def _has(draws: Draws, subset: str, measure: str) -> bool:
    there = subset in draws.members and measure in draws.columns
    return there and bool((draws.members[subset] & draws.columns[measure].counts).any())


@dataclass(frozen=True)
class _Limit:
    path: str
    subset: str
    measure: str
    tolerance: Fraction


def _drops(draws: Draws, thresholds: GateThresholds, resamples: int) -> dict[str, Failed]:
    limits = [
        _Limit(f"max_drop.{subset}.{measure}", subset, measure, decimal(limit))
        for subset, found in thresholds.max_drop.items()
        for measure, limit in found.items()
        if _has(draws, subset, measure)
    ]
    standard = thresholds.standard
    beyond = {limit.path: _more(draws, limit, limit.tolerance) for limit in limits}
    tested = [
        limit
        for limit in limits
        if testable(
            Drop(Fraction(0), limit.tolerance, _unchanged(draws, limit)), standard, len(limits)
        )
    ]
    if standard.evidence is Evidence.NON_INFERIOR:
        shown = {limit.path: _not_shown(draws, limit, standard.level) for limit in tested}
        return {**beyond, **shown}
    failed = dict(beyond)
    for limit, p in zip(tested, _joint_p(draws, tested, resamples), strict=True):
        sure = p <= standard.level
        if standard.evidence is Evidence.SIGNIFICANT:
            failed[limit.path] = beyond[limit.path] & sure
        else:
            noticed = sure & _more(draws, limit, standard.negligible)
            failed[limit.path] = beyond[limit.path] | noticed
    return failed


def _more(draws: Draws, limit: _Limit, tolerance: Fraction) -> Failed:
    """Return which draws fall by more than a tolerance."""
    change = draws.change(limit.subset, limit.measure)
    whole = draws.columns[limit.measure].scale * change.shape[1]
    more: Failed = -change.sum(axis=1) * tolerance.denominator > tolerance.numerator * whole
    return more


def _unchanged(draws: Draws, limit: _Limit) -> Differences:
    """Return the sizes that a test could rest on."""
    group = draws.groups(limit.subset, limit.measure)
    return differences([Fraction(0)] * len(group), [str(name) for name in group.tolist()])


def _not_shown(draws: Draws, limit: _Limit, level: float) -> Failed:
    change = draws.change(limit.subset, limit.measure)
    group, scale = draws.groups(limit.subset, limit.measure), draws.columns[limit.measure].scale
    p = [not_worse(_of(row, group, scale), float(limit.tolerance)) for row in change]
    return np.array(p) > level


def _of(row: NDArray[np.int64], group: NDArray[np.int64], scale: int) -> Differences:
    names, place = np.unique(group, return_inverse=True)
    return Differences(row, place.astype(np.int64), scale, tuple(names.tolist()))


def _joint_p(draws: Draws, limits: list[_Limit], resamples: int) -> list[NDArray[np.float64]]:
    """Return the joint p of each limit, [draws]; 1 where no test can reach a level of 0.1."""
    changes = [draws.change(limit.subset, limit.measure) for limit in limits]
    groups = [draws.groups(limit.subset, limit.measure) for limit in limits]
    p = np.ones((len(limits), draws.number))
    near = np.zeros(draws.number, bool)
    for change in changes:
        near |= -change.sum(axis=1) > _NEAR * np.sqrt((change.astype(np.float64) ** 2).sum(axis=1))
    for draw in np.flatnonzero(near).tolist():
        found = [_of(change[draw], group, 1) for change, group in zip(changes, groups, strict=True)]
        p[:, draw] = joint(found, resamples)
    return list(p)


def _policies(draws: Draws, thresholds: GateThresholds) -> dict[str, Failed]:
    return {
        f"no_tolerance.{subset}": np.asarray(draws.lost[:, draws.members[subset]].any(axis=1))
        for subset in thresholds.no_tolerance
        if subset in draws.members and draws.members[subset].any()
    }


def _distractors(draws: Draws, thresholds: GateThresholds) -> dict[str, Failed]:
    column = draws.columns.get("distractor_above_answer")
    if thresholds.new_distractors is None or column is None:
        return {}
    new: NDArray[np.int64] = ((column.after > column.before) & column.counts).sum(axis=1)
    return {"new_distractors": np.asarray(new > thresholds.new_distractors)}
