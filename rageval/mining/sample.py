"""Questions drawn from a log by chance, so that what is found on them holds for the log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rageval.mining.questionlog.asked import Asked


def drawn(log: Sequence[Asked], size: int, seed: int) -> list[Asked]:
    """Return so many rows of a log, each as likely as any other, in the order of the log.

    A question that is asked twice as often is twice as likely to be drawn; one that is drawn twice
    is returned twice. The same log, size and seed give the same rows on every machine.

    Examples
    --------
    >>> log = [Asked(f"question {n}", n) for n in range(100)]
    >>> [one.row for one in drawn(log, 3, 42)] == [one.row for one in drawn(log, 3, 42)]
    True
    >>> len(drawn(log, 1000, 42))
    100
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    places = generator.permutation(len(log))[:size]
    return [log[int(place)] for place in sorted(places)]
