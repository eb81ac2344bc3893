"""From a configuration to a measured outcome, and from there to a kept run.

`evaluate`, a gate that scores the champion anew, and the held-out check all go this way.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from rageval import provenance
from rageval.chunking import chunks
from rageval.chunking.chunks import Chunker, Chunks
from rageval.config.build import build_parts
from rageval.config.loading import Dataset, Side, load
from rageval.config.reading import parameters, read, without_secrets
from rageval.config.settings import EvaluationConfig
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.evaluation import latency
from rageval.evaluation.evaluation import Benchmark, Evaluation, Grounds, evaluate
from rageval.evaluation.latency import Latency
from rageval.fingerprint import digest
from rageval.pipeline import Parts, Pipeline
from rageval.report import console, summary
from rageval.report.header import Header
from rageval.report.outcome import Outcome
from rageval.report.wording import notes
from rageval.retrievers.retriever import require
from rageval.split import DEV
from rageval.stages.staged import StagedIndex, content_key, staged
from rageval.stages.store import CacheConfig, Stages
from rageval.thresholds import weak
from rageval.tracking import store as stores
from rageval.tracking.record import record
from rageval.tracking.run import running, write
from rageval.tracking.settings import TrackingConfig
from rageval.tracking.store import Store


@dataclass(frozen=True)
class Plan:
    """Everything that is known before the first question."""

    composed: DictConfig
    config: EvaluationConfig
    dataset: Dataset
    parts: Parts
    stages: Stages
    retrieval: str  # in words
    kind: str  # single | cell | rescore: what sort of run this is
    split: str = DEV  # the side whose questions are asked
    choices: Mapping[str, str] = field(default_factory=dict)  # group of conf/ → its file

    @classmethod
    def of(
        cls,
        composed: DictConfig,
        words: Callable[[Parts], str],
        kind: str,
        stages: Callable[[CacheConfig], Stages] = Stages,
    ) -> Plan:
        """Check everything that the user wrote, before any work.

        `stages` gives those of a sweep, or new ones.

        Raises
        ------
        InputError
            With every fault of the configuration, or of the data.
        """
        config = read(composed, EvaluationConfig)
        kept = stages(config.cache)
        node = OmegaConf.to_container(composed.dataset, resolve=True)
        dataset = kept.value("dataset", digest(node), lambda: load(config.dataset))
        parts = build_parts(config, dataset.access)
        require(parts.retriever)
        return cls(composed, config, dataset, parts, kept, words(parts), kind)

    @property
    def side(self) -> Side:
        """Return the questions that are scored."""
        return self.dataset.dev if self.split == DEV else self.dataset.holdout

    @cached_property
    def benchmark(self) -> str:
        """Return the fingerprint of what retrieval is held against."""
        judging = provenance.Judging(self.config.measures, self.config.judging.min_overlap)
        return provenance.benchmark(
            self.dataset.corpus, self.side.golden, self.dataset.access, judging
        )

    def staged_parts(self) -> Parts:
        """Return the parts with a retriever that computes each stage once."""
        node, source = self.config.retriever, self.variant.sources
        if self.stages.config.kind == "off":
            return self.parts
        return replace(
            self.parts, retriever=staged(self.parts.retriever, node, source, self.stages)
        )

    def cut(self, corpus: Corpus, chunker: Chunker) -> Chunks:
        """Return the corpus cut into chunks, once for each chunking."""
        key = digest([corpus.digest, self.variant.chunking])
        return self.stages.value("chunks", key, lambda: chunks.cut(corpus, chunker))

    def grounds(self, benchmark: Benchmark, chunks: Chunks) -> Grounds:
        """Return the labels held against the chunks, once for each chunking."""
        key = digest([self.benchmark, content_key(chunks)])
        return self.stages.value(
            "qrels", key, lambda: Grounds.of(benchmark, chunks, self.dataset.access)
        )

    @cached_property
    def variant(self) -> provenance.Variant:
        """Return what names the retrieval."""
        kept = without_secrets(self.composed)  # a new secret makes no new retrieval
        nodes: dict[str, Any] = {
            name: OmegaConf.to_container(kept[name], resolve=True)
            for name in ("chunking", "retriever", "rewriting")
        }
        return provenance.Variant.of(nodes, self.parts.window)


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
    return stores.open_store(stores.locate(config, os.environ), config.experiment)


def _say_ignored(target: Console) -> None:
    for sentence in stores.ignored(os.environ):
        target.print(f"note: {sentence}")


def require_tracking(config: TrackingConfig, target: Console) -> Store:
    """Open the tracking store of a verb that reads it; nothing is made.

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
        raise InputError("tracking=off: this verb reads the tracking store, it cannot do without")
    _say_ignored(target)
    return stores.open_store(stores.locate(config, os.environ), config.experiment, make=False)


