"""Running the cells of a sweep in other processes: sent, awaited, and looked for if lost."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from rageval.config.launch import UNFINISHED
from rageval.errors import UnreachableError
from rageval.schema.process import Process
from rageval.sweep.cell import read_cell
from rageval.sweep.composing import Cell
from rageval.sweep.finalize import tell
from rageval.sweep.result import BUSY, FAILED, STOPPED, CellResult
from rageval.sweep.session import Session
from rageval.sweep.task import WORKER_TASK, Lost, Returned, WorkerTask


class Executor(Protocol):
    """Workers in other processes."""

    @property
    def folder(self) -> str | None:
        """Return the folder that they work in; None is the one that the command was typed in."""
        ...

    def run(self, cells: Iterator[Cell], worker_task: WorkerTask) -> Iterator[Returned | Lost]:
        """Yield what each cell came to, in any order; a cell is taken when somebody is free for it.

        When it is closed before its end no worker is left.
        """
        ...


def run_abroad(cells: Sequence[Cell], sweep: Session, executor: Executor) -> list[Cell]:
    """Have cells that must be evaluated evaluated by a executor, and note what each came to.

    Those that other programs are evaluating are returned.

    However it ends, no run stays open: those of workers that are no more are marked KILLED.
    """
    sent = {cell.number: cell for cell in cells}
    worker_task = _errand(cells, sweep, executor)
    returned = executor.run(_handed(cells, sweep), worker_task)
    busy: list[Cell] = []
    try:
        for found in returned:
            ended = _ended(found, sent, worker_task, sweep)
            if ended.state == BUSY:
                busy.append(sent[ended.number])
            else:
                _note(ended, sweep, sent)
    except UnreachableError as away:
        sweep.halt(str(away))
    finally:
        close = getattr(returned, "close", None)
        if close is not None:
            close()
        if sweep.opened is not None:
            sweep.opened.end_children(WORKER_TASK, worker_task.name)
    there = {ended.number for ended in sweep.ended} | {cell.number for cell in busy}
    for cell in cells:
        if cell.number not in there:
            fault = sweep.halted or "no worker was left for it"
            sweep.end(
                CellResult(cell.number, cell.overrides, STOPPED, fault=fault, code=sweep.code)
            )
    return busy


def _errand(cells: Sequence[Cell], sweep: Session, executor: Executor) -> WorkerTask:
    folder, name = str(Path(executor.folder or Path.cwd()).resolve()), uuid.uuid4().hex
    if sweep.opened is None:
        return WorkerTask(name, folder, None, owner=Process.this())
    store = sweep.opened.store
    return WorkerTask(name, folder, store.location, store.name, sweep.opened.run, Process.this())


def _handed(cells: Sequence[Cell], sweep: Session) -> Iterator[Cell]:
    for cell in cells:
        if sweep.halted:
            return
        yield cell


def _note(ended: CellResult, sweep: Session, sent: dict[int, Cell]) -> None:
    tell(sweep, sweep.end(ended, sent[ended.number]))


def _ended(
    found: Returned | Lost, sent: dict[int, Cell], worker_task: WorkerTask, sweep: Session
) -> CellResult:
    if isinstance(found, Returned):
        sweep.count(found.tally)
        return found.ended
    cell = sent[found.number]
    ended = _recovered(cell, worker_task, sweep)
    lost = f"lost: {found.why}; the same command goes on with it"
    return ended or CellResult(cell.number, cell.overrides, FAILED, fault=lost, code=UNFINISHED)


def _recovered(cell: Cell, worker_task: WorkerTask, sweep: Session) -> CellResult | None:
    """Return what a lost worker had finished: the run is there, only its word is missing."""
    parent = sweep.opened
    if parent is None:
        return None
    for run in parent.bearing(WORKER_TASK, worker_task.name):
        found = read_cell(cell, sweep, run)
        if found.run and run.data.tags.get("rageval.variant") == found.variant:
            return replace(found, number=cell.number)
    return None
