"""Cells by a launcher of Hydra's world (submitit, basic, …), which takes all and returns all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus
from omegaconf import DictConfig

from rageval.config.choices import chosen
from rageval.config.reading import plain
from rageval.config.resolvers import register
from rageval.sweep.composing import Cell
from rageval.sweep.task import Lost, Returned, WorkerTask, go_to, work


@dataclass(frozen=True)
class Chore:
    """The function that such a launcher runs on each cell, which it composes itself."""

    worker_task: WorkerTask

    def __call__(self, composed: DictConfig) -> Returned:
        """Evaluate the cell and return what it came to."""
        go_to(self.worker_task.folder)  # before anything is resolved: a path may be relative to it
        register()
        number = int(HydraConfig.get().job.num)
        return work(self.worker_task, Cell(number, (), plain(composed), chosen()))


@dataclass(frozen=True)
class Foreign:
    """Whatever another launcher runs cells with."""

    launcher: Any  # as Hydra set it up
    folder: str | None = None

    def run(self, cells: Iterator[Cell], worker_task: WorkerTask) -> Iterator[Returned | Lost]:
        """Hand all cells over and yield what comes back."""
        sent = list(cells)
        launcher = self.launcher
        launcher.setup(
            hydra_context=launcher.hydra_context,
            task_function=Chore(worker_task),
            config=launcher.config,
        )
        yield from map(_answer, sent, self._launched(sent))

    def _launched(self, sent: Sequence[Cell]) -> Sequence[JobReturn | Exception]:
        try:
            found: Sequence[JobReturn] = self.launcher.launch(
                [list(cell.overrides) for cell in sent], initial_job_idx=0
            )
        except Exception as fault:  # noqa: BLE001  each launcher has errors of its own
            return [fault] * len(sent)
        return found


def _answer(cell: Cell, found: JobReturn | Exception) -> Returned | Lost:
    if isinstance(found, Exception):
        return Lost(cell.number, _first_line(found))
    if found.status is JobStatus.FAILED:
        return Lost(cell.number, _first_line(found._return_value))
    returned: Returned = found.return_value
    ended = replace(returned.ended, number=cell.number, overrides=cell.overrides)
    return replace(returned, ended=ended)


def _first_line(fault: object) -> str:
    return next(iter(str(fault).strip().splitlines()), type(fault).__name__)
