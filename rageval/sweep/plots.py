"""Pictures of a sweep: what a hit costs, and the grid of two keys."""

from __future__ import annotations

import io

import numpy as np

from rageval.sweep.leaderboard import Leaderboard
from rageval.sweep.result import CellResult
from rageval.sweep.session import assignments, swept

_INK, _SOFT = "#2f6f9f", "#b8c4ce"


def pictures(board: Leaderboard) -> dict[str, bytes]:
    """Return PNGs by path: the Pareto plot, and a heat map where two keys are swept."""
    if not board.cells:
        return {}
    found = {"plots/pareto.png": _pareto(board)}
    keys = swept(cell.overrides for cell in board.cells)
    if len(keys) == 2:
        found["plots/heatmap.png"] = _heatmap(board, *keys.items())
    return found


def _pareto(board: Leaderboard) -> bytes:
    """Draw the objective against window size and p95 latency; what nothing beats is joined."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    windows = [(cell.window, _value(board, cell)) for cell in board.cells if cell.window]
    latencies = [(cell.p95, _value(board, cell)) for cell in board.cells if cell.p95]
    costs = {"mean characters in the window": windows, "p95 latency, ms": latencies}
    for axes, (name, points) in zip(figure.subplots(1, 2, sharey=True), costs.items(), strict=True):
        front = _front(points)
        axes.plot([cost for cost, _ in points], [value for _, value in points], "o", color=_SOFT)
        axes.plot([cost for cost, _ in front], [value for _, value in front], "o-", color=_INK)
        axes.set_xlabel(name)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel(board.objective)
    return _png(figure)


def _front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other beats in both, by cost.

    Examples
    --------
    >>> _front([(1.0, 0.5), (2.0, 0.4), (3.0, 0.9)])
    [(1.0, 0.5), (3.0, 0.9)]
    """
    front: list[tuple[float, float]] = []
    for cost, value in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or value > front[-1][1]:
            front.append((cost, value))
    return front


def _heatmap(
    board: Leaderboard, down: tuple[str, list[str]], across: tuple[str, list[str]]
) -> bytes:
    from matplotlib.figure import Figure

    grid = np.full((len(down[1]), len(across[1])), np.nan)
    for cell in board.cells:
        chosen = assignments(cell.overrides)
        grid[down[1].index(chosen[down[0]]), across[1].index(chosen[across[0]])] = _value(
            board, cell
        )
    figure = Figure(
        figsize=(2 + 0.9 * len(across[1]), 1.5 + 0.5 * len(down[1])), layout="constrained"
    )
    axes = figure.subplots()
    axes.imshow(grid, cmap="Blues", aspect="auto")
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="#e07b00")
    axes.set_xticks(range(len(across[1])), across[1])
    axes.set_yticks(range(len(down[1])), down[1])
    axes.set_xlabel(across[0])
    axes.set_ylabel(down[0])
    axes.set_title(board.objective)
    return _png(figure)


def _value(board: Leaderboard, cell: CellResult) -> float:
    return cell.whole[board.objective].value or 0.0


def _png(figure: object) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=110)  # type: ignore[attr-defined]  # matplotlib is imported late
    return target.getvalue()
