"""Running the cells of a sweep: each is composed, run and noted, and none stops the others."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, filter_overrides, setup_globals
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from rageval.config.launch import UNFINISHED
from rageval.errors import InputError
from rageval.sweep.composing import Base, Cell, Composer
from rageval.sweep.ending import end_sweep
from rageval.sweep.session import SKIPPED, STOPPED, Ended, Session, session

_ALONE = ("gate.enabled", "register")  # for a run of its own


def run_cells(
    context: HydraContext, task: TaskFunction, config: DictConfig, jobs: Sequence[Sequence[str]]
) -> list[JobReturn]:
    """Run every cell and close the sweep.

    Raises
    ------
    InputError
        If a choice is misspelt, if no cell can be composed, or if the cells are to be gated.
    """
    setup_globals()
    composer = Composer(context.config_loader, config)
    cells = composer.check(jobs)
    if cells and all(cell.fault for cell in cells):
        raise InputError(cells[0].fault)
    before = HydraConfig.instance().cfg
    with session([tuple(filter_overrides(job)) for job in jobs]) as sweep:
        try:
            return [_run(context, task, (composer, cell), sweep) for cell in cells]
        finally:
            HydraConfig.instance().cfg = before
            end_sweep(sweep)


def _run(
    context: HydraContext, task: TaskFunction, composed: tuple[Composer, Cell], sweep: Session
) -> JobReturn:
    composer, cell = composed
    sweep.number, sweep.overrides = cell.number, tuple(filter_overrides(cell.overrides))
    if sweep.halted:
        sweep.end(Ended(cell.number, sweep.overrides, STOPPED, fault=sweep.halted))
        return _returned(UNFINISHED)
    if cell.fault:
        return _skipped(cell.fault, sweep)
    try:
        parts = composer.compose(cell.overrides)
    except InputError as fault:
        return _skipped(str(fault), sweep)
    _refuse_verdicts(parts[0])
    return _returned(_code(context, task, parts, sweep))


def _skipped(fault: str, sweep: Session) -> JobReturn:
    sweep.end(Ended(sweep.number, sweep.overrides, SKIPPED, fault=fault))
    return _returned(0)


def _refuse_verdicts(composed: DictConfig) -> None:
    for key in _ALONE:
        if OmegaConf.select(composed, key):
            raise InputError(f"{key}=true is for a run of its own, not for the cells of a sweep")


def _code(context: HydraContext, task: TaskFunction, parts: Base, sweep: Session) -> int:
    """Run one cell and return its exit code; what breaks it is told at the end."""
    composed, own = parts
    with read_write(own.hydra), open_dict(own.hydra):
        own.hydra.job.id = own.hydra.job.num = sweep.number
        own.hydra.overrides.task = list(sweep.overrides)
    HydraConfig.instance().set_config(own)
    context.callbacks.on_job_start(config=composed, task_function=task)
    done = JobReturn()
    try:
        done.return_value, done.status = task(composed), JobStatus.COMPLETED
    except Exception as fault:  # noqa: BLE001  anything at all may go wrong in a user's class
        done.return_value, done.status = fault, JobStatus.FAILED
        told = "".join(traceback.format_exception(fault))
        sweep.fail(told, composed.sweep.on_error == "stop")
    context.callbacks.on_job_end(config=composed, job_return=done)
    return UNFINISHED if done.status is JobStatus.FAILED else int(done.return_value)


def _returned(code: int) -> JobReturn:
    done = JobReturn()
    done.return_value = code
    done.status = JobStatus.COMPLETED
    return done
