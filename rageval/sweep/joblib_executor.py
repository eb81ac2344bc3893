"""Cells on several processes of this machine, by joblib's pool."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from rageval.schema.fields import Record
from rageval.sweep.composing import Cell
from rageval.sweep.task import Lost, Returned, WorkerTask, work

_DIED = "a process that was at work ended unexpectedly"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def _some(number: int) -> int:
    if not number:
        raise ValueError("must be 1 or more, or -1 for as many as there are processors")
    return number


class ProcessesConfig(Record):
    """How many processes there are."""

    n_jobs: Annotated[int, Field(strict=True, ge=-1), AfterValidator(_some)]


@dataclass(frozen=True)
class Processes:
    """Processes that live as long as the sweep; each keeps its stages from cell to cell."""

    jobs: int  # at a time; -1 = as many as there are processors
    folder: str | None = None

    def run(self, cells: Iterator[Cell], worker_task: WorkerTask) -> Iterator[Returned | Lost]:
        """Yield what each cell came to.

        When a process dies the pool ends with it: what was in flight is lost, and a new pool goes
        on with the rest.
        """
        from joblib import effective_n_jobs
        from joblib.externals.loky import get_reusable_executor

        size = effective_n_jobs(self.jobs)
        env = {name: str(max(1, (os.cpu_count() or 1) // size)) for name in _THREADS}
        out: dict[Future[Returned], Cell] = {}

        def send(number: int) -> None:
            pool: Any = get_reusable_executor(max_workers=size, env=env)
            for cell in islice(cells, number):
                out[pool.submit(work, worker_task, cell)] = cell

        try:
            send(size)
            while out:
                done, _ = wait(out, return_when=FIRST_COMPLETED)
                for future in done:
                    yield _answer(future, out.pop(future))
                send(size - len(out))
        finally:
            pool = get_reusable_executor(max_workers=size, env=env)
            pool.shutdown(wait=True, kill_workers=bool(out))  # if it was broken off some are at it


def _answer(future: Future[Returned], cell: Cell) -> Returned | Lost:
    try:
        return future.result()
    except BrokenProcessPool:
        return Lost(cell.number, _DIED)
    except Exception as fault:  # noqa: BLE001  a cell that cannot be sent or returned at all
        return Lost(cell.number, f"{type(fault).__name__}: {fault}")
