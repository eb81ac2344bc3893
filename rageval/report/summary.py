"""The table of subsets and the lines below it, before anybody lays them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rageval.evaluation.diagnosis import Cause
from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.latency import Latency
from rageval.evaluation.subsets import ALL, Summary
from rageval.measures.measure import Measure


@dataclass(frozen=True)
class Row:
    """One subset's line."""

    subset: str
    questions: int
    cells: tuple[str, ...]  # one a column
    weak: tuple[str, ...]  # why it is weak, a reason for each weak cell
    weak_cells: frozenset[int]  # columns


@dataclass(frozen=True)
class Sheet:
    """A table with what stands below it."""

    columns: tuple[Measure, ...]
    rows: tuple[Row, ...]
    side: tuple[str, ...]  # sentences


def sheet(
    evaluation: Evaluation, weak: Mapping[tuple[str, str], str], latency: Latency | None
) -> Sheet:
    """Lay an evaluation out: `all` first, GAP right below it, weak rows with their reasons."""
    measures = evaluation.measures
    columns = tuple(m for m in measures if m.in_table)
    rows = tuple(_row(evaluation, subset, columns, weak) for subset in evaluation.subsets)
    return Sheet(columns, rows, _side(evaluation, measures, latency))


def _row(
    evaluation: Evaluation,
    subset: str,
    columns: tuple[Measure, ...],
    weak: Mapping[tuple[str, str], str],
) -> Row:
    summaries = evaluation.subsets[subset]
    cells = tuple(_cell(measure, summaries[measure.name]) for measure in columns)
    reasons = tuple(
        f"{measure.heading} {weak[subset, measure.name]}"
        for measure in columns
        if (subset, measure.name) in weak
    )
    marked = frozenset(i for i, m in enumerate(columns) if (subset, m.name) in weak)
    return Row(subset, evaluation.sizes[subset], cells, reasons, marked)


def _cell(measure: Measure, summary: Summary) -> str:
    """Return a value with two digits, or a count of what should not happen; `–` where n = 0."""
    if summary.value is None:
        return "–"
    if measure.lower_is_better:
        return str(round(summary.value * summary.n))
    return f"{summary.value:.2f}"


def _side(
    evaluation: Evaluation, measures: tuple[Measure, ...], latency: Latency | None
) -> tuple[str, ...]:
    whole = evaluation.subsets[ALL]
    values = [
        f"{m.heading} {whole[m.name].value:.2f} (n {whole[m.name].n})"
        for m in measures
        if not m.in_table and whole[m.name].value is not None
    ]
    lines = [_counted(evaluation), " · ".join(values)] if values else []
    counts = f"errors {evaluation.errors} · leaks {evaluation.leaks}"
    if latency:
        counts += (
            f" · latency p50 {latency.percentile(50):.1f} ms, p95 {latency.percentile(95):.1f} ms"
            f" (n {len(latency.seconds)})"
        )
    return (*lines, counts)


def _counted(evaluation: Evaluation) -> str:
    """Say over how many questions the means of the first line are taken."""
    whole, n = evaluation.subsets[ALL], evaluation.sizes[ALL]
    hits = whole[evaluation.benchmark.cutoffs.hits[0]].n
    window = whole["recall"].n
    left = "" if hits == window == n else "; the others have no answer, or a denied one"
    return f"of {n} questions {hits} count in the hit rates, {window} in the window measures{left}"


def worst(evaluation: Evaluation) -> list[int]:
    """Return the rows of questions that did not go well, the worst first.

    Failures first, then what missed its target altogether, then by rank.
    """
    well = {Cause.FOUND, Cause.SILENT, Cause.WITHHELD}
    key = evaluation.benchmark.cutoffs.hits[-1]
    rows = [
        row
        for row in range(len(evaluation.questions))
        if evaluation.diagnoses[row].cause not in well or evaluation.values[key].at(row) == 0
    ]
    rows.sort(key=lambda row: (_hope(evaluation, row), row))
    return rows


def _hope(evaluation: Evaluation, row: int) -> tuple[bool, float, float]:
    """Return what sorts the hopeless first."""
    return (
        not evaluation.retrieved.failed[row],
        evaluation.values["recall"].at(row) or 0.0,
        evaluation.values["mrr"].at(row) or 0.0,
    )


def window_characters(evaluation: Evaluation) -> float:
    """Return how many characters a window holds, on average."""
    chunks, shown = evaluation.chunks, evaluation.retrieved.window
    lengths = np.append(chunks.end - chunks.start, 0)  # the last place is that of −1, no chunk
    return float(lengths[shown].sum(axis=1).mean())
