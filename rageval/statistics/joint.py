"""Several paired tests of the same questions, corrected for what they have in common."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from rageval.statistics.differences import Differences
from rageval.statistics.holm import holm
from rageval.statistics.randomisation import lower_tails, randomisation, signed_sums
from rageval.statistics.stream import Stream

RESAMPLES = 100_000
_FEW = 20_000  # resamples where groups × tests are many
_MANY = 50_000  # groups × tests
_SEED = 20_261
_EXACT = 16  # groups up to which every combination of signs is tried
_FLIPS = 8  # groups in one random byte
_ROUNDING = 1 + 1e-9  # two ways to the same p differ by less


def joint(tests: Sequence[Differences | None], resamples: int = RESAMPLES) -> list[float]:
    """Return the adjusted one-sided p of each test of a family, in the order given, 0..1.

    Every group's differences change their signs together in all tests, since a question that is
    lost by one measure is mostly lost by the others too. From what that does to all tests at once
    the smallest p is judged, then the next without the first, and so on (step-down min-P). None is
    above Holm's p, which knows nothing of what the tests have in common, nor below the test's own.

    With up to 16 groups that changed at all every combination of signs is tried; beyond that p is
    (1 + as extreme) / (1 + resamples), of 100,000 resamples, or 20,000 for large families. A test
    of no question has p = 1.

    Source: Westfall and Young 1993, algorithm 2.8; +1 as in Phipson and Smyth 2010.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rageval.statistics.differences import differences
    >>> lost = differences([Fraction(-1)] * 5 + [Fraction(0)] * 20)
    >>> joint([lost]), joint([lost, lost, lost])  # the same test three times is one test
    ([0.03125], [0.03125, 0.03125, 0.03125])
    """
    changed = [found for found in tests if found is not None and found.totals.any()]
    own = [randomisation(found).worse for found in changed]
    adjusted = own
    if len(changed) > 1:
        totals = _totals(changed)
        adjusted = _stepped_down(_p_values(totals, _flipped(totals, resamples)))
    # Drawn signs stray a little; the test's own p and Holm's bound what they can come to.
    bounded = zip(own, adjusted, holm(own), strict=True)
    p = iter([min(most, max(least, found)) for least, found, most in bounded])
    return [next(p) if found is not None and found.totals.any() else 1.0 for found in tests]


def _totals(tests: Sequence[Differences]) -> NDArray[np.int64]:
    """Return the sums of every group that changed in any test: [tests, groups]."""
    places: dict[Hashable, int] = {}
    rows = []
    for found in tests:
        changed = np.flatnonzero(found.totals)
        rows.append([(places.setdefault(found.names[n], len(places)), n) for n in changed.tolist()])
    table = np.zeros((len(tests), len(places)), np.int64)
    for number, (row, found) in enumerate(zip(rows, tests, strict=True)):
        for place, n in row:
            table[number, place] = found.totals[n]
    return table


def _flipped(totals: NDArray[np.int64], resamples: int) -> NDArray[np.int64]:
    """Return the sums of each test, as observed and under other signs: [tests, 1 + resamples]."""
    observed = totals.sum(axis=1)[:, None]
    tests, groups = totals.shape
    if groups <= _EXACT:
        sums = np.zeros((tests, 1), np.int64)
        for total in totals.T:
            sums = np.concatenate([sums - total[:, None], sums + total[:, None]], axis=1)
        return np.concatenate([observed, sums], axis=1)
    resamples = resamples if tests * groups <= _MANY else min(resamples, _FEW)
    stream = Stream(_SEED)
    sums = np.zeros((tests, resamples), np.int64)
    for first in range(0, groups, _FLIPS):
        octets = stream.octets(resamples)
        block = totals[:, first : first + _FLIPS]
        for test in np.flatnonzero(block.any(axis=1)).tolist():
            sums[test] += signed_sums(block[test])[octets]
    # What was observed is one of the ways in which the signs can fall, so it counts among them.
    return np.concatenate([observed, sums, observed], axis=1)


def _p_values(totals: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the p that each combination of signs has in each test: the shape of `sums`.

    It is exact where that is cheap, so that equal p of two tests are equal; else it is the share of
    the combinations with a sum as low.
    """
    p = np.empty(sums.shape)
    for test, row in enumerate(sums):
        tails = lower_tails(totals[test])
        if tails is None:
            p[test] = np.searchsorted(np.sort(row[1:]), row, side="right") / (len(row) - 1)
        else:
            step = int(np.gcd.reduce(totals[test]))
            p[test] = tails[(row // step + len(tails) - 1) // 2]
    return p


def _stepped_down(p: NDArray[np.float64]) -> list[float]:
    """Return the adjusted p; the first column is what was observed, the others are resamples."""
    observed, drawn = p[:, 0], p[:, 1:]
    order = np.argsort(observed, kind="stable")
    adjusted = np.empty(len(observed))
    least = np.full(drawn.shape[1], np.inf)
    for test in order[::-1].tolist():  # from the largest p down, each beside those above it
        least = np.minimum(least, drawn[test])
        adjusted[test] = float((least <= observed[test] * _ROUNDING).mean())
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return [float(value) for value in adjusted]
