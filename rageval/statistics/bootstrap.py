"""The paired bootstrap: an interval of the mean difference."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rageval.statistics.differences import Differences
from rageval.statistics.stream import Stream
from rageval.statistics.wilson import LEVEL

RESAMPLES = 10_000
_SEED = 1_987
_DRAWN = 2**27  # draws in all; beyond 13,000 groups fewer resamples are taken
_LEAST = 1_000  # resamples
_AT_ONCE = 2**20  # draws held in memory


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the mean difference lies."""

    low: float
    high: float


def bca(found: Differences, level: float = LEVEL, seed: int = _SEED) -> Interval:
    """Return the bias-corrected and accelerated interval of the mean difference, within −1..1.

    Groups are drawn with replacement, and with them all their questions; the mean is that of the
    questions drawn. Where no group differs from another there is nothing to resample, and both ends
    are the mean: that says that the set cannot tell, not that nothing can happen.

    Source: Efron 1987; DiCiccio and Efron 1996. Clusters: Davison and Hinkley 1997, 3.8.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rageval.statistics.differences import differences
    >>> found = bca(differences([Fraction(-1)] * 4 + [Fraction(1)] + [Fraction(0)] * 29))
    >>> round(found.low, 3), round(found.high, 3)
    (-0.235, 0.029)
    """
    groups = len(found.sizes)
    resamples = min(RESAMPLES, max(_LEAST, _DRAWN // max(1, groups)))
    return accelerated(found, resampled(found, resamples, seed), level)


def resampled(found: Differences, resamples: int, seed: int) -> NDArray[np.float64]:
    """Return the mean difference of each resample, [resamples]."""
    stream, groups = Stream(seed), len(found.sizes)
    even = bool((found.sizes == 1).all())
    means = np.empty(resamples)
    step = max(1, _AT_ONCE // max(1, groups))
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        places = stream.places(rows * groups, groups).reshape(rows, groups)
        asked = groups if even else found.sizes[places].sum(axis=1)
        means[first : first + rows] = found.totals[places].sum(axis=1) / (found.scale * asked)
    return means


def accelerated(found: Differences, means: NDArray[np.float64], level: float) -> Interval:
    """Return the BCa interval of the mean from its resamples."""
    mean = found.mean
    below = (int((means < mean).sum()) + int((means <= mean).sum())) / (2 * len(means))
    if not 0 < below < 1 or means.min() == means.max():
        return Interval(float(means.min()), float(means.max()))
    ends = shares(NormalDist().inv_cdf(below), acceleration(found), level)
    low, high = np.quantile(means, ends)
    return Interval(float(low), float(high))


def shares(bias: float, skew: float, level: float) -> tuple[float, float]:
    """Return which shares of the resamples lie below the two ends.

    Φ(b + (b + z) / (1 − a (b + z))) for z of (1 ∓ level) / 2.

    Examples
    --------
    >>> [round(share, 3) for share in shares(0.0, 0.0, 0.95)]  # then it is the plain percentile
    [0.025, 0.975]
    """
    normal = NormalDist()
    moved = [bias + normal.inv_cdf(side) for side in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (normal.cdf(bias + z / (1 - skew * z)) for z in moved)
    return low, high


def acceleration(found: Differences) -> float:
    """Return a sixth of the skewness of the mean with one group left out; 0 if all are equal.

    Without groups that is Σ(d − d̄)³ / 6 (Σ(d − d̄)²)^1.5, in one pass.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rageval.statistics.differences import differences
    >>> round(acceleration(differences([Fraction(0), Fraction(0), Fraction(-1)])), 4)
    -0.068
    """
    rest = found.n - found.sizes
    if not (rest > 0).all():
        return 0.0
    without = (int(found.totals.sum()) - found.totals) / (found.scale * rest)
    apart = without.mean() - without
    spread = float((apart**2).sum())
    return float((apart**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
