"""Runs, comparisons and sweeps as data: what JSON files and `output.format=json` hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rageval.comparison.changes import Change, Comparison
from rageval.comparison.paired import Paired
from rageval.comparison.result import Result, Row
from rageval.comparison.table import Table
from rageval.report.certainty import lines

SCHEMA = 1  # the form of these documents


def run_facts(result: Result, questions: bool = True) -> dict[str, Any]:
    """Return what a run measured.

    Parameters
    ----------
    result
        What the run kept.
    questions
        Whether every question is listed, too.
    """
    listed = {"questions": [_question(row) for row in result.rows.values()]} if questions else {}
    return {
        "schema": SCHEMA,
        **_named(result),
        "set": result.dataset,
        "split": result.split,
        "errors": result.errors,
        "leaks": result.leaks,
        "subsets": {
            name: {
                "questions": len(result.inside(name)),
                "measures": {
                    measure: {"n": s.n, "value": s.value, "low": s.low, "high": s.high}
                    for measure, s in result.summaries(name).items()
                },
            }
            for name in result.subsets
        },
        **listed,
    }


def comparison_facts(comparison: Comparison, found: Mapping[str, Paired]) -> dict[str, Any]:
    """Return two runs paired by question, with the statistics of the headline measures."""
    return {
        "schema": SCHEMA,
        "before": _named(comparison.before),
        "after": _named(comparison.after),
        "net": comparison.net,
        "statistics": {
            name: {
                "n": paired.n,
                "groups": paired.groups,
                "difference": paired.difference,
                "low": paired.low,
                "high": paired.high,
                "p_two_sided": paired.either,
                "p_worse": paired.worse,
            }
            for name, paired in found.items()
        },
        "sentences": lines(dict(found)),
        "questions": [_change(change) for change in comparison.changes],
        "added": list(comparison.added),
        "removed": list(comparison.removed),
        "relabelled": list(comparison.relabelled),
    }


def table_facts(table: Table) -> list[dict[str, Any]]:
    """Return a table as a list of its rows, each a mapping from column to value."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.data]


def _named(result: Result) -> dict[str, str]:
    return {
        "run": result.run,
        "retrieval": result.name,
        "benchmark": result.benchmark,
        "variant": result.variant,
    }


def _question(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "question": row.text,
        "subsets": list(row.subsets),
        "values": dict(row.values),
        "ranks": dict(row.ranks),
        "documents": list(row.documents),
        "diagnosis": row.diagnosis,
        "failed": row.failed,
        "leaks": row.leaks,
    }


def _change(change: Change) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "id": after.id,
        "question": after.text,
        "change": change.turn.value,
        "before": {"values": dict(before.values), "ranks": dict(before.ranks)},
        "after": {"values": dict(after.values), "ranks": dict(after.ranks)},
        "diagnosis": after.diagnosis,
    }
