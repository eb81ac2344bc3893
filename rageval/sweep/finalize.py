"""The end of a sweep: what it found goes to the parent run and to the terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection

from rich.console import Console
from rich.text import Text

from rageval.report import console
from rageval.report.answer import answer
from rageval.report.data import table_facts
from rageval.sweep.cell import alone
from rageval.sweep.estimate import Needed, estimate, measured
from rageval.sweep.leaderboard import Leaderboard, leaderboard
from rageval.sweep.page import sweep_page
from rageval.sweep.persisted import CELLS, written
from rageval.sweep.plots import pictures
from rageval.sweep.result import DONE, FAILED, PLANNED, RESUMED, SKIPPED, STOPPED, CellResult
from rageval.sweep.session import Session, assignments, swept
from rageval.sweep.tables import RECORDED, SHOWN, failed, luck, ranking, short, tables
from rageval.tracking.addresses import opening, run_page
from rageval.tracking.sweeps import Board, close_parent

PAGE = "report.html"
AGAIN = " (finished before)"
UNSEEN = "sweep.resume=false runs them again, variant.tag=NAME says which state it is"


def tell(sweep: Session, ended: CellResult) -> None:
    """Print the line of a cell that has just ended; of a planned one there is nothing to tell."""
    if ended.state == PLANNED:
        return
    place = f"{len(sweep.ended):>{len(str(sweep.cells))}}/{sweep.cells}"
    if ended.state == FAILED:
        sweep.target.print(Text(f"{place}  ✗ failed: {' '.join(ended.overrides)}"))
        return
    found = ended.whole.get(ended.objective)
    value = "–" if found is None or found.value is None else f"{found.value:.3f}"
    again = AGAIN if ended.state == RESUMED else ""
    fault = f"  ✗ {ended.fault}" if ended.fault else ""
    gate = f"  gate {ended.verdict}" if ended.verdict else ""
    line = f"{place}  {ended.objective} {value}  {ended.name}{again}{fault}{gate}"
    sweep.target.print(Text(line))


def end_sweep(sweep: Session) -> None:
    """Write the leaderboard to the parent run, if there is one, and print the summary."""
    if not sweep.ended and sweep.opened is None:
        return
    target = sweep.target
    board = leaderboard(sweep.ended, sweep.objective)
    try:
        if sweep.opened is not None:
            close_parent(sweep.opened, _board(sweep, board), _status(sweep))
    finally:
        _show(target, sweep, board)


def _status(sweep: Session) -> str:
    """Return how a sweep ended: FAILED if it broke off, or if none of its cells was evaluated."""
    broken = sys.exc_info()[0]
    if broken is not None and issubclass(broken, KeyboardInterrupt):
        return "KILLED"
    evaluated = any(ended.state in {DONE, RESUMED} for ended in sweep.ended)
    return "FINISHED" if broken is None and evaluated else "FAILED"


def _board(sweep: Session, board: Leaderboard) -> Board:
    states = Counter(ended.state for ended in sweep.ended)
    found = board.best.whole[board.objective].value if board.best else None
    kept = {
        f"cache/{stage}_{kind}": number
        for stage, (hits, made) in sweep.cache.items()
        for kind, number in (("hits", hits), ("computed", made))
    }
    found_tables = tables(sweep, board)
    drawn = pictures(board)
    page = sweep_page(_title(sweep, board), board, found_tables)
    pages = {path or PAGE: content for path, content in page.items()}
    return Board(
        metrics={
            "sweep/cells": sweep.cells,
            **{f"sweep/{state}": states[state] for state in (DONE, RESUMED, FAILED, SKIPPED)},
            "sweep/not_run": sweep.cells - sum(states.values()) + states[STOPPED],
            **kept,
            **measured(sweep),
            **({f"best/{board.objective}": found} if found is not None else {}),
            **({"best/selection_bias": board.bias} if board.bias is not None else {}),
        },
        tables=found_tables,
        files={**drawn, CELLS: written(sweep.ended), **pages},
        words="\n\n".join(luck(board)),
    )


def _title(sweep: Session, board: Leaderboard) -> str:
    grid = " × ".join(f"{key} ({len(values)})" for key, values in swept(sweep.grid).items())
    return f"Sweep of {sweep.cells} cells: {grid or board.objective}"


def _tell_programs(sweep: Session, board: Leaderboard) -> None:
    """Answer with what the sweep found, or with the cells that it would run."""
    run = sweep.opened.run if sweep.opened is not None else ""
    answer(
        run,
        run=run,
        cells=[
            {"overrides": list(e.overrides), "state": e.state, "run": e.run, "fault": e.fault}
            for e in sweep.ended
        ],
        objective=board.objective,
        leaderboard=table_facts(ranking(board)) if board.cells else [],
        sentences=luck(board),
    )


def _show(target: Console, sweep: Session, board: Leaderboard) -> None:
    _tell_programs(sweep, board)
    target.print()
    states = Counter(ended.state for ended in sweep.ended)
    states["not begun"] = sweep.cells - len(sweep.ended)
    told = ", ".join(f"{number} {state}" for state, number in states.items() if number)
    target.print(f"{sweep.cells} cells: {told}")
    _show_uncovered(target, sweep)
    _show_failures(target, sweep)
    if states[PLANNED]:
        _show_plan(target, sweep)
        return
    if board.cells:
        console.show_table(target, short(board))
        if any(cell.recorded and cell.p95 is not None for cell in board.cells[:SHOWN]):
            target.print(f"{RECORDED} recorded by an earlier cell or run, not measured now")
    for line in luck(board):
        target.print(Text(line))
    kept = ", ".join(f"{stage} {hits}/{hits + made}" for stage, (hits, made) in sweep.cache.items())
    if kept:
        target.print(f"cache hits: {kept}")
    if sweep.opened is not None:
        target.print(f"sweep {sweep.opened.run} in experiment {sweep.opened.store.name}")
        page = run_page(sweep.opened.store, sweep.opened.run)
        console.say(target, f"in MLflow: {opening(sweep.opened.store, page)}")
    if board.best is not None:
        gate = " gate.enabled=true" if sweep.opened is not None else ""
        console.say(target, f"next: {alone(board.best.overrides)}{gate}")


def _show_uncovered(target: Console, sweep: Session) -> None:
    """Say what may have changed since the resumed cells were run, and nothing would show it."""
    for unseen in dict.fromkeys(what for ended in sweep.ended for what in ended.uncovered):
        target.print(Text(f"note: resumed cells were not checked for {unseen}; {UNSEEN}"))


def _measured(ended: CellResult) -> list[str]:
    """Return the words of a cell without those on how its sweep goes."""
    return [word for word in ended.overrides if not word.startswith("sweep.")]


def _show_failures(target: Console, sweep: Session) -> None:
    """Name the cells in which something went wrong, those of one cause together."""
    causes: dict[tuple[str, str], list[str]] = {}
    keys = swept(sweep.grid)
    for ended in failed(sweep):
        cell = " ".join(f"{key}={value}" for key, value in _own(keys, ended).items())
        causes.setdefault((ended.state, ended.fault), []).append(cell)
    for (state, fault), cells in causes.items():
        lines = fault.strip().splitlines() or [""]
        named = len(cells) if state == STOPPED else SHOWN  # what is left to do is named in full
        shown = "; ".join(cells[:named]) + (f"; {len(cells) - named} more" * (len(cells) > named))
        target.print(Text(f"✗ {state}: {shown or 'the cell'}"))
        for line in lines if not lines[0].startswith("Traceback") else lines[-1:]:
            target.print(Text(f"    {line}"))


def _own(keys: Collection[str], ended: CellResult) -> dict[str, str]:
    """Return what tells a cell from the others: its values of the swept keys."""
    return {key: value for key, value in assignments(ended.overrides).items() if key in keys}


def _show_plan(target: Console, sweep: Session) -> None:
    planned = [ended for ended in sweep.ended if ended.state == PLANNED]
    for ended in planned:
        again = AGAIN if ended.run else ""
        target.print(Text(f"  {' '.join(_measured(ended))}   {ended.name}{again}"))
    left = [ended for ended in planned if not ended.run]
    if len(left) < len(planned):
        target.print(f"{len(planned) - len(left)} were finished before, {len(left)} are to be run")
    if not left:
        return
    needed = Needed.of(left)
    target.print(
        f"{needed.chunkings} chunkings and {needed.retrievers} retrievers on them are needed"
    )
    for line in estimate(needed, sweep.measured_before()):
        target.print(Text(line))
