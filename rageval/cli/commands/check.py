"""`check`: read a corpus and its golden set, tell every fault and doubt, retrieve nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.text import Text

from rageval.config.build import build
from rageval.config.commands import CheckConfig, StoreCheckConfig
from rageval.config.earlier import other_state
from rageval.config.loading import Dataset, load
from rageval.config.next_command import next_command
from rageval.config.reading import read, read_part
from rageval.errors import InputError, NoVerdictError
from rageval.evaluation.subsets import members
from rageval.experiment.workflow import require_tracking
from rageval.formats.exporter import Exporter
from rageval.formats.files import write_text
from rageval.golden.changes import Changes, changes
from rageval.judging.labelled import Labelled
from rageval.judging.leakage import leakage
from rageval.judging.warnings import Doubt, doubts
from rageval.registry.health import health
from rageval.report import console
from rageval.report.answer import answer
from rageval.split.split import DEV, HOLDOUT
from rageval.tracking.outbox import folders

_Counts = list[tuple[str, int, int]]  # subset, questions on the dev side, on the holdout side


@dataclass(frozen=True)
class Findings:
    """What a check found in a set without faults."""

    dataset: Dataset
    counts: _Counts
    doubts: Sequence[Doubt]
    changes: Changes | None  # None: nothing to compare with was named
    losses: Sequence[str]  # what an export could not keep


def run(composed: DictConfig) -> int:
    """Check one dataset and return the exit code; only what is asked for is written."""
    if OmegaConf.select(composed, "check.store") is True:
        return _check_store(read_part(composed, StoreCheckConfig))
    config = read(composed, CheckConfig)
    exporter: Exporter = build(config.export, "export")
    try:
        found = _findings(config, exporter)
    except InputError as fault:
        _write(config, {"faults": str(fault).splitlines()})
        raise
    _write(config, _report(config, found))
    answer("no fault found", **_report(config, found))
    _show(console.console(), config, found)
    return 0


def _check_store(config: StoreCheckConfig) -> int:
    """Read everything in the tracking store as a gate would, and return the exit code."""
    target = console.console()
    # Every experiment is looked at; the one that each store of MLflow's has opens it.
    store = require_tracking(config.tracking.model_copy(update={"experiment": "Default"}), target)
    found = health(store, config.registry.alias)
    waiting = len(folders(store.location.outbox))
    if found.faults:
        raise NoVerdictError("\n".join(found.faults))
    answer(
        "no fault found",
        store=store.location.shown,
        runs=found.runs,
        models=found.models,
        unfinished=found.unfinished,
        waiting=waiting,
    )
    target.print(
        f"{store.location.shown}: {_counted(found.runs, 'run')} and "
        f"{_counted(found.models, 'model')} with promotions, no fault found; "
        f"{_counted(found.unfinished, 'run')} unfinished"
    )
    if waiting:
        target.print(f"{_counted(waiting, 'result')} not delivered yet")
    more = next_command("sync") if waiting else next_command("evaluate", "+retriever=hybrid")
    console.say(target, f"next: {more}")
    return 0


def _findings(config: CheckConfig, exporter: Exporter) -> Findings:
    dataset = load(config.dataset)
    golden, options = dataset.golden, config.check
    labelled = Labelled(golden, dataset.evidence, dataset.corpus, dataset.access)
    other = options.against and other_state(config.dataset.golden, options.against, dataset.corpus)
    return Findings(
        dataset=dataset,
        counts=_counts(dataset),
        doubts=_doubts(labelled, dataset, options.near),
        changes=changes(other, golden) if other else None,
        losses=exporter.write(labelled),
    )


def _doubts(labelled: Labelled, dataset: Dataset, near: float | None) -> list[Doubt]:
    assignment = dataset.assignment
    return [
        *leakage(labelled, assignment.sides, assignment.bridging, near),
        *doubts(labelled, near),
    ]


def _counts(dataset: Dataset) -> _Counts:
    """Return how many questions each subset has on either side."""
    inside = members(dataset.golden.questions, dataset.access.groups)
    sides = [dataset.assignment.sides[question.id] for question in dataset.golden]
    return [
        (
            subset,
            sum(1 for side, here in zip(sides, rows, strict=True) if here and side == DEV),
            sum(1 for side, here in zip(sides, rows, strict=True) if here and side == HOLDOUT),
        )
        for subset, rows in inside.items()
    ]


def _show(target: Console, config: CheckConfig, found: Findings) -> None:
    dataset = found.dataset
    documents = _counted(len(dataset.corpus), "document")
    target.print(f"{config.dataset.name}: {documents}, no fault found")
    _lines(target, "note: ", dataset.notes)
    console.show_counts(target, found.counts)
    if found.doubts:
        target.print(Text("\n" + _counted(len(found.doubts), "warning"), style="yellow"))
        _lines(target, "  ", map(str, found.doubts))
    if found.changes is not None:
        target.print(f"\nchanges since {config.check.against}:")
        _lines(target, "  ", list(found.changes.lines()) or ["none"])
    _show_written(target, config, found)
    new = len(dataset.assignment.new)
    if new and dataset.assignment.lock:
        told = f"{_counted(new, 'question')} {'is' if new == 1 else 'are'} new to"
        them = "it" if new == 1 else "them"
        target.print(f"{told} {dataset.assignment.lock}; a run will add {them}")
    console.say(target, f"next: {next_command('evaluate', '+retriever=hybrid')}")


def _show_written(target: Console, config: CheckConfig, found: Findings) -> None:
    path = config.export.get("path")
    if path:
        target.print(f"\nexported to {path}" + ("; not all could be kept:" if found.losses else ""))
        _lines(target, "  ", found.losses)
    if config.check.json_path:
        target.print(f"written to {config.check.json_path}")


def _lines(target: Console, before: str, lines: Iterable[str]) -> None:
    for line in lines:
        target.print(Text(f"{before}{line}"), soft_wrap=True)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _report(config: CheckConfig, found: Findings) -> dict[str, Any]:
    dataset = found.dataset
    return {
        "dataset": config.dataset.name,
        "set": dataset.golden.name,
        "digests": {"corpus": dataset.corpus.digest, "questions": dataset.golden.digest},
        "documents": len(dataset.corpus),
        "faults": [],
        "notes": list(dataset.notes),
        "subsets": {name: {"dev": dev, "holdout": held} for name, dev, held in found.counts},
        "warnings": [
            {
                "question": d.question.id,
                "where": d.question.where,
                "kind": d.kind,
                "says": d.sentence,
            }
            for d in found.doubts
        ],
        "changes": None if found.changes is None else asdict(found.changes),
        "not_exported": list(found.losses),
    }


def _write(config: CheckConfig, content: dict[str, Any]) -> None:
    if config.check.json_path:
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        write_text(Path(config.check.json_path), text)
