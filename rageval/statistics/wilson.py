"""Wilson's interval: how sure a rate is."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95  # coverage of every interval that is shown


def wilson(mean: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the score interval of a mean of n ≥ 1 values in 0..1.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n). Both ends lie in 0..1, and the interval has a
    width even where the mean is 0 or 1. Exact in its kind for rates. For shares it is on the safe
    side: values in 0..1 spread at most as much as zeros and ones of the same mean.

    Source: Wilson 1927; recommended for small n by Brown, Cai and DasGupta 2001.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0.5, 10)]
    [0.2366, 0.7634]
    >>> [round(end, 4) for end in wilson(1.0, 10)]
    [0.7225, 1.0]
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = mean + z**2 / (2 * n)
    spread = z * math.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    # At 0 and 1 the formula gives that very end, which rounding would miss.
    low = 0.0 if mean == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if mean == 1 else min(1.0, (centre + spread) / scale)
    return low, high
