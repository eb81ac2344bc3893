"""Paired differences as whole numbers, so that no sum depends on its order."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_FINEST = 2**32  # the largest unit; with more than that a difference is rounded to 1 / 2**32


@dataclass(frozen=True)
class Differences:
    """After less before, question by question, in units of 1 / scale."""

    each: NDArray[np.int64]  # [questions]
    group: NDArray[np.int64]  # [questions] 0-based; questions of one group belong together
    scale: int
    names: tuple[Hashable, ...] = ()  # [groups] what tells groups apart in different measures

    @property
    def n(self) -> int:
        """Return the number of questions."""
        return len(self.each)

    @property
    def mean(self) -> float:
        """Return the mean difference, −1..1; 0 of no question."""
        return int(self.each.sum()) / (self.scale * self.n) if self.n else 0.0

    @property
    def lost(self) -> float:
        """Return what was lost, in whole questions: for hits the number of lost ones."""
        return -int(self.each[self.each < 0].sum()) / self.scale

    @property
    def gained(self) -> float:
        """Return what was gained, in whole questions."""
        return int(self.each[self.each > 0].sum()) / self.scale

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Return the sum of each group, [groups]."""
        found = np.zeros(len(self.sizes), np.int64)
        np.add.at(found, self.group, self.each)
        return found

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of questions of each group, [groups]."""
        return np.bincount(self.group).astype(np.int64)

    @property
    def design_effect(self) -> float:
        """Return by how much groups thin the questions out: Σ size² / n, from 1.

        As if all questions of a group told the same thing, which is on the safe side (Kish 1965).
        """
        return float((self.sizes**2).sum()) / self.n


def differences(values: Sequence[Fraction], groups: Sequence[str] | None = None) -> Differences:
    """Return differences of −1..1 as whole numbers over their common denominator.

    Hits have the scale 1, reciprocal ranks of a window of six 60. A denominator beyond 2³² is
    rounded away, evenly and on every machine alike. Without `groups` each question is its own.

    Examples
    --------
    >>> found = differences([Fraction(1, 2), Fraction(-1, 3), Fraction(0)], ["a", "b", "a"])
    >>> found.each.tolist(), found.scale, found.totals.tolist(), found.sizes.tolist()
    ([3, -2, 0], 6, [3, -2], [2, 1])
    """
    scale = 1
    for denominator in {value.denominator for value in values}:
        scale = math.lcm(scale, denominator)
        if scale > _FINEST:
            scale = _FINEST
            break
    names = range(len(values)) if groups is None else groups
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return Differences(
        np.array([round(value * scale) for value in values], np.int64),
        np.array([places[name] for name in names], np.int64),
        scale,
        tuple(places),
    )
