"""Evaluations and verdicts as Markdown: for a run's page in MLflow, and for pull requests."""

from __future__ import annotations

import html

from rageval.comparison.changes import Change, Turn
from rageval.escaping.characters import one_line
from rageval.escaping.markdown import escaped, table
from rageval.gate.verdict import Outcome, Verdict
from rageval.report import comparison as words
from rageval.report.header import Header
from rageval.report.summary import Sheet


def overview(header: Header, sheet: Sheet, words: str | None) -> str:
    """Return the header, the user's own words, the table of subsets and the lines below it."""
    parts = [
        f"**{escaped(header.title)}**",
        escaped(words) if words else None,
        f"{header.size} · {header.provenance}",
        *(f"Note: {escaped(note)}" for note in header.notes),
        subset_table(sheet),
        *(f"⚠ {row.subset}: {'; '.join(row.weak)}" for row in sheet.rows if row.weak),
        *sheet.side,
    ]
    return "\n\n".join(part for part in parts if part)


def subset_table(sheet: Sheet) -> str:
    """Return the table of subsets."""
    headings = ["subset", "n", *(measure.heading for measure in sheet.columns)]
    rows = [
        [
            escaped(row.subset),
            str(row.questions),
            *(
                f"**{cell}** ⚠" if column in row.weak_cells else cell
                for column, cell in enumerate(row.cells)
            ),
        ]
        for row in sheet.rows
    ]
    return table(headings, rows)


def verdict_page(verdict: Verdict) -> str:
    """Return a verdict as a comment for a pull request: outcome, limits, the questions lost."""
    first, *rest = words.verdict_lines(verdict)
    mark = {Outcome.PASSED: "✅", Outcome.FAILED: "❌", Outcome.INCONCLUSIVE: "⚠️"}[verdict.outcome]
    parts = [f"### {mark} {escaped(first)}", *map(escaped, rest)]
    if verdict.comparison is not None:
        parts += ["    " + "\n    ".join(map(one_line, words.overview(verdict.comparison)))]
        parts += map(lost, verdict.comparison.of(Turn.REGRESSED))
    return "\n\n".join(parts) + "\n"


def lost(change: Change) -> str:
    """Return a question that regressed, folded up."""
    found = words.told(change)
    name, question = (html.escape(one_line(text)) for text in (found.id, found.question))
    return (
        f"<details><summary><b>{name}</b> {question}</summary>"
        f"\n\n{escaped(found.values)}<br>{escaped(found.ranks)}<br>{escaped(found.diagnosis)}\n\n"
        "</details>"
    )
