"""Near-identical questions as one, with how often they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rageval.judging.duplicates import near_duplicates
from rageval.mining.questionlog.asked import Asked


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that say nearly the same, in the order of the log."""

    asked: tuple[Asked, ...]  # at least one

    @property
    def traffic(self) -> int:
        """Return how often it was asked."""
        return len(self.asked)


def clusters(log: Sequence[Asked], near: float) -> list[Cluster]:
    """Return the questions grouped by likeness, the first of each group in the order of the log.

    Two questions are near-identical if they share at least `near` of their words (see
    `near_duplicates`); each joins the group of the most similar one before it. An equal text asked
    by askers with other rights is the same question: what they may see is not what they mean.

    Examples
    --------
    >>> log = [Asked("Days of leave?", 1), Asked("Who pays?", 2), Asked("days of LEAVE", 3)]
    >>> [[one.row for one in cluster.asked] for cluster in clusters(log, 0.8)]
    [[1, 3], [2]]
    """
    texts = list(dict.fromkeys(one.text for one in log))
    leader = list(range(len(texts)))
    for later, earlier in near_duplicates(texts, near):
        leader[later] = leader[earlier]
    place = {text: leader[number] for number, text in enumerate(texts)}
    found: dict[int, list[Asked]] = {}
    for one in log:
        found.setdefault(place[one.text], []).append(one)
    return [Cluster(tuple(rows)) for rows in found.values()]
