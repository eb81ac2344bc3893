"""`evaluate`: compose, chunk, index, retrieve, judge, score, and log one MLflow run."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from rageval import provenance
from rageval.config.build import build_parts
from rageval.config.choices import chosen, require_retriever
from rageval.config.loading import Dataset, load
from rageval.config.reading import parameters, read, without_secrets
from rageval.config.settings import EvaluationConfig
from rageval.evaluation import latency
from rageval.evaluation.evaluation import Benchmark, Evaluation, evaluate
from rageval.pipeline import Parts, Pipeline
from rageval.report import console, summary
from rageval.report.header import Header
from rageval.report.outcome import Outcome
from rageval.report.wording import notes, retrieval
from rageval.thresholds import weak
from rageval.tracking import store as stores
from rageval.tracking.record import record
from rageval.tracking.run import running, write
from rageval.tracking.store import Store

_FAILED = 1  # a leak, or questions on which the retriever failed


@dataclass(frozen=True)
class Plan:
    """Everything that is known before the first question."""

    composed: DictConfig
    config: EvaluationConfig
    choices: Mapping[str, str]
    dataset: Dataset
    parts: Parts

    @property
    def retrieval(self) -> str:
        """Return the retrieval in words."""
        return retrieval(self.choices, self.parts.window)


def run(composed: DictConfig) -> int:
    """Evaluate one composed configuration and return the exit code."""
    require_retriever()
    plan = _plan(composed)
    target = console.console()
    for sentence in stores.ignored(os.environ):
        target.print(f"note: {sentence}")
    store = _store(plan.config)
    held = running(store, plan.config.run.name or plan.retrieval) if store else nullcontext("")
    with held as run_id:
        outcome = _outcome(plan, target)
        plan.dataset.assignment.write_lock()
        if store:
            write(store, run_id, record(outcome))
    _show(target, plan.config, outcome)
    _say_next(target, store, run_id)
    return _FAILED if outcome.evaluation.errors or outcome.evaluation.leaks else 0


def _plan(composed: DictConfig) -> Plan:
    """Check everything that the user wrote, before any work."""
    config = read(composed, EvaluationConfig)
    dataset = load(config.dataset)
    return Plan(composed, config, chosen(), dataset, build_parts(config, dataset.access))


def _store(config: EvaluationConfig) -> Store | None:
    if not config.tracking.enabled:
        return None
    location = stores.locate(config.tracking, os.environ)
    return stores.open_store(location, config.tracking.experiment)


def _outcome(plan: Plan, target: Console) -> Outcome:
    """Do the work: index, ask, score."""
    config, dev = plan.config, plan.dataset.dev
    benchmark = Benchmark(
        dev.golden.questions, dev.evidence, config.measures, config.judging.min_overlap
    )
    with console.progress(target) as steps:
        pipeline = Pipeline.build(plan.dataset.corpus, plan.parts, steps.begin)
        steps.expect(len(dev.golden))
        evaluation = evaluate(pipeline, benchmark, steps.advance)
        steps.begin("timing single questions")
        timed = latency.measure(pipeline, benchmark.asks, config.latency.sample, time.perf_counter)
    weak_cells = weak(evaluation.subsets, config.threshold.floors)
    return Outcome(
        header=_header(plan, evaluation),
        evaluation=evaluation,
        latency=timed,
        sheet=summary.sheet(evaluation, weak_cells, timed),
        params=parameters(plan.composed),
        config=OmegaConf.to_yaml(without_secrets(plan.composed)),
        sources={part: _source(config, part) for part in ("corpus", "questions")},
        digests={"corpus": plan.dataset.corpus.digest, "questions": dev.golden.digest},
        notes=config.run.notes,
    )


def _source(config: EvaluationConfig, part: str) -> str:
    node = config.dataset.corpus if part == "corpus" else config.dataset.golden
    return str(node.get("path", node["_target_"]))


def _header(plan: Plan, evaluation: Evaluation) -> Header:
    config, dataset = plan.config, plan.dataset
    judging = provenance.Judging(config.measures, config.judging.min_overlap)
    nodes = {
        "chunking": config.chunking,
        "retriever": config.retriever,
        "rewriting": config.rewriting,
    }
    copy = provenance.WorkingCopy.of(Path.cwd())
    return Header(
        dataset=config.dataset.name,
        split="dev",
        retrieval=plan.retrieval,
        documents=len(dataset.corpus),
        chunks=len(evaluation.chunks),
        benchmark=provenance.benchmark(dataset.corpus, dataset.dev.golden, dataset.access, judging),
        variant=provenance.variant(nodes, plan.parts.window),
        commit=copy.commit,
        dirty=copy.dirty,
        notes=(*dataset.notes, *notes(evaluation)),
    )


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


def _say_next(target: Console, store: Store | None, run_id: str) -> None:
    target.print()
    if store is None:
        target.print("not recorded (tracking=off)")
        return
    where = store.location
    target.print(f"run {run_id} in experiment {store.name} of {where.shown} ({where.why})")
    target.print(f"next: mlflow ui --backend-store-uri {where.shown}   to open and compare runs")
