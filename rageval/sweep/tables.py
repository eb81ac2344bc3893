"""What a sweep found as tables and sentences, wherever they are shown."""

from __future__ import annotations

from rageval.comparison.table import Table
from rageval.measures.catalogue import headlines
from rageval.sweep.goals import front
from rageval.sweep.leaderboard import Leaderboard, best_by_subset, main_effects
from rageval.sweep.result import FAILED, SKIPPED, STOPPED, CellResult
from rageval.sweep.session import Session, assignments, in_words, swept

SHOWN = 10  # cells of the table on the screen
RECORDED = "*"  # marks a latency that was measured by an earlier cell or run


def tables(sweep: Session, board: Leaderboard) -> dict[str, Table]:
    """Return what the parent run keeps as tables."""
    searched = sweep.searched
    many = searched is not None and len(searched.goals) > 1
    return {
        "leaderboard.json": ranking(board),
        **({"pareto.json": front(board.cells, searched.goals)} if searched and many else {}),
        "best_by_subset.json": Table(
            ["subset", "cell", board.objective], [list(row) for row in best_by_subset(board)]
        ),
        "main_effects.json": Table(
            ["key", "value", "cells", f"mean {board.objective}"],
            [list(row) for row in main_effects(board)],
        ),
        "failures.json": Table(
            ["cell", "state", "cause"],
            [[in_words(e.overrides), e.state, e.fault] for e in failed(sweep)],
        ),
    }


def ranking(board: Leaderboard) -> Table:
    """Return the leaderboard: every cell, every headline measure, the objective's interval."""
    names = headlines(board.best.whole if board.best else ())
    return Table(
        [
            "place",
            "cell",
            "retrieval",
            *names,
            "low",
            "high",
            "like the best",
            "p95 ms",
            "p95 recorded",
            "run",
            *(["verdict"] if gated(board) else []),
        ],
        [
            [
                place,
                in_words(cell.overrides),
                cell.name,
                *(cell.whole[name].value if name in cell.whole else None for name in names),
                cell.whole[board.objective].low,
                cell.whole[board.objective].high,
                cell.number in board.alike,
                cell.p95,
                cell.recorded,
                cell.run,
                *([cell.verdict] if gated(board) else []),
            ]
            for place, cell in enumerate(board.cells, start=1)
        ],
    )


def short(board: Leaderboard) -> Table:
    """Return the first cells with what was swept and the objective, for the screen."""
    keys = list(swept(cell.overrides for cell in board.cells))
    rows: list[list[object]] = []
    for cell in board.cells[:SHOWN]:
        chosen, found = assignments(cell.overrides), cell.whole[board.objective]
        interval = f"[{found.low:.2f}, {found.high:.2f}]"
        like = "=" if cell.number in board.alike else ""
        mrr = cell.whole["mrr"].value if "mrr" in cell.whole else None
        values = [chosen.get(key, "") for key in keys]
        row = [len(rows) + 1, *values, found.value, interval, mrr, _latency(cell), like]
        rows.append([*row, *([cell.verdict.partition(":")[0]] if gated(board) else [])])
    heading = ["", *keys, board.objective, "95 %", "mrr", "p95 ms", "like the best"]
    return Table([*heading, *(["gate"] if gated(board) else [])], rows)


def gated(board: Leaderboard) -> bool:
    """Say whether any cell was held against the champion."""
    return any(cell.verdict for cell in board.cells)


def _latency(cell: CellResult) -> str:
    """Return the latency; one that an earlier cell or run recorded has a star."""
    return "–" if cell.p95 is None else f"{cell.p95:.2f}{RECORDED if cell.recorded else ''}"


def luck(board: Leaderboard) -> list[str]:
    """Return what the winner's place is worth, as sentences."""
    if board.best is None or board.bias is None or len(board.cells) < 2:
        return []
    value = board.best.whole[board.objective].value or 0.0
    others = len(board.alike) - 1
    cells = "configuration is" if others == 1 else "configurations are"
    chosen = assignments(board.best.overrides)
    words = " ".join(
        f"{key}={chosen[key]}"
        for key in swept(cell.overrides for cell in board.cells)
        if key in chosen
    )
    return [
        f"best of {len(board.cells)} cells: {board.objective} {value:.3f}, {words}",
        f"selection bias: expect about {value - board.bias:.3f} on new questions "
        f"(−{board.bias:.3f}); {others} other {cells} statistically indistinguishable",
    ]


def failed(sweep: Session) -> list[CellResult]:
    """Return the cells that were not evaluated, and those with errors or leaks."""
    return [
        ended for ended in sweep.ended if ended.fault or ended.state in {FAILED, SKIPPED, STOPPED}
    ]
