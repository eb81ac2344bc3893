"""`score`: hold a run file against judgements, by id, and log it like any other run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.text import Text

from rageval.cli.commands.evaluate import afterwards, require_store, say_where, tell_programs
from rageval.config.commands import ScoreConfig
from rageval.config.reading import plain, read
from rageval.experiment.plan import Plan
from rageval.experiment.workflow import introduce_set, measure_and_keep, open_tracking
from rageval.formats.trec.run import read_run
from rageval.measures.standard import Standard, parse
from rageval.report import console
from rageval.report.outcome import Outcome
from rageval.tracking.reading import SINGLE

_K = 10  # documents that count as the window
_TREC = "rageval.formats.trec"


def run(composed: DictConfig) -> int:
    """Score one run file and return the exit code."""
    config = read(composed, ScoreConfig)
    depth = _longest(config.run)
    tree = OmegaConf.create(_evaluation(config, depth))
    shown = config.name or Path(config.run).name
    plan = Plan.of(plain(tree), lambda _: shown, SINGLE)
    require_store(plan)
    target = console.console()
    store = open_tracking(plan.config.tracking, target)
    if store is not None:
        introduce_set(plan, store, target)
    outcome, run_id = measure_and_keep(plan, store, target)
    _show(target, config, outcome)
    say_where(target, store, run_id)
    tell_programs(outcome, store, run_id)
    return afterwards(plan, store, run_id, target)


def _longest(path: str) -> int:
    """Return how many documents the longest ranking of a run holds."""
    found = read_run(Path(path))
    counts: dict[int, int] = {}
    for query in found.query.tolist():
        counts[query] = counts.get(query, 0) + 1
    return max(counts.values())


def _evaluation(config: ScoreConfig, depth: int) -> dict[str, Any]:
    """Return the evaluation that a scoring is: of a corpus of ids, one chunk a document."""
    taken = config.model_dump(mode="json", by_alias=True)
    dataset, files = taken["dataset"], {"run": config.run, "qrels": config.qrels}
    return {
        **{key: taken[key] for key in ("threshold", "tracking", "cache", "gate", "registry")},
        **_PARTS,
        "dataset": {
            "name": dataset["name"],
            "languages": [],
            "corpus": {"_target_": f"{_TREC}.ids.RunDocuments", **files, **dataset["corpus"]},
            "golden": {
                "_target_": f"{_TREC}.ids.JudgedQueries",
                "path": config.qrels,
                "run": config.run,
                "relevant_from": dataset["relevant_from"],
                "name": dataset["name"],
            },
            "access": {"_target_": "rageval.golden.access.PublicOnly"},
            "split": {"_target_": "rageval.split.split.Split", "holdout": False},
        },
        "retriever": {"_target_": f"{_TREC}.rankings.Rankings", "run": config.run},
        "window": {"k": _K, "min_score": None, "per_document": None, "depth": max(depth, _K)},
        "measures": {"hit_at": [1, 3], "ndcg_at": _K, "standard": list(config.measures)},
        "run": {"name": config.name, "notes": config.notes},
        "secrets": dict(config.secrets),
    }


_ANALYSER = {"_target_": "rageval.retrieval.analysis.Analyser", "languages": []}
# What an evaluation has and a scoring makes no use of.
_PARTS: Mapping[str, Any] = {
    "chunking": {"_target_": "rageval.chunking.whole.WholeDocument"},
    "analyser": _ANALYSER,
    "encoder": {"_target_": "rageval.retrieval.encoders.lsa.Lsa", "analyser": _ANALYSER},
    "rewriting": {"_target_": "rageval.retrieval.rewriting.JoinTurns", "turns": 0},
    "variant": {"tag": None},
    "judging": {"min_overlap": 0.5},
    "latency": {"sample": 0},
    "sweep": {"resume": True, "on_error": "continue", "dry_run": False, "objective": None},
    "output": {"questions": "none", "rows": 0},
    "register": False,
}


def _show(target: Console, config: ScoreConfig, outcome: Outcome) -> None:
    header, queries = outcome.header, len(outcome.evaluation.questions)
    target.print(Text(f"{config.run} against {config.qrels}", style="bold"))
    target.print(f"{queries:,} judged queries · {header.provenance}")
    for note in header.notes:
        if "documents that measures look at" not in note:  # a run is as long as it is
            target.print(Text(f"note: {note}", style="dim"), soft_wrap=True)
    target.print()
    measures = [parse(name) for name in config.measures]
    values = {measure.name: _values(outcome, measure) for measure in measures}
    if config.per_query:
        for query in sorted(outcome.evaluation.questions, key=lambda q: q.id.encode()):
            for measure in measures:
                target.print(_row(measure, query.id, values[measure.name][query.id]))
    for measure in measures:
        found = values[measure.name]
        target.print(_row(measure, "all", sum(found.values()) / len(found)))


def _row(measure: Standard, query: str, value: float) -> Text:
    return Text(f"{measure.name:<16}{query}\t{value:.4f}")


def _values(outcome: Outcome, measure: Standard) -> dict[str, float]:
    """Return one value a query, in the order in which trec_eval adds them: by id."""
    evaluation = outcome.evaluation
    column = evaluation.values[measure.key].value.tolist()
    pairs = zip((question.id for question in evaluation.questions), column, strict=True)
    return dict(sorted(pairs, key=lambda pair: pair[0].encode()))
