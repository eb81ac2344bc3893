"""Questions that say nearly the same."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

_WORD = re.compile(r"\w+")


def near_duplicates(
    texts: Sequence[str], least: float, sides: Sequence[str] | None = None
) -> list[tuple[int, int]]:
    """Return the pairs of texts that share at least so much of their words, the earlier one second.

    The share is that of the words of both in the words of either (Jaccard), without case, order or
    repetition. A text gets the most similar earlier one, the first on a tie. What cannot reach the
    share is never compared: two such texts have one of their rarest words in common. With `sides`,
    one a text, only texts of different sides are.

    Examples
    --------
    >>> near_duplicates(["How many days?", "Who pays?", "how MANY days"], 0.8)
    [(2, 0)]
    """
    share = Fraction(str(least))
    rows = [words(text) for text in texts]
    frequency = Counter(word for row in rows for word in row)
    numbered = _Numbered(rows)
    holders: dict[str, list[int]] = {}
    pairs: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        rare = _rarest(row, frequency, share)
        seen = {other for word in rare for other in holders.get(word, ())}
        if sides is not None:
            seen = {other for other in seen if sides[other] != sides[number]}
        if seen:
            best, likeness = numbered.likest(number, sorted(seen))
            pairs += [(number, best)] if likeness >= share else []
        for word in rare:
            holders.setdefault(word, []).append(number)
    return pairs


def words(text: str) -> frozenset[str]:
    """Return the words that are compared: without case, order or repetition."""
    return frozenset(_WORD.findall(text.casefold())) or frozenset([text.strip()])


def _rarest(row: frozenset[str], frequency: Counter[str], share: Fraction) -> list[str]:
    """Return so many of the rarest words that a text without any of them is too different."""
    kept = len(row) - math.ceil(share * len(row)) + 1
    return sorted(row, key=lambda word: (frequency[word], word))[:kept]


class _Numbered:
    """Words as numbers in one array, so that a text is compared with thousands at once."""

    def __init__(self, rows: Sequence[frozenset[str]]) -> None:
        number: dict[str, int] = {}
        flat = [number.setdefault(word, len(number)) for row in rows for word in row]
        self._flat = np.array(flat, np.int64)  # all texts' words, one text after the other
        self._size = np.array([len(row) for row in rows], np.int64)
        self._start = np.cumsum(self._size) - self._size
        self._mark = np.zeros(len(number), np.int64)  # 1 for the words of the text in question

    def likest(self, number: int, others: Sequence[int]) -> tuple[int, Fraction]:
        """Return the most similar of some others, the first on a tie, and its share of words."""
        known = np.array(others, np.int64)
        sizes = self._size[known]
        first = np.cumsum(sizes) - sizes
        places = np.repeat(self._start[known] - first, sizes) + np.arange(sizes.sum())
        own = self._flat[self._start[number] : self._start[number] + self._size[number]]
        self._mark[own] = 1
        common = np.add.reduceat(self._mark[self._flat[places]], first)
        self._mark[own] = 0
        either = self._size[number] + sizes - common
        best = int(np.argmax(common / either))  # two shares alike are divided alike
        return others[best], Fraction(int(common[best]), int(either[best]))
