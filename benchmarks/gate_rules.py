"""The rules of a gate on many simulated results at once, and the same through the shipped gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr

from benchmarks.gate_worlds import Ranks, half, small
from rageval.comparison.result import Result, Row
from rageval.gate.decision import decide
from rageval.gate.evidence import Drop, Evidence, failing, testable
from rageval.gate.thresholds import GateThresholds, decimal
from rageval.statistics.differences import differences

Failed = NDArray[np.bool_]  # [draws]
Limits = Mapping[str, Mapping[str, float]]


def members(n: int) -> dict[str, NDArray[np.bool_]]:
    """Return who is in each subset."""
    return {"all": np.ones(n, bool), "tag.small": small(n), "form.GAP": half(n)}


def values(ranks: Ranks, measure: str) -> NDArray[np.bool_]:
    """Return a measure of hits, question by question."""
    deepest = {"hit_rate_at_1": 1, "hit_rate_at_3": 3, "recall": 6}[measure]
    found: NDArray[np.bool_] = (ranks > 0) & (ranks <= deepest)
    return found


@dataclass(frozen=True)
class Pair:
    """Results of many draws before and after."""

    before: Ranks
    after: Ranks

    def counts(self, subset: str, measure: str) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return questions lost and gained, [draws] each, and how many there are."""
        inside = members(self.before.shape[1])[subset]
        then, now = (values(ranks[:, inside], measure) for ranks in (self.before, self.after))
        return (then & ~now).sum(axis=1), (now & ~then).sum(axis=1), int(inside.sum())


def gate(pair: Pair, thresholds: GateThresholds) -> Failed:
    """Return which draws the shipped rule for `max_drop` fails, all at once."""
    limits = [(s, m, decimal(t)) for s, ms in thresholds.max_drop.items() for m, t in ms.items()]
    counts = [pair.counts(subset, measure) for subset, measure, _ in limits]
    standard = thresholds.standard
    able = [
        testable(
            Drop(Fraction(0), tolerance, differences([Fraction(0)] * n)), standard, len(limits)
        )
        for (_, _, tolerance), (_, _, n) in zip(limits, counts, strict=True)
    ]
    beyond = [
        lost - gained >= failing(tolerance, n)
        for (_, _, tolerance), (lost, gained, n) in zip(limits, counts, strict=True)
    ]
    if standard.evidence is Evidence.NON_INFERIOR:
        failed = [
            not_shown(*count, float(tolerance)) > standard.level if ok else over
            for ok, over, count, (_, _, tolerance) in zip(able, beyond, counts, limits, strict=True)
        ]
        return np.any(failed, axis=0)
    p = holm(
        np.array([bdtr(b[1], b[0] + b[1], 0.5) for b, ok in zip(counts, able, strict=True) if ok])
    )
    rows = iter(p <= standard.level)
    failed = []
    for ok, over, (lost, gained, n) in zip(able, beyond, counts, strict=True):
        if not ok:
            failed.append(over)
        elif standard.evidence is Evidence.SIGNIFICANT:
            failed.append(over & next(rows))
        else:
            failed.append(over | (next(rows) & (lost - gained >= failing(standard.negligible, n))))
    return np.any(failed, axis=0)


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Holm's adjusted p, [tests, draws]."""
    order = np.argsort(p, axis=0, kind="stable")
    ranked = np.take_along_axis(p, order, axis=0)
    scaled = np.minimum(1, ranked * np.arange(len(p), 0, -1)[:, None])
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(scaled, axis=0), axis=0)
    return adjusted


def not_shown(
    lost: NDArray[np.int64], gained: NDArray[np.int64], n: int, tolerance: float
) -> NDArray[np.float64]:
    """Return Tango's p of losing the tolerance or more, [draws]."""
    b = -lost - gained + (2 * n - lost + gained) * tolerance
    c = -gained * tolerance * (1 - tolerance)
    gain = np.maximum(0, (np.sqrt(np.maximum(0, b * b - 8 * n * c)) - b) / (4 * n))
    spread = np.sqrt(n * (2 * gain + tolerance * (1 - tolerance)))
    p: NDArray[np.float64] = ndtr((lost - gained - n * tolerance) / spread)
    return p


def adr(pair: Pair) -> Failed:
    """Return which draws ADR-072 fails: hit@1 or hit@3 of `all` down by more than 0.1."""
    return gate(pair, GateThresholds(max_drop={"all": dict.fromkeys(HITS, 0.1)}))


def floors(pair: Pair, below: float = 0.05) -> Failed:
    """Return which draws the chapter's floors fail, set 0.05 below where the champion stands.

    Recall and mrr of every subset; 0.05 is what the chapter's own floors leave, on average.
    """
    failed = []
    for inside in members(pair.before.shape[1]).values():
        for scored in (lambda ranks: values(ranks, "recall"), reciprocal):
            then, now = (
                scored(ranks[:, inside]).mean(axis=1) for ranks in (pair.before, pair.after)
            )
            failed.append(now < np.floor((then - below) * 100 + 1e-9) / 100)
    return np.any(failed, axis=0)


def reciprocal(ranks: Ranks) -> NDArray[np.float64]:
    """Return 1 / rank, 0 if absent."""
    return np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0)


HITS = ("hit_rate_at_1", "hit_rate_at_3")


def shipped(pair: Pair, thresholds: GateThresholds, draw: int) -> bool:
    """Return whether the shipped gate fails one draw."""
    before, after = (
        _result(ranks[draw], name) for ranks, name in ((pair.before, "b"), (pair.after, "a"))
    )
    return not decide(after, before, thresholds).passed


def _result(ranks: NDArray[np.int8], run: str) -> Result:
    inside = members(len(ranks))
    rows = [
        Row(
            id=f"q{number}",
            text="?",
            labels="",
            subsets=tuple(name for name, who in inside.items() if who[number]),
            values={
                "hit_rate_at_1": float(rank == 1),
                "hit_rate_at_3": float(0 < rank <= 3),
                "recall": float(rank > 0),
                "mrr": 1 / rank if rank else 0.0,
            },
            ranks=dict.fromkeys(("target", "evidence", "answer"), rank or None)
            | {"distractor": None},
            documents=(),
            diagnosis="",
            failed=False,
            leaks=0,
        )
        for number, rank in enumerate(ranks.tolist())
    ]
    return Result(run, run, "simulated", "dev", "b", run, "c", {row.id: row for row in rows})
