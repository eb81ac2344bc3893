"""How well a sweep's selection bias is estimated: python -m benchmarks.selection_bias.

Worlds are drawn in which the truth is known. A cell hits a question if its quality, the question's
ease (shared by all cells) and what the two have with each other exceed a bound; 80 % of the spread
is shared. The true value of a cell is its chance to hit a question of this kind, the true bias the
mean of the best cell's observed value less its true one. Beside the shipped estimate (the mean fall
from one random half of the questions to the other, over √2) stands the one it replaced: the mean
gain of the cell that wins a bootstrap sample, which takes the observed differences for true.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from rageval.sweep.leaderboard import selection_bias

CELLS = (6, 24, 96)
SPREADS = (0.0, 0.1, 0.3)  # standard deviation of the cells' qualities
QUESTIONS, BOUND, SHARED = 85, -0.9, 0.8  # about 82 % of the questions are hit
_WORLDS, _RESAMPLES = 300, 500


def drawn(
    random: np.random.Generator, cells: int, spread: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of cells on questions, [cells, n], and the true value of each cell."""
    quality = spread * random.standard_normal(cells)
    ease = np.sqrt(SHARED) * random.standard_normal(QUESTIONS)
    own = np.sqrt(1 - SHARED) * random.standard_normal((cells, QUESTIONS))
    hits = (quality[:, None] + ease + own > BOUND).astype(np.float64)
    # The ease of these questions is common to all cells, so it is taken as given.
    true = norm.sf((BOUND - quality[:, None] - ease) / np.sqrt(1 - SHARED)).mean(axis=1)
    return hits, true


def bootstrapped(random: np.random.Generator, values: NDArray[np.float64]) -> float:
    """Return the estimate that was replaced."""
    n = values.shape[1]
    counts = random.multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)
    means = values @ counts.T / n
    winner = means.argmax(axis=0)
    return float((means[winner, np.arange(_RESAMPLES)] - values.mean(axis=1)[winner]).mean())


def figures(worlds: int = _WORLDS) -> list[tuple[int, float, float, float, float]]:
    """Return cells, spread, the true bias, and the two estimates as shares of it, on average."""
    rows = []
    random = np.random.default_rng(17)
    for cells in CELLS:
        for spread in SPREADS:
            true, halved, resampled = [], [], []
            for _ in range(worlds):
                values, truth = drawn(random, cells, spread)
                best = int(values.mean(axis=1).argmax())
                true.append(values[best].mean() - truth[best])
                halved.append(selection_bias(values, np.arange(QUESTIONS)))
                resampled.append(bootstrapped(random, values))
            bias = float(np.mean(true))
            rows.append((cells, spread, bias, np.mean(halved) / bias, np.mean(resampled) / bias))
    return rows


if __name__ == "__main__":
    print("| cells | spread of quality | true bias | halves / √2, % | bootstrap, % |")
    print("|---|---|---|---|---|")
    for cells, spread, bias, halved, resampled in figures():
        print(f"| {cells} | {spread:g} | {bias:.4f} | {100 * halved:.0f} | {100 * resampled:.0f} |")
