"""What a sweep found, and how much of it is luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.sweep.ended import Ended
from rageval.sweep.session import assignments, swept

_RESAMPLES = 2000
_SEED = 42


@dataclass(frozen=True)
class Leaderboard:
    """Cells by the objective, the best first, with what chance has to do with it."""

    objective: str  # measure
    cells: tuple[Ended, ...]  # finished ones, the best first
    alike: frozenset[int]  # numbers of cells that cannot be told from the best
    optimism: float | None  # how much the best value is expected to flatter; None without cells

    @property
    def best(self) -> Ended | None:
        """Return the best cell."""
        return self.cells[0] if self.cells else None


def leaderboard(ended: Sequence[Ended], objective: str) -> Leaderboard:
    """Rank the finished cells by a measure over `all`, mrr decides ties.

    Questions are resampled 2,000 times, seeded. The optimism is the mean, over the resamples, of
    the value of the cell that wins there less its value on all questions: what picking the best of
    several adds by chance. A cell is like the best if the 95 % interval of their difference, paired
    by question, holds zero. A cell of another benchmark has no pairs, so nothing is said of it.
    """
    cells = [cell for cell in ended if objective in cell.whole and len(cell.values)]
    cells.sort(key=lambda cell: (-_value(cell, objective), -_value(cell, "mrr"), cell.number))
    size = len(cells[0].values) if cells else 0
    paired = [c for c in cells if (len(c.values), c.benchmark) == (size, cells[0].benchmark)]
    if not paired:
        return Leaderboard(objective, tuple(cells), frozenset(), None)
    values = np.array([cell.values for cell in paired])
    means = values @ _resamples(size).T / size
    return Leaderboard(
        objective,
        tuple(cells),
        alike=frozenset(paired[row].number for row in np.flatnonzero(_like_first(means))),
        optimism=_optimism(means, values.mean(axis=1)),
    )


def _value(cell: Ended, measure: str) -> float:
    found = cell.whole.get(measure)
    return found.value if found is not None and found.value is not None else 0.0


def _resamples(n: int) -> NDArray[np.int64]:
    """Return how often each question is drawn in each resample: [resamples, n]."""
    return np.random.default_rng(_SEED).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)


def _optimism(means: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    """Return what the winner of a resample gains there, on average; `means` is [cells, resamples].

    Examples
    --------
    >>> _optimism(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([0.5, 0.5]))
    0.05
    """
    winner = means.argmax(axis=0)
    gained = means[winner, np.arange(means.shape[1])] - true[winner]
    return max(0.0, round(float(gained.mean()), 12))


def _like_first(means: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, high = np.percentile(means[0] - means, [2.5, 97.5], axis=1)
    alike: NDArray[np.bool_] = (low <= 0) & (high >= 0)
    return alike


def main_effects(board: Leaderboard) -> list[tuple[str, str, int, float]]:
    """Return, for each value of each swept key, its cells and their mean objective."""
    rows = []
    for key, values in swept(cell.overrides for cell in board.cells).items():
        for value in values:
            inside = [c for c in board.cells if assignments(c.overrides).get(key) == value]
            mean = float(np.mean([_value(cell, board.objective) for cell in inside]))
            rows.append((key, value, len(inside), mean))
    return rows


def best_by_subset(board: Leaderboard) -> list[tuple[str, str, float]]:
    """Return, for each subset, the cell that is best there and its objective."""
    names = dict.fromkeys(name for cell in board.cells for name in cell.subsets)
    rows = []
    for name in names:
        found = [(cell.subsets.get(name), cell) for cell in board.cells]
        known = [(value, cell) for value, cell in found if value is not None]
        if known:
            value, cell = max(known, key=lambda pair: pair[0])
            rows.append((name, " ".join(cell.overrides), value))
    return rows
