"""Whether a kept result contradicts itself.

Its questions must be those of its benchmark, its measures must follow from its ranks, and its
metrics from its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from rageval.comparison.result import QuestionLabels, Result, Row
from rageval.evaluation.provenance.benchmark import fingerprint
from rageval.evaluation.subsets import subsets_of
from rageval.golden.question import Answerable, Question, label_digest
from rageval.measures.catalogue import hit_rates, kind_and_cutoff
from rageval.schema.fingerprint import digest
from rageval.schema.names import subset_and_measure

_CLOSE = 1e-9  # a metric is the mean of its column up to rounding
_NOT_OF_THE_TABLE = {"n", "errors", "leaks", "window_characters"}


def inconsistency(result: Result, facts: Mapping[str, Any], metrics: Mapping[str, float]) -> str:
    """Return the first thing that does not follow, as a clause; empty if everything does.

    `facts` name the benchmark (see `rageval.evaluation.provenance.benchmark`), `metrics` are those
    that were logged with the result. Tables of schema 1 hold too little to be checked and are left
    alone.
    """
    if any(row.labelled is None for row in result.rows.values()):
        return ""
    return next(_faults(result, facts, metrics), "")


def _faults(
    result: Result, facts: Mapping[str, Any], metrics: Mapping[str, float]
) -> Iterator[str]:
    if fingerprint(facts) != result.benchmark:
        yield "its provenance.json does not name its benchmark"
    groups = facts.get("groups") or {}
    for row in result.rows.values():
        yield from _of_question(row, groups)
    if digest(sorted(row.labels for row in result.rows.values())) != facts.get("labels"):
        yield f"its table holds {len(result.rows)} questions that are not those of its benchmark"
    for row in result.rows.values():
        yield from _of_measures(row)
    yield from _of_metrics(result, metrics)


def _of_question(row: Row, groups: Mapping[str, list[str]]) -> Iterator[str]:
    labelled = row.labelled
    if labelled is None:
        return
    named = {
        "id": row.id,
        "text": row.text,
        "form": labelled.form,
        "hard_class": labelled.hard_class,
        "tags": labelled.tags,
        "asker": labelled.asker,
        "answerable": labelled.answerable,
        "group": row.group,
    }
    if label_digest(named, labelled.label) != row.labels:
        yield f"the text or the labels of question {row.id!r} are not those that were scored"
    expected = subsets_of(_question(row, labelled), frozenset(groups.get(labelled.asker or "", ())))
    if frozenset(row.subsets) != expected:
        yield f"the subsets of question {row.id!r} are not those of its labels"


def _question(row: Row, labelled: QuestionLabels) -> Question:
    return Question(
        row.id,
        row.text,
        form=labelled.form,
        hard_class=labelled.hard_class,
        tags=labelled.tags,
        asker=labelled.asker,
        answerable=Answerable(labelled.answerable),
    )


def _of_measures(row: Row) -> Iterator[str]:
    """Hold the target's rank against the documents, and what a rank decides against that rank."""
    if row.labelled is None:
        return
    shown = [rank for rank, name in enumerate(row.documents, 1) if name in row.labelled.targets]
    beyond = row.ranks["target"] is None or row.ranks["target"] > len(row.documents)
    if shown and row.ranks["target"] != shown[0] or not shown and not beyond:
        yield f"the target rank of question {row.id!r} is not that of its documents"
    for name, expected in _decided(row, row.labelled.answerable):
        if row.exact(name) != expected:
            value = row.values.get(name)
            yield f"{name} of question {row.id!r} is {value}, which its ranks contradict"


def _decided(row: Row, answerable: str) -> Iterator[tuple[str, Fraction | None]]:
    """Yield each measure that ranks decide, with its value; None where it does not apply."""
    target, evidence = row.ranks["target"], row.ranks["evidence"]
    counts = answerable == Answerable.YES.value
    for name in hit_rates(row.values):
        _, k = kind_and_cutoff(name) or ("", 0)
        if counts:
            yield name, Fraction(target is not None and target <= k)
        elif answerable == Answerable.NO.value:
            yield name, Fraction(not row.documents and not row.failed)
        else:
            yield name, None
    yield "recall", Fraction(evidence is not None) if counts else None
    yield "mrr", (Fraction(1, evidence) if evidence else Fraction(0)) if counts else None
    if (answerable == Answerable.DENIED.value) != (row.values.get("denied_pass") is not None):
        yield "denied_pass", Fraction(2)


def _of_metrics(result: Result, metrics: Mapping[str, float]) -> Iterator[str]:
    """Hold every metric of a subset against the mean of its column."""
    sizes = {
        subset: len(result.inside(subset))
        for subset in {name for row in result.rows.values() for name in row.subsets}
    }
    for key, value in metrics.items():
        subset, measure = subset_and_measure(key)
        if subset not in sizes:
            continue
        found = _mean(result, subset, measure, sizes[subset])
        if found is not None and abs(found - value) > _CLOSE:
            yield f"its metric {key} is {value:g}, and its table gives {found:g}"
    if metrics and metrics.get("all/n") != len(result.rows):
        yield f"its metric all/n is not the {len(result.rows)} questions of its table"


def _mean(result: Result, subset: str, measure: str, size: int) -> float | None:
    if measure in _NOT_OF_THE_TABLE:
        return {"n": float(size), "errors": float(result.errors), "leaks": float(result.leaks)}.get(
            measure
        )
    mean = result.mean(subset, measure)
    return float(mean[0] / mean[1]) if mean else float("inf")
