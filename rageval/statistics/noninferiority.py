"""Non-inferiority: whether it is shown that less was lost than is tolerated."""

from __future__ import annotations

import math
from statistics import NormalDist

from rageval.statistics.differences import Differences


def not_worse(found: Differences, tolerance: float) -> float:
    """Return the p of "the loss is the tolerance or more": small means shown not to be worse, 0..1.

    Tango's score test of the paired difference: Z = (lost − gained − nΔ) / √(n (2 q + Δ (1 − Δ))),
    q the chance of a gain that is likeliest if the loss is Δ; p = Φ(Z). Fractions of a question
    count as such, which is on the safe side: a difference d of −1..1 has d² ≤ |d|. Questions of a
    group count as one told several times (`Differences.design_effect`). Without a question p is 1.

    Source: Tango 1998, Statistics in Medicine 17:891-908.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rageval.statistics.differences import differences
    >>> round(not_worse(differences([Fraction(0)] * 25), 0.1), 4)  # nothing changed: just enough
    0.0478
    """
    if found.n == 0:
        return 1.0
    thin = found.design_effect
    return tango(found.lost / thin, found.gained / thin, found.n / thin, tolerance)


def tango(lost: float, gained: float, n: float, tolerance: float) -> float:
    """Return Φ(Z) of Tango's score test; see `not_worse`.

    Examples
    --------
    >>> round(tango(0, 1, 44, 0.1), 4)  # one of 44 was gained, none lost
    0.0072
    """
    spread = n * (2 * _likeliest_gain(lost, gained, n, tolerance) + tolerance * (1 - tolerance))
    distance = lost - gained - n * tolerance
    if spread <= 0:
        return 0.5 if distance == 0 else float(distance > 0)
    return NormalDist().cdf(distance / math.sqrt(spread))


def _likeliest_gain(lost: float, gained: float, n: float, tolerance: float) -> float:
    """Return the likeliest share of gains if the true loss is the tolerance: a quadratic's root."""
    a = 2 * n
    b = -lost - gained + (2 * n - lost + gained) * tolerance
    c = -gained * tolerance * (1 - tolerance)
    return max(0.0, (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a))


def can_be_shown(n: float, tolerance: float, level: float) -> bool:
    """Say whether n questions suffice to show it at all, if none of them changed.

    n > z² (1 − Δ) / Δ: 25 questions for a tolerance of 0.1 at 5 %, 52 for 0.05; never for 0.

    Examples
    --------
    >>> can_be_shown(24, 0.1, 0.05), can_be_shown(25, 0.1, 0.05), can_be_shown(10_000, 0, 0.05)
    (False, True, False)
    """
    return n > 0 and tango(0, 0, n, tolerance) <= level
