"""Whether the gap between dev and held-out questions grows."""

from __future__ import annotations

from collections.abc import Sequence

from rageval.comparison.gap import Gap

_LEVEL = 0.05
_FEWEST = 4  # the fewest gaps whose order can be told from chance: 1 / 4! = 0.042


def widening(past: Sequence[float]) -> float | None:
    """Return how likely chance alone makes gaps grow so steadily: a one-sided p in 0..1.

    `past` is in the order of time. Kendall's rank correlation with time, which asks nothing of how
    gaps are spread; exact up to 33 gaps of which no two are equal, else by its
    normal approximation. The sides' own luck is in every gap alike and
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
    >>> from rageval.comparison.gap import gap
    >>> from rageval.evaluation.subsets import Summary
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
