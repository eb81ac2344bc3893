"""Running the cells of a sweep: each is composed, run and noted, and none stops the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, filter_overrides, setup_globals
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from rageval.config.launch import UNFINISHED
from rageval.errors import InputError
from rageval.report import console
from rageval.sweep.cell import run_cell
from rageval.sweep.composing import Cell, Composer, Job, Unfit
from rageval.sweep.ended import FAILED, SKIPPED, STOPPED, Ended
from rageval.sweep.ending import end_sweep, tell
from rageval.sweep.session import Session

_ALONE = ("gate.enabled", "register")  # for a run of its own
_VERB = "config"  # the primary config of `evaluate`
# What stages are made from, the earliest first: cells that share it run one after the other.
_STAGES = (
    ("experiment", "dataset"),
    ("chunking",),
    ("analyser", "encoder", "retriever"),
    ("rewriting",),
)


@dataclass(frozen=True)
class _Launch:
    """What Hydra hands over."""

    context: HydraContext
    task: TaskFunction
    composer: Composer


def run_cells(
    context: HydraContext, task: TaskFunction, config: DictConfig, jobs: Sequence[Sequence[str]]
) -> list[JobReturn]:
    """Run every cell and close the sweep.

    Raises
    ------
    InputError
        If a choice is misspelt, if no cell can be composed, or if the cells are to be gated.
    """
    if config.hydra.job.config_name != _VERB:
        raise InputError("hydra/launcher=rageval runs the cells of `evaluate` and no other verb")
    setup_globals()
    with _hydra_as_it_was():
        composer = Composer.of(context.config_loader, config, jobs)
        found = composer.check(jobs)
        if found and all(job.fault for job in found):
            raise InputError(found[0].fault)
        sweep = Session([_own(job) for job in found], console.console())
        try:
            for job in in_order(found):
                _run(_Launch(context, task, composer), job, sweep)
        finally:
            end_sweep(sweep)
    return [_returned(ended.code) for ended in sorted(sweep.ended, key=lambda e: e.number)]


@contextmanager
def _hydra_as_it_was() -> Iterator[None]:
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


def _run(launch: _Launch, job: Job, sweep: Session) -> None:
    if sweep.halted:
        sweep.end(Ended(job.number, _own(job), STOPPED, fault=sweep.halted, code=UNFINISHED))
        return
    ended = _ended(launch, job, sweep)
    sweep.end(ended)
    if ended.state != SKIPPED:
        tell(sweep, ended)


def _ended(launch: _Launch, job: Job, sweep: Session) -> Ended:
    """Return what a cell came to; one that cannot be composed is skipped."""
    try:
        if job.fault:
            raise Unfit(job.fault)
        cell = launch.composer.compose(job)
    except Unfit as fault:
        return Ended(job.number, _own(job), SKIPPED, fault=str(fault))
    except InputError as fault:
        return Ended(job.number, _own(job), FAILED, fault=str(fault), code=fault.exit_code)
    _refuse_verdicts(cell)
    with _called_back(launch, job) as done:
        ended = run_cell(cell, sweep)
        done.return_value = ended.code
    if ended.state == FAILED and cell.tree.whole["sweep"]["on_error"] == "stop":
        sweep.halt("a cell failed before, and sweep.on_error=stop")
    return ended


def _refuse_verdicts(cell: Cell) -> None:
    whole = cell.tree.whole
    for key, wanted in (
        ("gate.enabled", whole["gate"]["enabled"]),
        ("register", whole["register"]),
    ):
        if wanted:
            raise InputError(f"{key}=true is for a run of its own, not for the cells of a sweep")


@contextmanager
def _called_back(launch: _Launch, job: Job) -> Iterator[JobReturn]:
    """Tell the user's own callbacks of Hydra, where there are any, that a cell begins and ends."""
    done = _returned(0)
    called = launch.context.callbacks
    if not called.callbacks:
        yield done
        return
    launch.composer.tell(job)
    composed = launch.composer.merged(job.overrides)
    called.on_job_start(config=composed, task_function=launch.task)
    yield done
    called.on_job_end(config=composed, job_return=done)


def _returned(code: int) -> JobReturn:
    done = JobReturn()
    done.return_value = code
    done.status = JobStatus.COMPLETED
    return done
