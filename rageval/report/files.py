"""Runs, comparisons and sweeps as Markdown, JUnit XML and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired
from rageval.comparison.result import Result
from rageval.comparison.table import Table
from rageval.escaping.markdown import escaped
from rageval.escaping.markdown import table as markdown_table
from rageval.measures.catalogue import headlines
from rageval.report import certainty, junit
from rageval.report.data import comparison_facts, run_facts, table_facts


def run_file(result: Result, form: str) -> str:
    """Return a run as `markdown`, `junit` or `json`."""
    ways: dict[str, Callable[[], str]] = {
        "markdown": lambda: _run_markdown(result),
        "junit": lambda: junit.run_junit(result),
        "json": lambda: _json(run_facts(result)),
    }
    return ways[form]()


def comparison_file(comparison: Comparison, found: dict[str, Paired], form: str) -> str:
    """Return a comparison as `markdown`, `junit` or `json`."""
    ways: dict[str, Callable[[], str]] = {
        "markdown": lambda: certainty.page(comparison, found),
        "junit": lambda: junit.comparison_junit(comparison),
        "json": lambda: _json(comparison_facts(comparison, found)),
    }
    return ways[form]()


def sweep_file(tables: Mapping[str, Table], form: str) -> str:
    """Return a sweep, given its tables by name, as `markdown`, `junit` or `json`."""
    ways: dict[str, Callable[[], str]] = {
        "markdown": lambda: _sweep_markdown(tables),
        "junit": lambda: junit.sweep_junit(tables["leaderboard"], tables["failures"]),
        "json": lambda: _json({name: table_facts(table) for name, table in tables.items()}),
    }
    return ways[form]()


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _run_markdown(result: Result) -> str:
    names = headlines(result.measures)
    rows = []
    for subset in result.subsets:
        found = result.summaries(subset)
        values = [f"{found[name].value:.2f}" if name in found else "–" for name in names]
        rows.append([escaped(subset), str(len(result.inside(subset))), *values])
    missed = [row for row in result.rows.values() if not row.found]
    lines = [
        f"- {escaped(row.id)}: {escaped(row.text)} — {escaped(row.diagnosis)}" for row in missed
    ]
    parts = [
        f"**{escaped(f'{result.dataset} ({result.split}) · {result.name}')}**",
        f"run {result.run} · errors {result.errors} · leaks {result.leaks}",
        markdown_table(["subset", "n", *names], rows),
        f"{len(missed)} of {len(result.rows)} questions without anything that was looked for:",
        "\n".join(lines),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sweep_markdown(tables: Mapping[str, Table]) -> str:
    parts = []
    for name, table in tables.items():
        if table.data:
            rows = [[escaped(_shown(cell)) for cell in row] for row in table.data]
            parts += [f"## {name.replace('_', ' ')}", markdown_table(list(table.columns), rows)]
    return "\n\n".join(parts) + "\n"


def _shown(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
