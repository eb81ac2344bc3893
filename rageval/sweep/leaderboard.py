"""What a sweep found, and how much of the best value is selection bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.statistics.stream import Stream
from rageval.sweep.result import CellResult
from rageval.sweep.session import assignments, in_words, swept

_RESAMPLES = 2000
_HALVINGS = 500
_SEED = 42


@dataclass(frozen=True)
class Leaderboard:
    """Cells by the objective, the best first, with what chance has to do with it."""

    objective: str  # measure
    cells: tuple[CellResult, ...]  # finished ones, the best first
    alike: frozenset[int]  # numbers of cells that cannot be told from the best
    bias: float | None  # selection bias: what the best value is too high by; None without cells

    @property
    def best(self) -> CellResult | None:
        """Return the best cell."""
        return self.cells[0] if self.cells else None


def leaderboard(ended: Sequence[CellResult], objective: str) -> Leaderboard:
    """Rank the finished cells by a measure over `all`, mrr decides ties.

    A cell is like the best if the 95 % interval of their difference, paired by question, holds
    zero: questions are resampled 2,000 times, seeded. A cell of another benchmark has no pairs, so
    nothing is said of it. The bias is that of `selection_bias`.
    """
    cells = [cell for cell in ended if objective in cell.whole and len(cell.values)]
    cells.sort(
        key=lambda cell: (
            -_value(cell, objective), -_value(cell, "mrr"), cell.verdict_code, cell.number,
        )
    )  # fmt: skip
    size = len(cells[0].values) if cells else 0
    paired = [c for c in cells if (len(c.values), c.benchmark) == (size, cells[0].benchmark)]
    if not paired:
        return Leaderboard(objective, tuple(cells), frozenset(), None)
    values = np.array([cell.values for cell in paired])
    means = values @ _resamples(size).T / size
    by_number = [row for _, row in sorted((cell.number, row) for row, cell in enumerate(paired))]
    return Leaderboard(
        objective,
        tuple(cells),
        alike=frozenset(paired[row].number for row in np.flatnonzero(_like_first(means))),
        bias=selection_bias(values[by_number], _grouped(cells[0])),
    )


def _value(cell: CellResult, measure: str) -> float:
    found = cell.whole.get(measure)
    return found.value if found is not None and found.value is not None else 0.0


def _resamples(n: int) -> NDArray[np.int64]:
    """Return how often each question is drawn in each resample: [resamples, n]."""
    return np.random.default_rng(_SEED).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)


def _grouped(cell: CellResult) -> NDArray[np.int64]:
    """Return the group of each question as a number, [n]; a question without one is its own."""
    names = list(cell.groups) or [None] * len(cell.values)
    keys = [name or f"\0{row}" for row, name in enumerate(names)]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.array([places[key] for key in keys], dtype=np.int64)


def selection_bias(values: NDArray[np.float64], group: NDArray[np.int64]) -> float:
    """Return what the best of several cells is too high by, since chance helped to choose it.

    The groups of questions are halved at random, 500 times, with a fixed stream. The cell that is
    best on one half falls, on average, when it is measured on the other; on half the questions
    chance is √2 as large, so the mean fall over √2 is returned. `values` is [cells, n], `group`
    [n]; ties are won by the first cell.

    Examples
    --------
    >>> selection_bias(np.array([[1.0, 1, 1, 1], [0, 0, 0, 0]]), np.arange(4))
    0.0
    """
    groups = int(group.max()) + 1 if len(group) else 0
    if groups < 2:
        return 0.0
    drawn = Stream(_SEED).places(_HALVINGS * groups, 2**31 - 1).reshape(_HALVINGS, groups)
    order = np.argsort(drawn, axis=1, kind="stable")
    first = np.zeros((_HALVINGS, groups), dtype=bool)
    np.put_along_axis(first, order[:, : groups // 2], values=True, axis=1)
    inside = first[:, group].astype(np.float64)  # [halvings, n]
    one = values @ inside.T / inside.sum(axis=1)  # [cells, halvings]
    other = values @ (1 - inside).T / (1 - inside).sum(axis=1)
    halving = np.arange(_HALVINGS)
    falls = [
        here[(best := here.argmax(axis=0)), halving] - there[best, halving]
        for here, there in ((one, other), (other, one))
    ]
    return max(0.0, round(float(np.mean(falls)) / math.sqrt(2), 12))


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
            rows.append((name, in_words(cell.overrides), value))
    return rows
