"""Holm's correction: many questions asked of the same results."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Return the adjusted p of each test of a family, in the order given, 0..1.

    The i-th smallest of m is multiplied by m − i + 1, and none is smaller than one before it. Held
    against a level, the chance of any false alarm in the family is at most that level, whatever the
    tests have to do with each other. An empty family is empty.

    Source: Holm 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(p)
    reached = 0.0
    for place, test in enumerate(sorted(range(len(p)), key=lambda test: p[test])):
        reached = max(reached, min(1.0, (len(p) - place) * p[test]))
        adjusted[test] = reached
    return adjusted
