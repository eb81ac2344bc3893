"""One cell of a sweep: run if it was not before. Nothing here knows of the other cells."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from rich.console import Console

from rageval.config.launch import UNFINISHED
from rageval.config.next_command import typed_command
from rageval.errors import NoVerdictError, RagevalError
from rageval.fingerprint import digest
from rageval.gatekeeping import require_limits
from rageval.plan import Plan
from rageval.report.summary import window_characters
from rageval.report.wording import retrieval
from rageval.stages.store import CacheConfig, Stages
from rageval.subsets import ALL
from rageval.sweep.composing import Cell
from rageval.sweep.ended import BUSY, DONE, FAILED, PLANNED, RESUMED, Ended
from rageval.tracking.claims import claimed
from rageval.tracking.faults import TrackingError
from rageval.tracking.reading import CELL, fetch
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Store
from rageval.tracking.sweeps import Parent
from rageval.workflow import Measured, introduce_set, lock, measure_cell

E = TypeVar("E", Ended, Ended | None)
_FAILED = 1  # a leak, or questions on which the retriever failed


class Desk(Protocol):
    """What a cell is given to work with."""

    @property
    def target(self) -> Console:
        """Return where progress is shown."""
        ...

    def stages(self, config: CacheConfig) -> Stages:
        """Return the stages that cells with these settings share."""
        ...

    def recording(self, config: TrackingConfig) -> Parent | None:
        """Return the run that cells are recorded below, None if they are not."""
        ...

    def plan(self, config: TrackingConfig) -> Parent | None:
        """Return what knows the finished cells of the store that cells would be recorded in."""
        ...

    def before(self, benchmark: str, variant: str, objective: str) -> Ended | None:
        """Return an equal cell of an earlier sweep, from what its parent run keeps."""
        ...


def run_cell(cell: Cell, desk: Desk) -> Ended:
    """Evaluate one cell unless it was before; whatever breaks it is told in what is returned."""

    def run() -> Ended:
        plan = _plan(cell, desk)
        return _settled(cell, plan, desk) or _evaluated(cell, plan, desk)

    return _guarded(cell, run)


def settle(cell: Cell, desk: Desk) -> Ended | None:
    """Return what a cell comes to without any work; None if it must be evaluated.

    The sides of its questions are then written down, so that no two workers do that at once.
    """

    def look() -> Ended | None:
        plan = _plan(cell, desk)
        found = _settled(cell, plan, desk)
        if found is None:
            lock(plan)
        return found

    return _guarded(cell, look)


def evaluate_cell(cell: Cell, desk: Desk) -> Ended:
    """Evaluate one cell, whatever was before; whatever breaks it is told in what is returned."""
    return _guarded(cell, lambda: _evaluated(cell, _plan(cell, desk), desk))


def read_cell(cell: Cell, desk: Desk, run: Any) -> Ended:  # noqa: ANN401  an mlflow Run
    """Return what a finished run of this very cell came to."""

    def look() -> Ended:
        plan = _plan(cell, desk)
        parent = desk.recording(plan.config.tracking)
        if parent is None:
            raise NoVerdictError("nothing is recorded")
        return replace(_resumed(cell, plan, parent.store, run), state=DONE)

    return _guarded(cell, look)


def _guarded(cell: Cell, work: Callable[[], E]) -> E | Ended:
    """Do the work and say how long it took; a fault becomes a failed cell."""
    begun = time.perf_counter()
    try:
        found = work()
    except TrackingError as fault:
        failed = _failed(cell, str(fault), fault.exit_code)
        return replace(failed, unrecorded=not fault.refused)
    except RagevalError as fault:
        return _failed(cell, str(fault), fault.exit_code)
    except Exception as fault:  # noqa: BLE001  anything at all may go wrong in a user's class
        return _failed(cell, "".join(traceback.format_exception(fault)), UNFINISHED)
    if found is None:
        return found
    return replace(found, seconds=time.perf_counter() - begun)


def _failed(cell: Cell, fault: str, code: int) -> Ended:
    return Ended(cell.number, cell.overrides, FAILED, fault=fault, code=code)


def _plan(cell: Cell, desk: Desk) -> Plan:
    choices = cell.choices
    plan = Plan.of(cell.tree, lambda parts: retrieval(choices, parts.window), CELL, desk.stages)
    require_limits(plan, desk.target)
    return replace(plan, choices=choices, command=alone(cell.overrides) if cell.overrides else "")


def alone(overrides: Sequence[str]) -> str:
    """Return the command line that measures a cell in a run of its own.

    An experiment file may begin a sweep by itself, so the mode of Hydra is given with one.
    """
    words = [word for word in overrides if not word.startswith(("sweep.", "gate."))]
    begins = any(word.lstrip("+").startswith("experiment=") for word in words)
    return typed_command([*words, *(["hydra.mode=RUN"] if begins else [])])


def _settled(cell: Cell, plan: Plan, desk: Desk) -> Ended | None:
    if plan.config.sweep.dry_run:
        return _planned(cell, plan, desk.plan(plan.config.tracking))
    parent = desk.recording(plan.config.tracking)
    if parent is not None:
        plan.stages.aside("set", plan.source, lambda: _introduced(plan, parent.store, desk))
    return _before(cell, plan, parent, desk)


def _introduced(plan: Plan, store: Store, desk: Desk) -> bool:
    introduce_set(plan, store, desk.target)
    return True


def _evaluated(cell: Cell, plan: Plan, desk: Desk) -> Ended:
    """Evaluate a cell, if no other program is evaluating its equal."""
    parent = desk.recording(plan.config.tracking)
    if parent is None or not plan.config.sweep.resume:
        return _measured(cell, plan, parent, desk)
    with claimed(parent.store, plan.benchmark, plan.variant.whole) as mine:
        if not mine:
            return Ended(cell.number, cell.overrides, BUSY)
        return _since(cell, plan, parent) or _measured(cell, plan, parent, desk)


def _measured(cell: Cell, plan: Plan, parent: Parent | None, desk: Desk) -> Ended:
    found, run = measure_cell(plan, parent, desk.target)
    return _done(cell, plan, found, run)


def _since(cell: Cell, plan: Plan, parent: Parent) -> Ended | None:
    """Return what another sweep has made of an equal cell since this one was looked for."""
    run = parent.finished_since(plan.benchmark, plan.variant.whole)
    try:
        return None if run is None else _resumed(cell, plan, parent.store, run)
    except NoVerdictError:  # what it kept is lost or was altered
        return None


def _before(cell: Cell, plan: Plan, parent: Parent | None, desk: Desk) -> Ended | None:
    """Return what a finished run of an equal cell came to, if one may stand for this cell."""
    if parent is None or not plan.config.sweep.resume:
        return None
    known = desk.before(plan.benchmark, plan.variant.whole, plan.config.objective)
    unseen = plan.variant.made.uncovered
    if known is not None and parent.stands(known.run, plan.benchmark):
        return replace(known, number=cell.number, overrides=cell.overrides, uncovered=unseen)
    run = parent.finished(plan.benchmark, plan.variant.whole)
    try:
        found = None if run is None else _resumed(cell, plan, parent.store, run)
    except NoVerdictError:  # what it kept is lost or was altered: the cell is run again
        return None
    return None if found is None else replace(found, uncovered=unseen)


def _planned(cell: Cell, plan: Plan, there: Parent | None) -> Ended:
    found = None
    if there is not None and plan.config.sweep.resume:
        found = there.finished(plan.benchmark, plan.variant.whole)
    return Ended(
        cell.number,
        cell.overrides,
        PLANNED,
        run=str(found.info.run_id) if found is not None else "",
        name=plan.retrieval,
        stages=_stages(plan),
    )


def _stages(plan: Plan) -> tuple[str, ...]:
    """Return what names the cell's chunks, and its chunks with its retriever."""
    chunking = plan.variant.chunking
    return chunking, digest([chunking, dict(plan.config.retriever)])


