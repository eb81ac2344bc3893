"""Running the cells of a sweep: each is composed, run and noted, and none stops the others."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from hydra.core.utils import JobReturn, JobStatus, filter_overrides, run_job, setup_globals
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, open_dict

from rageval.errors import InputError
from rageval.sweep.composing import Cell, compose_cells
from rageval.sweep.ending import end_sweep
from rageval.sweep.session import FAILED, SKIPPED, Ended, Session, session


def run_cells(
    context: HydraContext, task: TaskFunction, config: DictConfig, jobs: Sequence[Sequence[str]]
) -> list[JobReturn]:
    """Run every cell and close the sweep.

    Raises
    ------
    InputError
        If no cell can be composed.
    """
    setup_globals()
    cells = compose_cells(context.config_loader, config, jobs)
    if cells and all(cell.composed is None for cell in cells):
        raise InputError(cells[0].fault)
    command = tuple(config.hydra.overrides.task)
    with session(command, len(cells)) as sweep:
        try:
            return [_run(context, task, cell, sweep) for cell in cells]
        finally:
            end_sweep(sweep)


def _run(context: HydraContext, task: TaskFunction, cell: Cell, sweep: Session) -> JobReturn:
    sweep.number, sweep.overrides = cell.number, tuple(filter_overrides(cell.overrides))
    if cell.composed is None:
        sweep.end(Ended(cell.number, sweep.overrides, SKIPPED, fault=cell.fault))
        return _nothing()
    with open_dict(cell.composed):
        cell.composed.hydra.job.id = cell.composed.hydra.job.num = cell.number
    done = run_job(
        hydra_context=context,
        task_function=task,
        config=cell.composed,
        job_dir_key="hydra.sweep.dir",
        job_subdir_key="hydra.sweep.subdir",
    )
    if done.status is not JobStatus.FAILED:
        return done
    # What fails for a reason of its own is told at the end; the other cells go on.
    fault = done._return_value
    told = "".join(traceback.format_exception(fault))
    sweep.end(Ended(cell.number, sweep.overrides, FAILED, fault=told))
    return _nothing()


def _nothing() -> JobReturn:
    done = JobReturn()
    done.return_value = None
    done.status = JobStatus.COMPLETED
    return done
