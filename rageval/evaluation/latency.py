"""How long one question takes through the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rageval.evaluation.retrieval import Retrieved
from rageval.retrieval.pipeline import Ask, Pipeline
from rageval.schema.fields import Natural, Record


class LatencyConfig(Record):
    """How latency is measured."""

    sample: Natural = 50  # questions asked one at a time; 0 = latency is not measured


@dataclass(frozen=True)
class Latency:
    """Seconds a question, asked one at a time: apart from everything that is reproducible."""

    seconds: tuple[tuple[int, float], ...]  # question's row, seconds

    def percentile(self, share: int) -> float:
        """Return the time in milliseconds that `share` percent of the questions stay under.

        Examples
        --------
        >>> Latency(((0, 0.001), (1, 0.003))).percentile(50)
        2.0
        """
        return float(np.percentile([taken for _, taken in self.seconds], share) * 1000)


def measure(
    pipeline: Pipeline, asks: Sequence[Ask], sample: int, clock: Callable[[], float]
) -> Latency | None:
    """Time the production path on evenly spaced questions; None if there is nothing to time.

    The first question is asked once before, unmeasured. Failing questions are left out.
    """
    rows = np.unique(np.linspace(0, len(asks) - 1, min(sample, len(asks))).astype(int)).tolist()
    for row in rows[:1]:
        _time(pipeline, asks[row], clock)
    taken = [(row, _time(pipeline, asks[row], clock)) for row in rows]
    measured = tuple((row, seconds) for row, seconds in taken if seconds is not None)
    return Latency(measured) if measured else None


def of_scored(retrieved: Retrieved) -> Latency | None:
    """Return how long the calls took that are scored; None where they were not timed one by one.

    A retriever that is asked question by question, such as a remote one, is not asked again to be
    timed. Failing questions are left out.
    """
    seconds = retrieved.candidates.seconds
    if seconds is None:
        return None
    rows = np.flatnonzero(~np.isnan(seconds)).tolist()
    return Latency(tuple((row, float(seconds[row])) for row in rows)) if rows else None


def _time(pipeline: Pipeline, ask: Ask, clock: Callable[[], float]) -> float | None:
    begun = clock()
    try:
        pipeline.retrieve(ask)
    except RuntimeError:
        return None
    return clock() - begun
