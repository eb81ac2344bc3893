"""Running the cells of a sweep: each is composed, run and noted, and none stops the others."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, filter_overrides, setup_globals
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from rageval.errors import InputError
from rageval.report import console
from rageval.report.answer import set_format
from rageval.sweep.cell import evaluate_cell, run_cell, settle
from rageval.sweep.composing import Cell, Composer, Job, Unfit
from rageval.sweep.finalize import end_sweep, tell
from rageval.sweep.remote import Executor, run_abroad
from rageval.sweep.result import BUSY, FAILED, SKIPPED, STOPPED, CellResult
from rageval.sweep.session import Session
from rageval.sweep.verdicts import refuse_verdicts

_PAUSE = 1  # seconds between two looks at what other programs do
VERB = "config"  # the primary config of `evaluate`
# What stages are made from, the earliest first: cells that share it run one after the other.
_STAGES = (
    ("experiment", "dataset"),
    ("chunking",),
    ("analyser", "encoder", "retriever"),
    ("rewriting",),
)


@dataclass(frozen=True)
class Launch:
    """What Hydra hands over."""

    context: HydraContext
    task: TaskFunction
    config: DictConfig


@dataclass(frozen=True)
class _SweepState:
    """Where cells are composed, and settled or run."""

    launch: Launch
    composer: Composer
    sweep: Session
    executor: Executor | None


def run_cells(
    launch: Launch, jobs: Sequence[Sequence[str]], executor: Executor | None = None
) -> list[JobReturn]:
    """Run every cell, in this process or by a executor, and close the sweep.

    Raises
    ------
    InputError
        If a choice is misspelt, if no cell can be composed, or if the cells are to be gated.
    """
    if launch.config.hydra.job.config_name != VERB:
        raise InputError("this launcher runs the cells of `evaluate` and no other command")
    set_format(launch.config.get("output"))
    with at_work():
        composer = Composer.of(launch.context.config_loader, launch.config, jobs)
        found = composer.check(jobs)
        if found and all(job.fault for job in found):
            raise InputError(found[0].fault)
        refuse_verdicts(composer, found)
        sweep = Session([_own(job) for job in found], console.console())
        sweep_state = _SweepState(launch, composer, sweep, executor)
        try:
            left = [cell for job in in_order(found) for cell in _run(sweep_state, job)]
            busy = run_abroad(left, sweep, executor) if executor is not None and left else left
            await_others(busy, sweep)
        finally:
            end_sweep(sweep)
    return [returned(ended.exit_code) for ended in sorted(sweep.ended, key=lambda e: e.number)]


def run_job(launch: Launch, composer: Composer, sweep: Session, job: Job) -> CellResult:
    """Run one cell in this process, note and return what it came to."""
    await_others(list(_run(_SweepState(launch, composer, sweep, None), job)), sweep)
    return sweep.ended[-1]


def await_others(cells: Sequence[Cell], sweep: Session) -> None:
    """Note what cells came to that other programs are evaluating; what those leave is done here."""
    if cells and not sweep.halted:
        sweep.target.print(f"waiting for {len(cells)} cells that another program is evaluating")
    while cells and not sweep.halted:
        busy = []
        for cell in cells:
            ended = evaluate_cell(cell, sweep)
            if ended.state == BUSY:
                busy.append(cell)
            else:
                tell(sweep, sweep.end(ended, cell))
        cells = busy
        time.sleep(_PAUSE if busy else 0)
    for cell in cells:
        sweep.end(
            CellResult(cell.number, cell.overrides, STOPPED, fault=sweep.halted, code=sweep.code)
        )


@contextmanager
def at_work() -> Iterator[None]:
    """Let cells be composed, and leave Hydra as it was."""
    setup_globals()
    before = HydraConfig.instance().cfg
    try:
        yield
    finally:
        HydraConfig.instance().cfg = before


def in_order(jobs: Sequence[Job]) -> list[Job]:
    """Return the cells so that those which share a stage follow each other, else as they came.

    Examples
    --------
    >>> rows = ["retriever=a chunking=x", "retriever=a chunking=y", "retriever=b chunking=x"]
    >>> jobs = [Job(n, tuple(row.split()), "") for n, row in enumerate(rows)]
    >>> [job.number for job in in_order(jobs)]
    [0, 2, 1]
    """
    seen: list[dict[tuple[str, ...], int]] = [{} for _ in _STAGES]

    def place(job: Job) -> list[int]:
        return [
            known.setdefault(tuple(filter(_about(stage), job.overrides)), len(known))
            for stage, known in zip(_STAGES, seen, strict=True)
        ]

    return sorted(jobs, key=place)


def _about(stage: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda word: re.split(r"[.@/=]", word.lstrip("+~"), maxsplit=1)[0] in stage


def _own(job: Job) -> tuple[str, ...]:
    return tuple(filter_overrides(job.overrides))


def _run(sweep_state: _SweepState, job: Job) -> Iterator[Cell]:
    """Note what a cell came to; yield it if the executor or another program finds that out."""
    sweep = sweep_state.sweep
    if sweep.halted:
        sweep.end(CellResult(job.number, _own(job), STOPPED, fault=sweep.halted, code=sweep.code))
        return
    cell = _composed(sweep_state, job)
    if isinstance(cell, CellResult):
        sweep.end(cell)
        if cell.state != SKIPPED:
            tell(sweep, cell)
        return
    ended = settle(cell, sweep) if sweep_state.executor else _called_back(sweep_state, job, cell)
    if ended is None or ended.state == BUSY:
        yield cell
        return
    tell(sweep, sweep.end(ended, cell))


def _composed(sweep_state: _SweepState, job: Job) -> Cell | CellResult:
    """Return a cell, or that it is skipped or wrong."""
    try:
        if job.fault:
            raise Unfit(job.fault)
        return sweep_state.composer.compose(job)
    except Unfit as fault:
        return CellResult(job.number, _own(job), SKIPPED, fault=str(fault))
    except InputError as fault:
        return CellResult(job.number, _own(job), FAILED, fault=str(fault), code=fault.exit_code)


def _called_back(sweep_state: _SweepState, job: Job, cell: Cell) -> CellResult:
    """Run a cell; the user's own callbacks of Hydra are told that it begins and ends."""
    called = sweep_state.launch.context.callbacks
    if not called.callbacks:
        return run_cell(cell, sweep_state.sweep)
    sweep_state.composer.tell(job)
    composed = sweep_state.composer.merged(job.overrides)
    called.on_job_start(config=composed, task_function=sweep_state.launch.task)
    ended = run_cell(cell, sweep_state.sweep)
    called.on_job_end(config=composed, job_return=returned(ended.code))
    return ended


def returned(code: int) -> JobReturn:
    """Return an exit code as Hydra takes it."""
    done = JobReturn()
    done.return_value = code
    done.status = JobStatus.COMPLETED
    return done
