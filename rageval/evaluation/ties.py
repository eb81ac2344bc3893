"""Which measures ties decide, and what they would be in other orders of what is tied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.evaluation.retrieval import Tied
from rageval.evaluation.scoring import Judged
from rageval.measures import ties
from rageval.measures.catalogue import Cutoffs
from rageval.measures.ties import Spread
from rageval.measures.values import Values


@dataclass(frozen=True)
class Undecided:
    """A measure that ties decide for some questions: its values in other orders of them."""

    expected: Values  # over all orders, each as likely as any other
    low: Values  # in the worst order
    high: Values  # in the best one

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Return for which questions it depends on the order: [n]."""
        found: NDArray[np.bool_] = self.low.value < self.high.value
        return found


def undecided(
    judged: Judged, values: Mapping[str, Values], cutoffs: Cutoffs, k: int
) -> dict[str, Undecided]:
    """Return the hit rates, recall and mrr that ties decide for any question, by name.

    Documents over the per-document cap and below the floor are left out as they were: what they
    would be in another order is not followed up. `k` is the size of the window.
    """
    spreads: dict[str, dict[int, Spread]] = {}
    for row, tied in judged.retrieved.tied.items():
        for name, spread in (
            *_hits(judged, row, tied, cutoffs),
            *_evidence(judged, row, tied, k),
        ):
            if spread.low < spread.high and values[name].counts[row]:
                spreads.setdefault(name, {})[row] = spread
    return {name: _columns(values[name], found) for name, found in sorted(spreads.items())}


def _columns(values: Values, found: Mapping[int, Spread]) -> Undecided:
    expected, low, high = (values.value.copy() for _ in range(3))
    for row, spread in found.items():
        expected[row], low[row], high[row] = spread.expected, spread.low, spread.high
    counts = values.counts
    return Undecided(Values(expected, counts), Values(low, counts), Values(high, counts))


def _hits(judged: Judged, row: int, tied: Tied, cutoffs: Cutoffs) -> Iterator[tuple[str, Spread]]:
    """Yield the hit rates of a question whose first target is in a tie."""
    question, document = judged.labels.targets
    targets = set(document[question == row].tolist())
    seen: set[int] = set()
    for numbers in _groups(tied, judged.chunks.document[tied.chunk]):
        new = Counter(number for number in numbers if number not in seen)
        right = [count for number, count in new.items() if number in targets]
        if right:
            wrong = [count for number, count in new.items() if number not in targets]
            for k in cutoffs.hit_at:
                yield f"hit_rate_at_{k}", ties.hit(len(seen), wrong, right, k)
            return
        seen.update(new)


def _evidence(judged: Judged, row: int, tied: Tied, k: int) -> Iterator[tuple[str, Spread]]:
    """Yield recall and mrr of a question whose first supporting chunk is in a tie."""
    qrels = judged.qrels
    support = set(qrels.chunk[qrels.question == row].tolist())
    before = 0
    for numbers in _groups(tied, tied.chunk):
        right = sum(number in support for number in numbers)
        if right:
            yield "recall", ties.recall(before, len(numbers), right, k)
            yield "mrr", ties.reciprocal_rank(before, len(numbers), right, k)
            return
        before += len(numbers)


def _groups(tied: Tied, numbers: NDArray[np.int32]) -> Iterator[list[int]]:
    """Yield what is tied together, from the best level down."""
    borders = np.flatnonzero(np.diff(tied.level)) + 1
    for part in np.split(numbers, borders):
        yield part.tolist()
