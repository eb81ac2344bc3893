"""The paired randomisation test: whether a mean difference is more than a coin's work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.statistics import mcnemar
from rageval.statistics.differences import Differences
from rageval.statistics.stream import Stream

RESAMPLES = 100_000
_SEED = 20_260
_EXACT = 2**26  # additions up to which the whole distribution is worked out: some 0.1 s
_FLIPS = 8  # groups in one random byte


@dataclass(frozen=True, slots=True)
class Randomised:
    """What chance alone would do."""

    worse: float  # one-sided p: the chance of a mean as low or lower, in (0, 1]
    either: float  # two-sided p
    exact: bool  # False: from 100,000 random flips


def randomisation(found: Differences, resamples: int = RESAMPLES, seed: int = _SEED) -> Randomised:
    """Return p of the sign-flip test: every group's total is as likely to have the other sign.

    worse = P(T ≤ t), either = P(|T| ≥ |t|), T = Σ ± total; 1 where nothing changed. With totals of
    one size this is McNemar's exact test, and is computed as such. Otherwise the distribution of T
    is worked out in whole numbers while that takes at most 2²⁶ additions (n = 1,000 reciprocal
    ranks of a window of six); beyond that, p = (1 + as extreme) / (1 + resamples).

    Source: Fisher 1935; Edgington and Onghena 2007; +1 as in Phipson and Smyth 2010.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rageval.statistics.differences import differences
    >>> randomisation(differences([Fraction(-1, 2), Fraction(-1, 3), Fraction(0)]))
    Randomised(worse=0.25, either=0.5, exact=True)
    """
    totals = found.totals[found.totals != 0]
    if len(totals) == 0:
        return Randomised(1.0, 1.0, True)
    sizes = np.abs(totals) // np.gcd.reduce(totals)
    if (sizes == 1).all():
        lost, gained = int((totals < 0).sum()), int((totals > 0).sum())
        return Randomised(mcnemar.worse(lost, gained), mcnemar.either(lost, gained), True)
    observed = int((np.sign(totals) * sizes).sum())
    if len(sizes) * int(sizes.sum()) <= _EXACT:
        return _exact(sizes, observed)
    return _sampled(sizes, observed, resamples, seed)


def _exact(sizes: NDArray[np.int64], observed: int) -> Randomised:
    chance, top = _chances(sizes), int(sizes.sum())
    low = float(chance[: (top + observed) // 2 + 1].sum())
    tail = float(chance[: (top - abs(observed)) // 2 + 1].sum())
    return Randomised(min(1.0, low), 1.0 if observed == 0 else min(1.0, 2 * tail), True)


def _chances(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distribution of U = Σ size × coin, of which T = 2 U − Σ size."""
    chance = np.zeros(int(sizes.sum()) + 1)
    chance[0], top = 1.0, 0
    for size in np.sort(sizes).tolist():
        chance[: top + 1] *= 0.5
        chance[size : top + size + 1] += chance[: top + 1].copy()
        top += size
    return chance


def lower_tails(totals: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Return P(T ≤ t) for every sum t that T can come to, from the lowest up.

    They are twice the totals' greatest common divisor apart. None where it takes more than 2²⁶
    additions. At least one total must not be 0.

    Examples
    --------
    >>> lower_tails(np.array([1, -1])).tolist()  # −2, 0, 2
    [0.25, 0.75, 1.0]
    """
    totals = totals[totals != 0]
    sizes = np.abs(totals) // np.gcd.reduce(totals)
    if (sizes == 1).all():
        from scipy.special import bdtr

        tails: NDArray[np.float64] = bdtr(np.arange(len(sizes) + 1), len(sizes), 0.5)
        return tails
    if len(sizes) * int(sizes.sum()) > _EXACT:
        return None
    return np.minimum(np.cumsum(_chances(sizes)), 1.0)


def _sampled(sizes: NDArray[np.int64], observed: int, resamples: int, seed: int) -> Randomised:
    drawn = flips(sizes, resamples, seed)
    low = int((drawn <= observed).sum())
    far = int((np.abs(drawn) >= abs(observed)).sum())
    return Randomised((1 + low) / (1 + resamples), (1 + far) / (1 + resamples), False)


def flips(sizes: NDArray[np.int64], resamples: int, seed: int) -> NDArray[np.int64]:
    """Return the sums of randomly signed sizes, [resamples].

    Eight sizes have 256 signed sums; one random byte chooses among them, so a resample costs a
    look-up for each eight groups.

    Examples
    --------
    >>> sorted(set(flips(np.array([1, 3]), 100, 0).tolist()))
    [-4, -2, 2, 4]
    """
    stream = Stream(seed)
    sums, part = np.zeros(resamples, np.int64), np.empty(resamples, np.int64)
    for first in range(0, len(sizes), _FLIPS):
        signed = signed_sums(sizes[first : first + _FLIPS])
        np.take(signed, stream.octets(resamples), out=part, mode="clip")  # no byte is outside
        sums += part
    return sums


def signed_sums(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the 256 sums of up to eight numbers, bit by bit of the byte that chooses the signs.

    Examples
    --------
    >>> signed_sums(np.array([1, 3]))[:4].tolist()
    [-4, -2, 2, 4]
    """
    signs = np.where((np.arange(256)[:, None] >> np.arange(len(sizes))) & 1, 1, -1)
    sums: NDArray[np.int64] = (signs * sizes).sum(axis=1)
    return sums
