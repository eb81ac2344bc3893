"""Questions that say nearly the same."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

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
    holders: dict[str, list[int]] = {}
    pairs: list[tuple[int, int]] = []
    for number, row in enumerate(rows):
        rare = _rarest(row, frequency, share)
        seen = {other for word in rare for other in holders.get(word, ())}
        if sides is not None:
            seen = {other for other in seen if sides[other] != sides[number]}
        best = max(_similar(rows, number, sorted(seen), share), default=None)
        if best is not None:
            pairs.append((number, -best[1]))
        for word in rare:
            holders.setdefault(word, []).append(number)
    return pairs


def words(text: str) -> frozenset[str]:
    """Return the words that likeness is told by: without case, order or repetition."""
    return frozenset(_WORD.findall(text.casefold())) or frozenset([text.strip()])


def _rarest(row: frozenset[str], frequency: Counter[str], share: Fraction) -> list[str]:
    """Return so many of the rarest words that a text without any of them is too different."""
    kept = len(row) - math.ceil(share * len(row)) + 1
    return sorted(row, key=lambda word: (frequency[word], word))[:kept]


def _similar(
    rows: Sequence[frozenset[str]], number: int, others: Sequence[int], share: Fraction
) -> Iterator[tuple[Fraction, int]]:
    for other in others:
        common = len(rows[number] & rows[other])
        either = len(rows[number]) + len(rows[other]) - common
        if common >= share * either:
            yield Fraction(common, either), -other
