"""The end of a sweep: what it found goes to the parent run and to the terminal."""

from __future__ import annotations

import shlex
import sys
from collections import Counter

from rich.console import Console
from rich.text import Text

from rageval.report import console
from rageval.report.tables import Table
from rageval.sweep.ended import DONE, FAILED, PLANNED, RESUMED, SKIPPED, STOPPED, Ended
from rageval.sweep.kept import CELLS, written
from rageval.sweep.leaderboard import (
    Leaderboard,
    best_by_subset,
    leaderboard,
    main_effects,
)
from rageval.sweep.plots import pictures
from rageval.sweep.session import Session, assignments, swept
from rageval.tracking.sweeps import Board, close_parent

_SHOWN = 10  # cells of the table on the screen
_HEADLINES = ("recall", "mrr", "precision", "completeness")  # and every hit rate


def tell(sweep: Session, ended: Ended) -> None:
    """Print the line of a cell that has just ended; of a planned one there is nothing to tell."""
    if ended.state == PLANNED:
        return
    place = f"{len(sweep.ended):>{len(str(sweep.cells))}}/{sweep.cells}"
    if ended.state == FAILED:
        sweep.target.print(Text(f"{place}  ✗ failed: {' '.join(ended.overrides)}"))
        return
    found = ended.whole.get(ended.objective)
    value = "–" if found is None or found.value is None else f"{found.value:.3f}"
    again = " (finished before)" if ended.state == RESUMED else ""
    sweep.target.print(Text(f"{place}  {ended.objective} {value}  {ended.name}{again}"))


def end_sweep(sweep: Session) -> None:
    """Write the leaderboard to the parent run, if there is one, and print the summary."""
    if not sweep.ended:
        return
    target = sweep.target
    interrupted = sys.exc_info()[0] is KeyboardInterrupt
    board = leaderboard(sweep.ended, sweep.objective)
    try:
        if sweep.opened is not None:
            close_parent(sweep.opened, _board(sweep, board), interrupted)
    finally:
        _show(target, sweep, board)


def _board(sweep: Session, board: Leaderboard) -> Board:
    states = Counter(ended.state for ended in sweep.ended)
    found = board.best.whole[board.objective].value if board.best else None
    kept = {
        f"cache/{stage}_{kind}": number
        for stage, (hits, made) in sweep.cache.items()
        for kind, number in (("hits", hits), ("computed", made))
    }
    return Board(
        metrics={
            "sweep/cells": sweep.cells,
            **{f"sweep/{state}": states[state] for state in (DONE, RESUMED, FAILED, SKIPPED)},
            "sweep/not_run": sweep.cells - sum(states.values()) + states[STOPPED],
            **kept,
            **({f"best/{board.objective}": found} if found is not None else {}),
            **({"best/expected_optimism": board.optimism} if board.optimism is not None else {}),
        },
        tables=_tables(sweep, board),
        files={**pictures(board), CELLS: written(sweep.ended)},
        words="\n\n".join(_luck(board)),
    )


def _tables(sweep: Session, board: Leaderboard) -> dict[str, Table]:
    return {
        "leaderboard.json": ranking(board),
        "best_by_subset.json": Table(
            ["subset", "cell", board.objective], [list(row) for row in best_by_subset(board)]
        ),
        "main_effects.json": Table(
            ["key", "value", "cells", f"mean {board.objective}"],
            [list(row) for row in main_effects(board)],
        ),
        "failures.json": Table(
            ["cell", "state", "cause"],
            [[" ".join(e.overrides), e.state, e.fault] for e in _failed(sweep)],
        ),
    }


def ranking(board: Leaderboard) -> Table:
    """Return the leaderboard: every cell, every headline measure, the objective's interval."""
    names = [name for name in (board.best.whole if board.best else {}) if _headline(name)]
    return Table(
        ["place", "cell", "retrieval", *names, "low", "high", "like the best", "p95 ms", "run"],
        [
            [
                place,
                " ".join(cell.overrides),
                cell.name,
                *(cell.whole[name].value if name in cell.whole else None for name in names),
                cell.whole[board.objective].low,
                cell.whole[board.objective].high,
                cell.number in board.alike,
                cell.p95,
                cell.run,
            ]
            for place, cell in enumerate(board.cells, start=1)
        ],
    )


