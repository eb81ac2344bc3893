"""From a configuration to a measured outcome, and from there to a kept run.

`evaluate`, a gate that scores the champion again, and the held-out check all go this way.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from rageval.config.identity import sample_set
from rageval.config.loading import Dataset
from rageval.config.next_command import next_command
from rageval.config.reading import parameters
from rageval.config.settings import EvaluationConfig
from rageval.errors import InputError
from rageval.evaluation import latency
from rageval.evaluation.evaluation import Evaluation, Known, evaluate
from rageval.evaluation.latency import Latency
from rageval.evaluation.noise import AskedTwice, Repeats, ask_twice
from rageval.evaluation.provenance.working_copy import WorkingCopy
from rageval.experiment.keeping import Keeping, UndeliveredError, keeping
from rageval.experiment.memo import Memo
from rageval.experiment.plan import Plan
from rageval.experiment.record import record
from rageval.golden.question import scored_fields
from rageval.report import console, summary
from rageval.report.header import Header
from rageval.report.outcome import Outcome
from rageval.report.weak import weak
from rageval.report.wording import noise_notes, notes, title
from rageval.retrieval.pipeline import Pipeline
from rageval.retrieval.retrievers.retriever import usage_of
from rageval.schema.fingerprint import text_digest
from rageval.tracking import store as stores
from rageval.tracking.abandoned import close_abandoned
from rageval.tracking.outbox import folders
from rageval.tracking.sets import held_out_elsewhere, introduce
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Store
from rageval.tracking.sweeps import Parent

_SHORT = 16  # hexadecimal digits that tell held-out questions of one set apart


def open_tracking(config: TrackingConfig, target: Console) -> Store | None:
    """Open the tracking store, None if nothing is to be recorded.

    Raises
    ------
    UnreachableError
        If it cannot be reached.
    """
    _say_ignored(target)
    if not config.enabled:
        return None
    return _opened(config, target, make=True)


def _opened(config: TrackingConfig, target: Console, make: bool) -> Store:
    store = stores.open_store(stores.locate(config, os.environ), config.experiment, make)
    for sentence in store.notes:
        target.print(Text(f"note: {sentence}"), soft_wrap=True)
    close_abandoned(store)
    _say_waiting(store, target)
    return store


def _say_waiting(store: Store, target: Console) -> None:
    """Say how many results wait to be delivered, if any do."""
    number = len(folders(store.location.outbox))
    if number:
        results = "1 result waits" if number == 1 else f"{number} results wait"
        deliver = next_command("sync")
        target.print(Text(f"note: {results} to be delivered: {deliver}"), soft_wrap=True)


def _say_ignored(target: Console) -> None:
    for sentence in stores.ignored(os.environ):
        target.print(f"note: {sentence}")


def require_tracking(config: TrackingConfig, target: Console) -> Store:
    """Open the tracking store of a command that reads it; nothing is made.

    Raises
    ------
    NoVerdictError
        If nothing was recorded there yet.
    InputError
        If tracking is off.
    UnreachableError
        If the store cannot be reached.
    """
    if not config.enabled:
        raise InputError(
            "tracking=off: this command reads the tracking store, it cannot do without"
        )
    _say_ignored(target)
    return _opened(config, target, make=False)


@dataclass(frozen=True)
class Measured:
    """What the work came to, before anything is printed."""

    evaluation: Evaluation
    latency: Latency | None
    twice: AskedTwice | None  # what a second asking of some questions came to
    repeats: Repeats | None  # all repetitions, where there is more than one
    recorded: bool  # the latency is that of an equal pipeline earlier in this process


def introduce_set(plan: Plan, store: Store, target: Console) -> None:
    """Make a plan's set known to its store, and say which of its questions others hold out.

    Raises
    ------
    InputError
        If another set has its name there.
    """
    introduce(store, plan.dataset.identity)
    for name, n in seen_held_out(plan.dataset, store).items():
        target.print(
            f"note: {n} of the {len(plan.dataset.dev.golden)} dev questions are held out in the "
            f"set {name}: a run that has seen them is not promoted"
        )


def seen_held_out(dataset: Dataset, store: Store) -> dict[str, int]:
    """Return how many dev questions of a set are held out in which set, as far as is known.

    A question whose words are on both sides of the set itself is for `check` to warn of.
    """
    texts = {text_digest(question.text) for question in dataset.dev.golden}
    return held_out_elsewhere(store, texts - dataset.assignment.held_out, [sample_set()])


def work(plan: Plan, target: Console) -> Measured:
    """Do the work: index, ask, score."""
    benchmark, memo = plan.asked, Memo(plan)
    with console.progress(target) as steps:
        pipeline = Pipeline.build(plan.dataset.corpus, memo.parts(), steps.begin, memo.cut)
        steps.expect(len(benchmark.questions))
        known = Known(memo.grounds(benchmark, pipeline.chunks), memo.memory(pipeline.index))
        evaluation = evaluate(pipeline, benchmark, steps.advance, known)
        steps.begin("timing single questions")
        before = plan.cache.hits["latency"]
        timed = _timed(memo, pipeline, evaluation)
        recorded = plan.cache.hits["latency"] > before
        twice = _asked_twice(plan, pipeline, evaluation)
        del pipeline  # an index in a folder is opened by one program at a time
        repeats = _repeated(memo, evaluation, steps)
        return Measured(evaluation, timed, twice, repeats, recorded)


def _asked_twice(plan: Plan, pipeline: Pipeline, evaluation: Evaluation) -> AskedTwice | None:
    """Ask some questions again of a retriever of which nothing says whether it changes."""
    if plan.config.repeats > 1 or not getattr(plan.parts.retriever, "changes_unseen", False):
        return None
    return ask_twice(pipeline, evaluation, plan.config.noise.sample)


def _repeated(memo: Memo, first: Evaluation, steps: console.Steps) -> Repeats | None:
    """Index and ask again, with nothing that is kept, as often as is wanted."""
    plan = memo.plan
    if plan.config.repeats == 1:
        return None
    found = [first]
    for _ in range(plan.config.repeats - 1):
        pipeline = Pipeline.build(plan.dataset.corpus, plan.parts, steps.begin, memo.cut)
        steps.expect(len(plan.asked.questions))
        found.append(evaluate(pipeline, plan.asked, steps.advance))
        del pipeline
    return Repeats.of(found)


def measure(plan: Plan, target: Console) -> Outcome:
    """Do the work, and put it in the words and tables of every report."""
    return told(plan, work(plan, target))


def told(plan: Plan, found: Measured) -> Outcome:
    """Return what was measured with everything that reports and tracking say about it."""
    config, evaluation = plan.config, found.evaluation
    noise = tuple(noise_notes(evaluation, found.twice, found.repeats))
    weak_cells = weak(evaluation.subsets, config.threshold.floors)
    return Outcome(
        header=_header(plan, evaluation, noise),
        evaluation=evaluation,
        latency=found.latency,
        sheet=summary.sheet(evaluation, weak_cells, found.latency),
        params={**_chosen(plan), **parameters(plan.tree)},
        config=plan.tree.yaml,
        sources={part: _source(config, part) for part in ("corpus", "questions")},
        digests={"corpus": plan.dataset.corpus.digest, "questions": plan.side.golden.digest},
        notes=config.run.notes,
        kind=plan.kind,
        passages=config.output.passages,
        repeats=found.repeats,
        usage=usage_of(plan.parts.retriever),
        command=plan.command,
    )


def _timed(memo: Memo, pipeline: Pipeline, evaluation: Evaluation) -> Latency | None:
    """Time the pipeline, or return what was recorded for an equal one in this process.

    Where every question was asked alone, the calls that are scored have been timed already.
    """
    sample, benchmark = memo.plan.config.latency.sample, evaluation.benchmark
    if evaluation.retrieved.candidates.seconds is not None:
        return latency.of_scored(evaluation.retrieved) if sample else None

    def compute() -> Latency | None:
        return latency.measure(pipeline.direct, benchmark.asks, sample, time.perf_counter)

    return memo.latency(pipeline.index, compute)


def measure_and_keep(plan: Plan, store: Store | None, target: Console) -> tuple[Outcome, str]:
    """Do the work inside a run of its own; return what came of it and the run's id, or "".

    Raises
    ------
    UndeliveredError
        If the store does not take the outcome, which the error holds.
    """
    outcome = None
    try:
        with _held(plan, store) as held:
            outcome = measure(plan, target)
            plan.dataset.assignment.write_lock()
            if held:
                held.write(record(outcome, plan.config.tracking.plots))
    except UndeliveredError as fault:
        fault.outcome = outcome
        raise
    return outcome, held.run if held else ""


def measure_cell(plan: Plan, parent: Parent | None, target: Console) -> tuple[Measured, str]:
    """Do the work of a cell; with a parent, in a run below it, whose id is returned too.

    Without one nothing is put in words, for nobody would read it.
    """
    with _below(plan, parent) as held:
        found = work(plan, target)
        lock(plan)
        if held is not None:
            held.write(record(told(plan, found)))
    return found, held.run if held else ""


def lock(plan: Plan) -> None:
    """Write down which side new questions are on, once for each set."""
    plan.cache.memoize("lock", plan.source, lambda: _locked(plan))


def _locked(plan: Plan) -> bool:
    plan.dataset.assignment.write_lock()
    return True


def _held(plan: Plan, store: Store | None) -> AbstractContextManager[Keeping | None]:
    return keeping(store, _name(plan)) if store else nullcontext(None)


def _below(plan: Plan, parent: Parent | None) -> AbstractContextManager[Keeping | None]:
    if parent is None:
        return nullcontext(None)
    return keeping(parent.store, _name(plan), parent.run, parent.tags)


def _name(plan: Plan) -> str:
    return plan.config.run.name or plan.retrieval


def _chosen(plan: Plan) -> dict[str, str]:
    """Return the files of conf/ that were chosen as parameters, Hydra's own left out.

    A retriever of the user's own stands there by its name, so that a chart tells two of them apart.
    """
    chosen = dict(plan.choices)
    if "retriever" in chosen:
        chosen["retriever"] = title(chosen["retriever"], plan.parts.retriever)
    return {
        re.sub(r"[^\w./ -]", "-", group): name
        for group, name in chosen.items()
        if not group.startswith("hydra/")
    }


def _source(config: EvaluationConfig, part: str) -> str:
    node = config.dataset.corpus if part == "corpus" else config.dataset.golden
    return str(node.get("path", node["_target_"]))


def _header(plan: Plan, evaluation: Evaluation, noise: Sequence[str]) -> Header:
    here = Path.cwd()
    copy = plan.cache.memoize("copy", str(here), lambda: WorkingCopy.of(here))
    return Header(
        dataset=plan.config.dataset.name,
        split=plan.split,
        retrieval=plan.retrieval,
        documents=len(plan.dataset.corpus),
        chunks=len(evaluation.chunks),
        complete=evaluation.chunks.complete,
        benchmark=plan.benchmark,
        benchmark_facts=plan.benchmark_facts,
        variant=plan.variant,
        commit=copy.commit,
        dirty=copy.dirty,
        notes=(
            *plan.dataset.notes,
            *(f"not covered by the variant: {unseen}" for unseen in plan.variant.made.uncovered),
            *_notes_of_retriever(plan),
            *notes(evaluation),
            *noise,
        ),
        set_id=plan.dataset.identity.id,
        location=plan.dataset.identity.location,
        held_out=plan.cache.memoize("held out", plan.source, lambda: _held_out(plan)),
    )


def _notes_of_retriever(plan: Plan) -> Sequence[str]:
    """Return what a retriever has to say about its own answers, if it can."""
    said: Callable[[Sequence[str]], list[str]] | None
    said = getattr(plan.parts.retriever, "notes", None)
    return [] if said is None else said([ask.question for ask in plan.asked.asks])


def _held_out(plan: Plan) -> tuple[str, ...]:
    """Name the held-out questions with their labels, so that a gate sees whether one is gone."""
    return tuple(sorted(scored_fields(q)[:_SHORT] for q in plan.dataset.holdout.golden))
