"""How much better the questions of one side fare than those of another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rageval.evaluation.subsets import Summary
from rageval.measures.catalogue import comparable_across_questions


@dataclass(frozen=True, slots=True)
class Gap:
    """A measure's value on the dev side less that elsewhere: held out, or in production."""

    dev: Summary
    held: Summary
    value: float  # −1..1; positive: the dev questions fare better
    low: float  # 95 % interval
    high: float

    @property
    def beyond_chance(self) -> bool:
        """Say whether the dev side is better by more than chance makes likely."""
        return self.low > 0


def gaps(dev: Mapping[str, Summary], held: Mapping[str, Summary]) -> dict[str, Gap]:
    """Return the gap of every hit rate, recall, mrr and completeness that both sides have.

    Examples
    --------
    >>> from rageval.statistics.wilson import wilson
    >>> dev, held = Summary(70, 0.8, *wilson(0.8, 70)), Summary(80, 0.6, *wilson(0.6, 80))
    >>> found = gaps({"recall": dev}, {"recall": held})["recall"]
    >>> round(found.low, 4), round(found.high, 4)  # 56/70 − 48/80 in Newcombe's table II, row 10
    (0.0524, 0.3339)
    """
    return {
        name: gap(dev[name], summary)
        for name, summary in held.items()
        if comparable_across_questions(name)
        and name in dev
        and None not in (summary.value, dev[name].value)
    }


def gap(dev: Summary, held: Summary) -> Gap:
    """Return the difference of two independent means with its 95 % interval.

    The interval joins the two score intervals (Newcombe 1998, Statistics in Medicine 17, method
    10): with d = p − q, the lower end is d − √((p − l)² + (u' − q)²). No question is on both sides,
    so the sides are independent.

    Raises
    ------
    ValueError
        If either mean is over no question.
    """
    if None in (dev.value, dev.low, dev.high, held.value, held.low, held.high):
        raise ValueError("a gap needs questions on both sides")
    p, q = dev.value or 0.0, held.value or 0.0
    below = math.hypot(p - (dev.low or 0.0), (held.high or 0.0) - q)
    above = math.hypot((dev.high or 0.0) - p, q - (held.low or 0.0))
    return Gap(dev, held, p - q, p - q - below, p - q + above)