def measure(plan: Plan, target: Console) -> Outcome:
    """Do the work: index, ask, score."""
    config, side = plan.config, plan.side
    benchmark = Benchmark(
        side.golden.questions, side.evidence, config.measures, config.judging.min_overlap
    )
    with console.progress(target) as steps:
        corpus, parts = plan.dataset.corpus, plan.staged_parts()
        pipeline = Pipeline.build(corpus, parts, steps.begin, plan.cut)
        steps.expect(len(side.golden))
        grounds = plan.grounds(benchmark, pipeline.chunks)
        evaluation = evaluate(pipeline, benchmark, steps.advance, grounds)
        steps.begin("timing single questions")
        timed = _timed(plan, pipeline, benchmark)
    weak_cells = weak(evaluation.subsets, config.threshold.floors)
    return Outcome(
        header=_header(plan, evaluation),
        evaluation=evaluation,
        latency=timed,
        sheet=summary.sheet(evaluation, weak_cells, timed),
        params={**_chosen(plan.choices), **parameters(plan.composed)},
        config=OmegaConf.to_yaml(without_secrets(plan.composed)),
        sources={part: _source(config, part) for part in ("corpus", "questions")},
        digests={"corpus": plan.dataset.corpus.digest, "questions": side.golden.digest},
        notes=config.run.notes,
        kind=plan.kind,
    )


def _timed(plan: Plan, pipeline: Pipeline, benchmark: Benchmark) -> Latency | None:
    """Time the pipeline, or return what was recorded for an equal one in this process."""
    sample = plan.config.latency.sample

    def compute() -> Latency | None:
        return latency.measure(pipeline.direct, benchmark.asks, sample, time.perf_counter)

    index = pipeline.index
    if not isinstance(index, StagedIndex):
        return compute()
    key = digest([index.key, sample, plan.benchmark, plan.parts.window.depth])
    return plan.stages.value("latency", key, compute)


def measure_and_keep(
    plan: Plan, store: Store | None, target: Console, parent: str = ""
) -> tuple[Outcome, str]:
    """Do the work inside a run of its own; return what came of it and the run's id, or "".

    `parent` is the run of the sweep that it is a cell of.
    """
    name = plan.config.run.name or plan.retrieval
    held = running(store, name, parent) if store else nullcontext("")
    with held as run:
        outcome = measure(plan, target)
        plan.dataset.assignment.write_lock()
        if store:
            write(store, run, record(outcome))
    return outcome, run


def _chosen(choices: Mapping[str, str]) -> dict[str, str]:
    """Return the files of conf/ that were chosen as parameters, Hydra's own left out."""
    return {
        re.sub(r"[^\w./ -]", "-", group): name
        for group, name in choices.items()
        if not group.startswith("hydra/")
    }


def _source(config: EvaluationConfig, part: str) -> str:
    node = config.dataset.corpus if part == "corpus" else config.dataset.golden
    return str(node.get("path", node["_target_"]))


def _header(plan: Plan, evaluation: Evaluation) -> Header:
    copy = provenance.WorkingCopy.of(Path.cwd())
    return Header(
        dataset=plan.config.dataset.name,
        split=plan.split,
        retrieval=plan.retrieval,
        documents=len(plan.dataset.corpus),
        chunks=len(evaluation.chunks),
        benchmark=plan.benchmark,
        variant=plan.variant,
        commit=copy.commit,
        dirty=copy.dirty,
        notes=(*plan.dataset.notes, *notes(evaluation)),
    )
