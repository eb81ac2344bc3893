"""`evaluate`: compose, chunk, index, retrieve, judge, score, and log one MLflow run."""

from __future__ import annotations

from dataclasses import replace

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from rageval.cli.commands.gate import show
from rageval.comparison.result import result
from rageval.config.choices import chosen, require_retriever, sweeping
from rageval.config.next_command import next_command, typed_command, typed_words
from rageval.config.reading import plain
from rageval.config.settings import EvaluationConfig
from rageval.errors import InputError
from rageval.experiment.gating import judge
from rageval.experiment.keeping import UndeliveredError
from rageval.experiment.limits import require_limits
from rageval.experiment.plan import Plan
from rageval.experiment.record import tags
from rageval.experiment.rules import Rules
from rageval.experiment.workflow import introduce_set, measure_and_keep, open_tracking
from rageval.registry.version import register
from rageval.report import console, summary, tables
from rageval.report.answer import answer, for_people
from rageval.report.data import run_facts
from rageval.report.outcome import Outcome
from rageval.report.wording import retrieval
from rageval.retrieval.pipeline import Parts
from rageval.sweep.finalize import UNSEEN
from rageval.tracking.addresses import opening, runs_page
from rageval.tracking.reading import CELL, SINGLE, TRIAL, fetch, finished
from rageval.tracking.store import Store

_FAILED = 1  # a leak, or questions on which the retriever failed


def run(composed: DictConfig) -> int:
    """Evaluate one composed configuration and return the exit code."""
    require_retriever()
    choices = chosen()
    kind = CELL if sweeping() else SINGLE

    def words(parts: Parts) -> str:
        return retrieval(choices, parts.window, parts.retriever)

    plan = Plan.of(plain(composed), words, kind)
    if plan.dataset.trial:
        plan = replace(plan, kind=TRIAL)  # nobody confirmed a question yet
    plan = replace(plan, choices=choices, command=typed_command(typed_words()))
    require_store(plan)
    target = console.console()
    for note in require_limits(plan, target):
        target.print(f"note: {note}")
    store = open_tracking(plan.config.tracking, target)
    if store is not None:
        introduce_set(plan, store, target)
    if store and kind == CELL and plan.config.sweep.resume:
        before = finished(store, CELL, plan.benchmark, plan.variant.whole)
        if before is not None:
            target.print(f"{plan.retrieval}: finished before, run {before}")
            answer(before, run=before, resumed=True)
            for unseen in plan.variant.made.uncovered:
                target.print(f"note: not checked for {unseen}; {UNSEEN}")
            return 0
    outcome, run_id = _measured(plan, store, target)
    _show(target, plan.config, outcome)
    say_where(target, store, run_id)
    tell_programs(outcome, store, run_id)
    code = _FAILED if outcome.evaluation.errors or outcome.evaluation.leaks else 0
    return max(code, afterwards(plan, store, run_id, target))


def _measured(plan: Plan, store: Store | None, target: Console) -> tuple[Outcome, str]:
    """Do the work and keep it; what the store does not take is shown all the same."""
    try:
        return measure_and_keep(plan, store, target)
    except UndeliveredError as fault:
        if fault.outcome is not None:
            _show(target, plan.config, fault.outcome)
        console.say(target, f"\nnext: {next_command('sync')}   once the store takes the results")
        raise


def afterwards(plan: Plan, store: Store | None, run_id: str, target: Console) -> int:
    """Register the run and gate it, where that is asked for; return the gate's exit code."""
    config = plan.config
    if plan.kind == TRIAL:
        report = next_command("report", f"run={run_id}", dataset=config.dataset.name)
        console.say(target, f"      {report}   to read the drafts with what came back for each")
        return 0
    if store is None:
        return 0
    if config.register_run:
        kept = fetch(store, run_id)
        version = register(store, kept, config.registry, "none")
        target.print(f"registered as {config.registry.name(kept.result.dataset)} version {version}")
    if config.gate.enabled:
        rules = Rules.of(config)
        target.print()
        return show(store, [judge(store, run_id, rules, target)], rules, target)
    gate = next_command("gate", f"gate.run={run_id}", dataset=config.dataset.name)
    target.print(Text(f"      {gate}   to compare it with the champion"))
    return 0


def tell_programs(outcome: Outcome, store: Store | None, run_id: str) -> None:
    """Answer with what was measured, and where it was kept; people have read it already."""
    if for_people():
        return
    evaluation, timed = outcome.evaluation, outcome.latency
    table = tables.questions(evaluation).as_json()
    answer(
        run_id,
        **run_facts(result(run_id, tags(outcome), table), questions=False),
        **({} if store is None else {"store": store.location.shown, "experiment": store.name}),
        notes=list(outcome.header.notes),
        weak={row.subset: list(row.weak) for row in outcome.sheet.rows if row.weak},
        latency_ms=timed and {"p50": timed.percentile(50), "p95": timed.percentile(95)},
        missed=[evaluation.questions[row].id for row in summary.worst(evaluation)],
    )


def require_store(plan: Plan) -> None:
    """Refuse to gate or register what is not recorded or a cell of a sweep, before any work."""
    config = plan.config
    for key, wanted in (("gate.enabled", config.gate.enabled), ("register", config.register_run)):
        if wanted and plan.kind == CELL:
            raise InputError(f"{key}=true is for a run of its own, not for the cells of a sweep")
        if wanted and not config.tracking.enabled:
            raise InputError(f"{key}=true needs the tracking store, got tracking=off")


def _show(target: Console, config: EvaluationConfig, outcome: Outcome) -> None:
    evaluation, wanted = outcome.evaluation, config.output
    console.show(target, outcome.header, outcome.sheet)
    if wanted.questions == "all":
        rows = list(range(len(evaluation.questions)))
        console.show_questions(target, evaluation, rows, "every question")
    elif wanted.questions == "worst":
        bad = summary.worst(evaluation)
        shown = bad[: wanted.rows]
        if shown:
            title = f"the worst {len(shown)} of {len(bad)} that went wrong"
            console.show_questions(target, evaluation, shown, title)


def say_where(target: Console, store: Store | None, run_id: str) -> None:
    """Print where a run was kept."""
    target.print()
    if store is None:
        target.print("not recorded (tracking=off)")
        return
    where = store.location
    target.print(f"run {run_id} in experiment {store.name} of {where.shown} ({where.why})")
    console.say(target, f"next: {opening(store, runs_page(store))} to compare runs")
