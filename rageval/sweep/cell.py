"""One cell of a sweep: run if it was not before, and told in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.comparison.result import Result
from rageval.config.choices import chosen
from rageval.errors import NoVerdictError, RagevalError
from rageval.fingerprint import digest
from rageval.report import console
from rageval.report.outcome import Outcome
from rageval.report.summary import window_characters
from rageval.report.wording import retrieval
from rageval.statistics.wilson import wilson
from rageval.subsets import ALL, Summary
from rageval.sweep.session import DONE, FAILED, PLANNED, RESUMED, Ended, Session
from rageval.tracking.reading import CELL, fetch
from rageval.tracking.store import Store
from rageval.workflow import Plan, measure_and_keep, open_tracking

_FAILED = 1  # a leak, or questions on which the retriever failed


def run_cell(composed: DictConfig, sweep: Session) -> int:
    """Evaluate one cell within its sweep and return its exit code; a failure is noted and told."""
    try:
        return _run(composed, sweep)
    except RagevalError as fault:
        sweep.fail(str(fault), composed.sweep.on_error == "stop")
        _told(console.console(), sweep)
        return fault.exit_code


def _run(composed: DictConfig, sweep: Session) -> int:
    choices = chosen()
    plan = Plan.of(composed, lambda parts: retrieval(choices, parts.window), CELL, sweep.stages)
    plan = replace(plan, choices=choices)
    sweep.objective = plan.config.objective
    if plan.config.sweep.dry_run:
        sweep.end(_planned(plan, sweep))
        return 0
    target = console.console()
    store = _store(plan, sweep, target)
    before = _before(plan, sweep, store)
    if before is not None:
        sweep.end(before)
        return _told(target, sweep)
    parent = sweep.parent(store).run if store is not None else ""
    outcome, run = measure_and_keep(plan, store, target, parent)
    sweep.end(_done(plan, outcome, run, sweep))
    _told(target, sweep)
    return _FAILED if outcome.evaluation.errors or outcome.evaluation.leaks else 0


def _store(plan: Plan, sweep: Session, target: Console) -> Store | None:
    """Return the store that all cells are recorded in; without it none of them is run."""
    if sweep.opened is not None:
        return sweep.opened.store
    try:
        store = open_tracking(plan.config.tracking, target)
        if store is not None:
            sweep.parent(store)
    except RagevalError as fault:
        sweep.halted = f"the store cannot be used: {fault}"
        raise
    return store


def _before(plan: Plan, sweep: Session, store: Store | None) -> Ended | None:
    """Return what a finished run of an equal cell came to, if one may stand for this cell."""
    if store is None or not plan.config.sweep.resume:
        return None
    run = sweep.parent(store).finished(plan.benchmark, plan.variant.whole)
    try:
        return None if run is None else _resumed(store, run, sweep)
    except NoVerdictError:  # what it kept is lost: the cell is run anew
        return None


def _planned(plan: Plan, sweep: Session) -> Ended:
    return Ended(sweep.number, sweep.overrides, PLANNED, name=plan.retrieval, stages=_stages(plan))


def _stages(plan: Plan) -> tuple[str, ...]:
    """Return what names the cell's chunks, and its chunks with its retriever."""
    chunking = plan.variant.chunking
    return chunking, digest([chunking, dict(plan.config.retriever)])


def _done(plan: Plan, outcome: Outcome, run: str, sweep: Session) -> Ended:
    evaluation, objective = outcome.evaluation, sweep.objective
    found = evaluation.values[objective]
    return Ended(
        sweep.number,
        sweep.overrides,
        DONE,
        run=run,
        name=plan.retrieval,
        whole=evaluation.subsets[ALL],
        subsets={name: row[objective].value for name, row in evaluation.subsets.items()},
        values=tuple(found.value[found.counts].tolist()),
        benchmark=plan.benchmark,
        stages=_stages(plan),
        p95=outcome.latency.percentile(95) if outcome.latency else None,
        window=window_characters(outcome.evaluation),
    )


def _resumed(store: Store, run: Any, sweep: Session) -> Ended:  # noqa: ANN401  an mlflow Run
    """Return what an earlier run of the same cell came to, from what it kept."""
    kept = fetch(store, str(run.info.run_id)).result
    values = [row.values.get(sweep.objective) for row in kept.rows.values()]
    metrics: Mapping[str, float] = run.data.metrics
    return Ended(
        sweep.number,
        sweep.overrides,
        RESUMED,
        run=kept.run,
        name=kept.name,
        whole={name: summary for name in kept.measures if (summary := _summary(kept, name))},
        subsets={
            key.rpartition("/")[0]: value
            for key, value in metrics.items()
            if key.endswith(f"/{sweep.objective}")
        },
        values=tuple(value for value in values if value is not None),
        benchmark=str(run.data.tags.get("rageval.benchmark", "")),
        p95=metrics.get("latency/p95_ms"),
        window=metrics.get("all/window_characters"),
    )


def _summary(kept: Result, measure: str) -> Summary | None:
    found = kept.mean(ALL, measure)
    if found is None:
        return None
    mean, n = float(found[0] / found[1]), found[1]
    return Summary(n, mean, *wilson(mean, n))


def _told(target: Console, sweep: Session) -> int:
    """Print the line of the cell that has just ended; return 0."""
    ended = sweep.ended[-1]
    place = f"{ended.number + 1:>{len(str(sweep.cells))}}/{sweep.cells}"
    if ended.state == FAILED:
        target.print(Text(f"{place}  ✗ failed: {' '.join(ended.overrides)}"))
        return 0
    found = ended.whole.get(sweep.objective)
    value = "–" if found is None or found.value is None else f"{found.value:.3f}"
    again = " (finished before)" if ended.state == RESUMED else ""
    target.print(Text(f"{place}  {sweep.objective} {value}  {ended.name}{again}"))
    return 0
