"""How much better development questions fare than held-out ones, and whether that grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rageval.subsets import Summary

_HEADLINES = ("recall", "mrr", "completeness")  # and every hit rate
_LEVEL = 0.05
_FEWEST = 4  # the fewest gaps whose order can be told from chance: 1 / 4! = 0.042


@dataclass(frozen=True, slots=True)
class Gap:
    """A measure's value on the dev side less that on the held-out side."""

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
    >>> from rageval.subsets import wilson
    >>> dev, held = Summary(70, 0.8, *wilson(0.8, 70)), Summary(80, 0.6, *wilson(0.6, 80))
    >>> found = gaps({"recall": dev}, {"recall": held})["recall"]
    >>> round(found.low, 4), round(found.high, 4)  # 56/70 − 48/80 in Newcombe's table II, row 10
    (0.0524, 0.3339)
    """
    return {
        name: gap(dev[name], summary)
        for name, summary in held.items()
        if _told(name) and name in dev and None not in (summary.value, dev[name].value)
    }


def _told(name: str) -> bool:
    return name in _HEADLINES or name.startswith("hit_rate_at_")


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


def widening(past: Sequence[float]) -> float | None:
    """Return how likely chance alone makes gaps grow so steadily: a one-sided p in 0..1.

    `past` is in the order of time. Kendall's rank correlation with time, which asks nothing of how
    gaps are spread; exact where no two are equal. The sides' own luck is in every gap alike and
    does not count. None below 4 gaps, or if all are equal: nothing can be told.

    Examples
    --------
    >>> widening([0.01, 0.02, 0.05, 0.09]), widening([0.05, 0.09, 0.01])
    (0.041666666666666664, None)
    """
    from scipy.stats import kendalltau

    if len(past) < _FEWEST or len(set(past)) == 1:
        return None
    return float(kendalltau(range(len(past)), past, alternative="greater").pvalue)


def verdict(measure: str, now: Gap, past: Sequence[float]) -> str:
    """Say what the gap of a measure tells; `past` holds all gaps of the ledger, this one last.

    Examples
    --------
    >>> verdict("recall", gap(Summary(4, 1.0, 0.51, 1.0), Summary(2, 0.5, 0.09, 0.91)), [0.5])
    'recall: dev 1.00, held out 0.50, gap +0.50 [-0.14, +0.91], which can be chance'
    """
    shown = (
        f"{measure}: dev {now.dev.value:.2f}, held out {now.held.value:.2f}, gap {now.value:+.2f} "
        f"[{now.low:+.2f}, {now.high:+.2f}]"
    )
    p = widening(past)
    if p is not None and p <= _LEVEL:
        return (
            f"{shown}, and it widens beyond chance (p = {p:.3f} over {len(past)} scorings): "
            "the dev set is being tuned to; add questions from production"
        )
    if now.beyond_chance:
        return (
            f"{shown}, which is beyond chance: the dev set is being tuned to, or the held-out "
            "questions are harder"
        )
    return f"{shown}, which can be chance"