def _short(board: Leaderboard) -> Table:
    """Return the first cells with what was swept and the objective, for the screen."""
    keys = list(swept(cell.overrides for cell in board.cells))
    rows: list[list[object]] = []
    for cell in board.cells[:_SHOWN]:
        chosen, found = assignments(cell.overrides), cell.whole[board.objective]
        interval = f"[{found.low:.2f}, {found.high:.2f}]"
        like = "=" if cell.number in board.alike else ""
        mrr = cell.whole["mrr"].value if "mrr" in cell.whole else None
        values = [chosen.get(key, "") for key in keys]
        rows.append([len(rows) + 1, *values, found.value, interval, mrr, cell.p95, like])
    return Table(["", *keys, board.objective, "95 %", "mrr", "p95 ms", "like the best"], rows)


def _headline(name: str) -> bool:
    return name in _HEADLINES or name.startswith("hit_rate_at_")


def _luck(board: Leaderboard) -> list[str]:
    """Return what the winner's place is worth, as sentences."""
    if board.best is None or board.optimism is None or len(board.cells) < 2:
        return []
    value = board.best.whole[board.objective].value or 0.0
    others = len(board.alike) - 1
    chosen = assignments(board.best.overrides)
    words = " ".join(
        f"{key}={chosen[key]}"
        for key in swept(cell.overrides for cell in board.cells)
        if key in chosen
    )
    return [
        f"best of {len(board.cells)} cells: {board.objective} {value:.3f}, {words}",
        f"picking the best of so many flatters: expect about {value - board.optimism:.3f} "
        f"({board.optimism:.3f} less); {others} other cells cannot be told from it",
    ]


def _failed(sweep: Session) -> list[Ended]:
    return [ended for ended in sweep.ended if ended.state in {FAILED, SKIPPED, STOPPED}]


def _show(target: Console, sweep: Session, board: Leaderboard) -> None:
    target.print()
    states = Counter(ended.state for ended in sweep.ended)
    told = ", ".join(f"{states[state]} {state}" for state in states)
    missing = sweep.cells - len(sweep.ended)
    target.print(f"{sweep.cells} cells: {told}" + (f", {missing} not begun" if missing else ""))
    _show_failures(target, sweep)
    if states[PLANNED]:
        _show_plan(target, sweep)
        return
    if board.cells:
        console.show_table(target, _short(board))
    for line in _luck(board):
        target.print(Text(line))
    kept = ", ".join(f"{stage} {hits}/{hits + made}" for stage, (hits, made) in sweep.cache.items())
    if kept:
        target.print(f"kept and used again: {kept}")
    if sweep.opened is not None:
        target.print(f"sweep {sweep.opened.run} in experiment {sweep.opened.store.name}")
    if board.best is not None:
        words = [word for word in board.best.overrides if not word.startswith("sweep.")]
        target.print(
            Text(f"next: python -m rageval {shlex.join(words)}   then: python -m rageval gate")
        )


def _show_failures(target: Console, sweep: Session) -> None:
    """Name the cells that were not evaluated, those of one cause together."""
    causes: dict[tuple[str, str], list[str]] = {}
    for ended in _failed(sweep):
        cell = " ".join(f"{key}={value}" for key, value in _own(sweep, ended).items())
        causes.setdefault((ended.state, ended.fault), []).append(cell)
    for (state, fault), cells in causes.items():
        lines = fault.strip().splitlines() or [""]
        shown = "; ".join(cells[:_SHOWN]) + (
            f"; {len(cells) - _SHOWN} more" * (len(cells) > _SHOWN)
        )
        target.print(Text(f"✗ {state}: {shown or 'the cell'}"))
        for line in lines if not lines[0].startswith("Traceback") else lines[-1:]:
            target.print(Text(f"    {line}"))


def _own(sweep: Session, ended: Ended) -> dict[str, str]:
    """Return what tells a cell from the others."""
    keys = swept(sweep.grid)
    return {key: value for key, value in assignments(ended.overrides).items() if key in keys}


def _show_plan(target: Console, sweep: Session) -> None:
    for ended in (ended for ended in sweep.ended if ended.state == PLANNED):
        target.print(Text(f"  {' '.join(ended.overrides)}   {ended.name}"))
    chunkings = {ended.stages[0] for ended in sweep.ended if ended.stages}
    retrievers = {ended.stages[1] for ended in sweep.ended if ended.stages}
    target.print(f"{len(chunkings)} chunkings and {len(retrievers)} retrievers on them are needed")
