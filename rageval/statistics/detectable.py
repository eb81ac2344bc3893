"""The least drop that can be told from chance."""

from __future__ import annotations

import math


def least_lost(level: float, tests: int = 1) -> int:
    """Return the fewest lost questions, with none gained, that the one-sided exact test notices.

    The least b with ½ᵇ ≤ level / tests: 5 at 5 %, since five coins fall alike in 3.1 % of the
    cases; it does not depend on n. No power is assumed: fewer can never be noticed, so many are if
    nothing is won in return. `tests` is the size of the family that Holm corrects for.

    Examples
    --------
    >>> least_lost(0.05), least_lost(0.05, tests=3), least_lost(0.01)
    (5, 6, 7)
    """
    least = math.ceil(-math.log2(level / tests))
    while 0.5**least > level / tests:  # the logarithm is rounded
        least += 1
    return max(1, least)


def least_lost_beside(gained: int, level: float, tests: int = 1) -> int:
    """Return the fewest lost questions that the one-sided exact test notices beside gained ones.

    The least b with P(X ≥ b) ≤ level / tests for X ~ Binomial(b + gained, ½); without any gained
    it is `least_lost`.

    Examples
    --------
    >>> least_lost_beside(0, 0.05), least_lost_beside(1, 0.05), least_lost_beside(3, 0.05)
    (5, 7, 10)
    """
    lost = least_lost(level, tests)
    while _tail(lost, gained) > level / tests:
        lost += 1
    return lost


def _tail(lost: int, gained: int) -> float:
    n = lost + gained
    return sum(math.comb(n, up) for up in range(gained + 1)) * 0.5**n


def in_words(n: int, level: float = 0.05, groups: int | None = None) -> str:
    """Return what n questions can show, in a sentence; in `groups`, each counts as one coin.

    Examples
    --------
    >>> print(in_words(34))  # doctest: +NORMALIZE_WHITESPACE
    with 34 questions one question is 2.9 points; a drop under 5 questions cannot be told from
    chance
    >>> in_words(4)
    'with 4 questions one question is 25.0 points; no drop can be told from chance'
    """
    least = least_lost(level)
    noticed = (
        f"a drop under {least} questions"
        if least <= (n if groups is None else groups)
        else "no drop"
    )
    questions = "question" if n == 1 else "questions"
    return (
        f"with {n} {questions} one question is {100 / n:.1f} points; {noticed} cannot be told from "
        "chance"
    ).replace("no drop cannot", "no drop can")
