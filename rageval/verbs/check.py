"""`check`: read a corpus and its golden set, tell every fault, retrieve nothing."""

from __future__ import annotations

from omegaconf import DictConfig

from rageval.config.loading import Dataset, load
from rageval.config.reading import read
from rageval.config.settings import CheckConfig
from rageval.report import console
from rageval.split import DEV, HOLDOUT
from rageval.subsets import members


def run(composed: DictConfig) -> int:
    """Check one dataset and return the exit code; nothing is written."""
    config = read(composed, CheckConfig)
    dataset = load(config.dataset)
    target = console.console()
    target.print(f"{config.dataset.name}: {len(dataset.corpus):,} documents, no fault found")
    for note in dataset.notes:
        target.print(f"note: {note}")
    console.show_counts(target, _counts(dataset))
    new = len(dataset.assignment.new)
    if new and dataset.assignment.lock:
        target.print(f"{new} questions are new to {dataset.assignment.lock}; a run will add them")
    target.print("next: python -m rageval +retriever=hybrid   with the same dataset=…")
    return 0


def _counts(dataset: Dataset) -> list[tuple[str, int, int]]:
    """Return how many questions each subset has on either side: subset, dev, holdout."""
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
