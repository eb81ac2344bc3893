"""What a measure is over all orders of what is tied, each order as likely as any other.

Everything here is exact: nothing is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True)
class Spread:
    """A value over all orders of the ties."""

    expected: float
    low: float  # in the worst order
    high: float  # in the best one


def reciprocal_rank(before: int, tied: int, right: int, k: int) -> Spread:
    """Return 1 / rank of the first supporting chunk within the k first, 0 beyond them.

    Of `tied` chunks that follow `before` others, `right` support the answer (at least one).

    Examples
    --------
    >>> reciprocal_rank(before=0, tied=2, right=1, k=6)
    Spread(expected=0.75, low=0.5, high=1.0)
    """
    orders = comb(tied, right)
    last = tied - right + 1  # the first that is right stands here in the worst order
    expected = sum(
        comb(tied - place, right - 1) / orders / (before + place)
        for place in range(1, last + 1)
        if before + place <= k
    )
    return Spread(expected, _inverse(before + last, k), _inverse(before + 1, k))


def recall(before: int, tied: int, right: int, k: int) -> Spread:
    """Return whether a supporting chunk is among the k first; arguments as `reciprocal_rank`.

    Examples
    --------
    >>> recall(before=5, tied=4, right=1, k=6)
    Spread(expected=0.25, low=0.0, high=1.0)
    """
    room = min(max(0, k - before), tied)
    missed = comb(tied - right, room) / comb(tied, room)
    return Spread(1 - missed, float(tied - right < room), float(room > 0))


def hit(before: int, wrong: Sequence[int], right: Sequence[int], k: int) -> Spread:
    """Return whether a target is among the k best distinct documents.

    `before` documents stand above the tie. `wrong` and `right` are the documents that first come up
    in it, those that are no targets and those that are, by the number of their tied chunks: a
    document of many chunks comes up early in most orders.

    Examples
    --------
    >>> hit(before=0, wrong=[1, 1, 1], right=[1], k=1)
    Spread(expected=0.25, low=0.0, high=1.0)
    >>> hit(before=0, wrong=[1], right=[3], k=1)  # three of the four chunks are the target's
    Spread(expected=0.75, low=0.0, high=1.0)
    """
    room = max(0, k - before)
    missed = _all_wrong(Counter(wrong), sum(wrong) + sum(right), room)
    return Spread(1 - missed, float(len(wrong) < room), float(room > 0))


def _all_wrong(wrong: Counter[int], chunks: int, room: int) -> float:
    """Return how likely the first `room` distinct documents are all wrong.

    Documents come up one by one, each as likely as its share of the chunks of those that are left.
    What is left depends only on how many of each size came up.
    """
    sizes = sorted(wrong)
    states = {(0,) * len(sizes): 1.0}
    for _ in range(room):
        following: dict[tuple[int, ...], float] = {}
        for gone, likely in states.items():
            left = chunks - sum(n * size for n, size in zip(gone, sizes, strict=True))
            for at, size in enumerate(sizes):
                more = wrong[size] - gone[at]
                if more:
                    state = (*gone[:at], gone[at] + 1, *gone[at + 1 :])
                    step = likely * more * size / left
                    following[state] = following.get(state, 0.0) + step
        states = following
    return sum(states.values())


def _inverse(rank: int, k: int) -> float:
    return 1 / rank if rank <= k else 0.0
