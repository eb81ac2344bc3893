"""How new questions are, next to those that a golden set has."""

from __future__ import annotations

from collections.abc import Sequence

from rageval.judging.duplicates import words


def novelty(texts: Sequence[str], known: Sequence[str]) -> list[float]:
    """Return for each text 1 less its largest share of words with a known one, 0..1.

    The share is that of near duplicates: words of both in words of either, without case, order or
    repetition. Without known texts all is new.

    Examples
    --------
    >>> novelty(["Who pays?", "How many days of leave?"], ["how many DAYS of rest"])
    [1.0, 0.33333333333333337]
    """
    sets = [words(text) for text in dict.fromkeys(known)]
    holders: dict[str, list[int]] = {}
    for number, row in enumerate(sets):
        for word in row:
            holders.setdefault(word, []).append(number)
    return [_novelty(words(text), sets, holders) for text in texts]


def _novelty(
    row: frozenset[str], sets: Sequence[frozenset[str]], holders: dict[str, list[int]]
) -> float:
    others = {number for word in row for number in holders.get(word, ())}
    shares = (len(row & sets[n]) / len(row | sets[n]) for n in others)
    return 1 - max(shares, default=0.0)