def _done(cell: Cell, plan: Plan, measured: Measured, run: str) -> Ended:
    evaluation, objective = measured.evaluation, plan.config.objective
    found = evaluation.values[objective]
    return Ended(
        cell.number,
        cell.overrides,
        DONE,
        run=run,
        name=plan.retrieval,
        whole={name: evaluation.summary(ALL, name) for name in evaluation.values},
        subsets={name: evaluation.summary(name, objective).value for name in evaluation.members},
        objective=objective,
        values=found.value[found.counts],
        groups=[
            question.group
            for question, counts in zip(evaluation.questions, found.counts, strict=True)
            if counts
        ],
        benchmark=plan.benchmark,
        variant=plan.variant.whole,
        stages=_stages(plan),
        p95=measured.latency.percentile(95) if measured.latency else None,
        recorded=measured.recorded,
        window=window_characters(evaluation),
        **_flawed(evaluation.errors, evaluation.leaks),
    )


def _flawed(errors: int, leaks: int) -> dict[str, Any]:
    """Return what is said of a cell that was evaluated, and not as it should be; else nothing.

    Examples
    --------
    >>> _flawed(errors=2, leaks=0)
    {'fault': 'evaluated with 2 errors and 0 leaks', 'code': 1}
    """
    if not errors and not leaks:
        return {}
    return {"fault": f"evaluated with {errors} errors and {leaks} leaks", "code": _FAILED}


def _resumed(cell: Cell, plan: Plan, store: Store, run: Any) -> Ended:  # noqa: ANN401  an mlflow Run
    """Return what an earlier run of the same cell came to, from what it kept."""
    kept = fetch(store, str(run.info.run_id)).result
    objective = plan.config.objective
    counted = [row for row in kept.rows.values() if row.values.get(objective) is not None]
    metrics: Mapping[str, float] = run.data.metrics
    return Ended(
        cell.number,
        cell.overrides,
        RESUMED,
        run=kept.run,
        name=kept.name,
        whole=kept.summaries(ALL),
        subsets={
            key.rpartition("/")[0]: value
            for key, value in metrics.items()
            if key.endswith(f"/{objective}")
        },
        objective=objective,
        values=tuple(row.values[objective] or 0.0 for row in counted),
        groups=tuple(row.group for row in counted),
        benchmark=plan.benchmark,
        variant=plan.variant.whole,
        p95=metrics.get("latency/p95_ms"),
        recorded="latency/p95_ms" in metrics,
        window=metrics.get("all/window_characters"),
        **_flawed(int(metrics.get("all/errors", 0)), int(metrics.get("all/leaks", 0))),
    )
