"""What a harmless change loses by chance: a few found questions, for which it finds others."""

from __future__ import annotations

from math import comb

LOST = 0.04  # share of the found questions that any change loses: docs/gate-power.md, churn


def unluckiest(found: int, lost: float = LOST, level: float = 0.05) -> int:
    """Return how many of the found questions a harmless change loses at most, 1 − `level` sure.

    The least b with P(X > b) ≤ level for X ~ Binomial(found, lost). What it gains is left out, so
    that it rather loses less.

    Examples
    --------
    >>> unluckiest(13), unluckiest(70), unluckiest(0)
    (2, 6, 0)
    """
    beyond, least = 1.0, -1
    while beyond > level:
        least += 1
        beyond -= comb(found, least) * lost**least * (1 - lost) ** (found - least)
    return least


def any_lost(found: int, lost: float = LOST) -> float:
    """Return the chance that a harmless change loses at least one of the found questions, 0..1.

    Examples
    --------
    >>> round(any_lost(13), 2), round(any_lost(16), 2)
    (0.41, 0.48)
    """
    return 1 - (1 - lost) ** found
