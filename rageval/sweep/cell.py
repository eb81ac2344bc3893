"""One cell of a sweep: run if it was not before. Nothing here knows of the other cells."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from rich.console import Console

from rageval.cache.store import Cache, CacheConfig
from rageval.config.launch import UNFINISHED
from rageval.config.next_command import typed_command
from rageval.errors import InputError, NoVerdictError, RagevalError
from rageval.evaluation.subsets import ALL, Summary
from rageval.experiment.limits import require_limits
from rageval.experiment.plan import Plan
from rageval.experiment.workflow import Measured, introduce_set, lock, measure_cell
from rageval.report.summary import window_characters
from rageval.report.wording import retrieval
from rageval.retrieval.pipeline import Parts
from rageval.schema.fingerprint import digest
from rageval.sweep.composing import Cell
from rageval.sweep.result import BUSY, DONE, FAILED, PLANNED, RESUMED, CellResult
from rageval.tracking.claims import claimed
from rageval.tracking.faults import TrackingError
from rageval.tracking.reading import CELL, fetch
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Store
from rageval.tracking.sweeps import Parent

E = TypeVar("E", CellResult, CellResult | None)
_FAILED = 1  # a leak, or questions on which the retriever failed


class CellContext(Protocol):
    """What a cell is given to work with."""

    @property
    def target(self) -> Console:
        """Return where progress is shown."""
        ...

    def cache_for(self, config: CacheConfig) -> Cache:
        """Return the cache that cells with these settings share."""
        ...

    def recording(self, config: TrackingConfig) -> Parent | None:
        """Return the run that cells are recorded below, None if they are not."""
        ...

    def plan(self, config: TrackingConfig) -> Parent | None:
        """Return what knows the finished cells of the store that cells would be recorded in."""
        ...

    def before(self, benchmark: str, variant: str, objective: str) -> CellResult | None:
        """Return an equal cell of an earlier sweep, from what its parent run keeps."""
        ...


def run_cell(cell: Cell, context: CellContext) -> CellResult:
    """Evaluate one cell unless it was before; an error is part of what is returned."""

    def run() -> CellResult:
        plan = _plan(cell, context)
        return _settled(cell, plan, context) or _evaluated(cell, plan, context)

    return _guarded(cell, run)


def settle(cell: Cell, context: CellContext) -> CellResult | None:
    """Return what a cell comes to without any work; None if it must be evaluated.

    The sides of its questions are then written down, so that no two workers do that at once.
    """

    def look() -> CellResult | None:
        plan = _plan(cell, context)
        found = _settled(cell, plan, context)
        if found is None:
            lock(plan)
        return found

    return _guarded(cell, look)


def evaluate_cell(cell: Cell, context: CellContext) -> CellResult:
    """Evaluate one cell, whatever was before; an error is part of what is returned."""
    return _guarded(cell, lambda: _evaluated(cell, _plan(cell, context), context))


def read_cell(cell: Cell, context: CellContext, run: Any) -> CellResult:  # noqa: ANN401  an mlflow Run
    """Return what a finished run of this very cell came to."""

    def look() -> CellResult:
        plan = _plan(cell, context)
        parent = context.recording(plan.config.tracking)
        if parent is None:
            raise NoVerdictError("nothing is recorded")
        return replace(_resumed(cell, plan, parent.store, run), state=DONE)

    return _guarded(cell, look)


def _guarded(cell: Cell, work: Callable[[], E]) -> E | CellResult:
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


def _failed(cell: Cell, fault: str, code: int) -> CellResult:
    return CellResult(cell.number, cell.overrides, FAILED, fault=fault, code=code)


def _plan(cell: Cell, context: CellContext) -> Plan:
    choices = cell.choices

    def words(parts: Parts) -> str:
        return retrieval(choices, parts.window, parts.retriever)

    plan = Plan.of(cell.tree, words, CELL, context.cache_for)
    if plan.dataset.trial:
        raise InputError(
            "a sweep needs confirmed questions, and all of the set are drafts: delete the line "
            "`draft: true` of those that are right"
        )
    require_limits(plan, context.target)
    return replace(plan, choices=choices, command=alone(cell.overrides) if cell.overrides else "")


def alone(overrides: Sequence[str]) -> str:
    """Return the command line that measures a cell in a run of its own.

    An experiment file may begin a sweep by itself, so the mode of Hydra is given with one.
    """
    words = [word for word in overrides if not word.startswith(("sweep.", "gate."))]
    begins = any(word.lstrip("+").startswith("experiment=") for word in words)
    return typed_command([*words, *(["hydra.mode=RUN"] if begins else [])])


def _settled(cell: Cell, plan: Plan, context: CellContext) -> CellResult | None:
    if plan.config.sweep.dry_run:
        return _planned(cell, plan, context.plan(plan.config.tracking))
    parent = context.recording(plan.config.tracking)
    if parent is not None:
        plan.cache.memoize("set", plan.source, lambda: _introduced(plan, parent.store, context))
    return _before(cell, plan, parent, context)


def _introduced(plan: Plan, store: Store, context: CellContext) -> bool:
    introduce_set(plan, store, context.target)
    return True


def _evaluated(cell: Cell, plan: Plan, context: CellContext) -> CellResult:
    """Evaluate a cell, if no other program is evaluating its equal."""
    parent = context.recording(plan.config.tracking)
    if parent is None or not plan.config.sweep.resume:
        return _measured(cell, plan, parent, context)
    with claimed(parent.store, plan.benchmark, plan.variant.whole) as mine:
        if not mine:
            return CellResult(cell.number, cell.overrides, BUSY)
        return _since(cell, plan, parent) or _measured(cell, plan, parent, context)


def _measured(cell: Cell, plan: Plan, parent: Parent | None, context: CellContext) -> CellResult:
    found, run = measure_cell(plan, parent, context.target)
    return _done(cell, plan, found, run)


def _since(cell: Cell, plan: Plan, parent: Parent) -> CellResult | None:
    """Return what another sweep has made of an equal cell since this one was looked for."""
    run = parent.finished_since(plan.benchmark, plan.variant.whole)
    try:
        return None if run is None else _resumed(cell, plan, parent.store, run)
    except NoVerdictError:  # what it kept is lost or was altered
        return None


def _before(
    cell: Cell, plan: Plan, parent: Parent | None, context: CellContext
) -> CellResult | None:
    """Return what a finished run of an equal cell came to, if one may stand for this cell."""
    if parent is None or not plan.config.sweep.resume:
        return None
    known = context.before(plan.benchmark, plan.variant.whole, plan.config.objective)
    unseen = plan.variant.made.uncovered
    if known is not None and parent.stands(known.run, plan.benchmark):
        return replace(known, number=cell.number, overrides=cell.overrides, uncovered=unseen)
    run = parent.finished(plan.benchmark, plan.variant.whole)
    try:
        found = None if run is None else _resumed(cell, plan, parent.store, run)
    except NoVerdictError:  # what it kept is lost or was altered: the cell is run again
        return None
    return None if found is None else replace(found, uncovered=unseen)


def _planned(cell: Cell, plan: Plan, there: Parent | None) -> CellResult:
    found = None
    if there is not None and plan.config.sweep.resume:
        found = there.finished(plan.benchmark, plan.variant.whole)
    return CellResult(
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


def _done(cell: Cell, plan: Plan, measured: Measured, run: str) -> CellResult:
    evaluation, objective = measured.evaluation, plan.config.objective
    found = evaluation.values[objective]
    return CellResult(
        cell.number,
        cell.overrides,
        DONE,
        run=run,
        name=plan.retrieval,
        whole={name: evaluation.summary(ALL, name) for name in evaluation.values},
        subsets={name: evaluation.summary(name, objective).value for name in evaluation.members},
        table=_table(evaluation.subsets) if run else {},
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


def _table(
    found: Mapping[str, Mapping[str, Summary]],
) -> dict[str, dict[str, tuple[int, float | None]]]:
    return {
        subset: {name: (summary.n, summary.value) for name, summary in row.items()}
        for subset, row in found.items()
    }


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


def _resumed(cell: Cell, plan: Plan, store: Store, run: Any) -> CellResult:  # noqa: ANN401  an mlflow Run
    """Return what an earlier run of the same cell came to, from what it kept."""
    kept = fetch(store, str(run.info.run_id)).result
    objective = plan.config.objective
    counted = [row for row in kept.rows.values() if row.values.get(objective) is not None]
    metrics: Mapping[str, float] = run.data.metrics
    return CellResult(
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
        table=_table({subset: kept.summaries(subset) for subset in kept.subsets}),
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
