"""The rules of a gate on many simulated results at once, and the same through the shipped gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate_worlds import Ranks, half, small
from rageval.comparison.result import Result, Row
from rageval.gate.decision import decide
from rageval.gate.simulation import QUICK, Column, Draws, failures
from rageval.gate.thresholds import GateThresholds

Failed = NDArray[np.bool_]  # [draws]
Limits = Mapping[str, Mapping[str, float]]


def members(n: int) -> dict[str, NDArray[np.bool_]]:
    """Return who is in each subset."""
    return {"all": np.ones(n, bool), "tag.small": small(n), "form.GAP": half(n)}


SCALE = 60  # of reciprocal ranks in a window of six
_DEEPEST = {"hit_rate_at_1": 1, "hit_rate_at_3": 3, "recall": 6}


def values(ranks: Ranks, measure: str) -> NDArray[np.int64]:
    """Return a measure question by question, as whole numbers of 1 / `scale(measure)`."""
    if measure == "mrr":
        return np.where(ranks > 0, SCALE // np.maximum(ranks, 1).astype(np.int64), 0)
    return ((ranks > 0) & (ranks <= _DEEPEST[measure])).astype(np.int64)


def scale(measure: str) -> int:
    """Return what a question's value of 1 is."""
    return SCALE if measure == "mrr" else 1


@dataclass(frozen=True)
class Pair:
    """Results of many draws before and after."""

    before: Ranks
    after: Ranks

    def draws(self) -> Draws:
        """Return the same as the shipped simulation takes it."""
        n = self.before.shape[1]
        every = np.ones(n, bool)
        columns = {
            measure: Column(
                values(self.before, measure), values(self.after, measure), every, scale(measure)
            )
            for measure in (*_DEEPEST, "mrr")
        }
        lost = (self.before > 0) & (self.after == 0)
        return Draws(members(n), columns, np.arange(n), lost)


def gate(pair: Pair, thresholds: GateThresholds, resamples: int = QUICK) -> Failed:
    """Return which draws the shipped rule for `max_drop` fails, all at once."""
    return np.any(list(failures(pair.draws(), thresholds, resamples).values()), axis=0)


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
