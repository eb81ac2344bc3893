"""`evaluate`: compose, chunk, index, retrieve, judge, score, and log one MLflow run."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console

from rageval.config.build import build_parts
from rageval.config.choices import choices, require_retriever
from rageval.config.reading import parameters, read
from rageval.config.settings import EvaluationConfig
from rageval.evaluation import latency
from rageval.evaluation.evaluation import Benchmark, Evaluation, evaluate
from rageval.evaluation.latency import Latency
from rageval.pipeline import Parts, Pipeline
from rageval.provenance import WorkingCopy
from rageval.report import console, summary
from rageval.report.header import Header
from rageval.thresholds import weak
from rageval.tracking import store as stores
from rageval.tracking.record import Outcome, record
from rageval.tracking.run import running, write
from rageval.verbs.dataset import Loaded, load

_FAILED = 1  # a leak, or questions on which the retriever failed


@dataclass(frozen=True)
class _Plan:
    """Everything that is known before the first question."""

    config: EvaluationConfig
    params: Mapping[str, str]
    choices: Mapping[str, str]
    loaded: Loaded
    parts: Parts
    variant: str


def run(composed: DictConfig) -> int:
    """Evaluate one composed configuration and return the exit code."""
    require_retriever()
    plan = _plan(composed)
    target = console.console()
    for sentence in stores.ignored(os.environ):
        target.print(f"note: {sentence}")
    store = _open(plan.config)
    name = plan.config.run.name or plan.loaded.retrieval(plan.choices, plan.config)
    held = running(store, name, _first_tags(plan)) if store else nullcontext("")
    with held as run_id:
        outcome = _evaluate(plan, target)
        if store:
            write(store, run_id, record(outcome))
    _show(target, outcome)
    _show_place(target, store, run_id)
    return _FAILED if outcome.evaluation.errors or outcome.evaluation.leaks else 0
