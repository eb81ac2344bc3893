"""Whether a retriever answers the same when it is asked again, and how far its values move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.evaluation.evaluation import Evaluation
from rageval.retrieval.pipeline import Pipeline
from rageval.schema.fields import Natural, Record

_SHARE = 10  # one question of so many is asked again, at least one


class NoiseConfig(Record):
    """Whether questions are asked twice of a retriever that may change without notice."""

    sample: Natural = 5  # at most so many, one of ten; 0 = none


@dataclass(frozen=True)
class AskedTwice:
    """Questions that were asked a second time; rows are those of the evaluation."""

    asked: tuple[int, ...]
    differing: tuple[int, ...]  # of those, the ones whose window came back otherwise


def ask_twice(pipeline: Pipeline, evaluation: Evaluation, sample: int) -> AskedTwice | None:
    """Ask some questions again, evenly spaced; None if there is none to ask.

    Questions that failed are left out, and so is one that fails now.
    """
    rows = np.flatnonzero(~evaluation.retrieved.failed)
    number = min(sample, max(1, len(evaluation.questions) // _SHARE), len(rows))
    if number == 0:
        return None
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, number).astype(int))]
    asks = [evaluation.benchmark.asks[row] for row in chosen]
    found = pipeline.candidates(asks, pipeline.parts.window.depth)
    windows = pipeline.rank(found).first(pipeline.parts.window.k)
    differing = [
        int(row)
        for place, row in enumerate(chosen)
        if place not in found.errors
        and _filled(windows[place]) != _filled(evaluation.retrieved.window[row])
    ]
    return AskedTwice(tuple(chosen.tolist()), tuple(differing))


def _filled(window: NDArray[np.int32]) -> list[int]:
    return [number for number in window.tolist() if number >= 0]


@dataclass(frozen=True)
class Repeats:
    """One retrieval, indexed and asked several times; the first repetition is the scored one."""

    values: Mapping[str, NDArray[np.float64]]  # measure → [repetitions, questions], NaN = none

    @classmethod
    def of(cls, evaluations: Sequence[Evaluation]) -> Repeats:
        """Take the values of every repetition."""
        return cls(
            {
                name: np.array([_column(evaluation, name) for evaluation in evaluations])
                for name in evaluations[0].values
            }
        )

    @property
    def number(self) -> int:
        """Return how many repetitions there are."""
        return len(next(iter(self.values.values())))

    def means(self, measure: str) -> NDArray[np.float64]:
        """Return the mean over the questions in each repetition: [repetitions]; NaN = none."""
        table = self.values[measure]
        counted = ~np.isnan(table).all(axis=0)
        means: NDArray[np.float64] = (
            np.nanmean(table[:, counted], axis=1) if counted.any() else np.full(len(table), np.nan)
        )
        return means

    def deviation(self, measure: str) -> float:
        """Return the standard deviation of the means between repetitions; NaN = none.

        Examples
        --------
        >>> table = np.array([[1.0, 0.0], [1.0, 1.0]])
        >>> round(Repeats({"recall": table}).deviation("recall"), 3)  # of 0.5 and 1.0
        0.354
        """
        return float(np.std(self.means(measure), ddof=1))

    @property
    def moving(self) -> tuple[int, ...]:
        """Return the questions of which some value was not the same in every repetition."""
        moved = [
            (np.nan_to_num(table) != np.nan_to_num(table[:1])).any(axis=0)
            for table in self.values.values()
        ]
        return tuple(np.flatnonzero(np.logical_or.reduce(moved)).tolist())


def _column(evaluation: Evaluation, name: str) -> NDArray[np.float64]:
    values = evaluation.values[name]
    column: NDArray[np.float64] = np.where(values.counts, values.value, np.nan).astype(np.float64)
    return column
