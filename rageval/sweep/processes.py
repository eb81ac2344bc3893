"""Cells on several processes of this machine, by joblib."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from rageval.sweep.composing import Cell
from rageval.sweep.errand import Errand, Lost, Returned, work


@dataclass(frozen=True)
class Processes:
    """Processes that live as long as the sweep; each keeps its stages from cell to cell."""

    jobs: int  # at a time; -1 = as many as there are processors
    folder: str | None = None

    def run(self, cells: Iterator[Cell], errand: Errand) -> Iterator[Returned | Lost]:
        """Yield what each cell came to.

        When a process dies, joblib ends the others too: what was in flight is lost, and new ones
        go on with the rest.
        """
        from joblib.externals.loky import get_reusable_executor

        out: dict[int, None] = {}  # numbers of the cells in flight
        try:
            while True:
                try:
                    yield from self._returned(cells, errand, out)
                    return
                except BrokenProcessPool:
                    lost, out = out, {}
                    for number in lost:
                        yield Lost(number, "a process that was at work ended unexpectedly")
        finally:
            get_reusable_executor().shutdown(wait=True, kill_workers=True)

    def _returned(
        self, cells: Iterator[Cell], errand: Errand, out: dict[int, None]
    ) -> Iterator[Returned]:
        from joblib import Parallel, delayed

        def calls() -> Iterator[object]:
            for cell in cells:
                out[cell.number] = None
                yield delayed(work)(errand, cell)

        pool = Parallel(
            n_jobs=self.jobs, backend="loky", return_as="generator_unordered",
            pre_dispatch="n_jobs", batch_size=1, max_nbytes=None,
        )  # fmt: skip
        for found in pool(calls()):
            del out[found.ended.number]
            yield found
