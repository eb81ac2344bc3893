"""Runs side by side as a page: every question, what changed, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rageval.comparison.changes import Change, Comparison
from rageval.comparison.paired import Paired, signed
from rageval.comparison.result import Result, Row
from rageval.report import html
from rageval.report.certainty import lines, short
from rageval.report.comparison import overview, subsets

_SURE = 0.05  # p below which chance is a poor explanation
Pairs = Sequence[tuple[Comparison, Mapping[str, Paired]]]


def comparison_page(pairs: Pairs) -> dict[str, bytes]:
    """Return the page of one run beside others as files; see `rageval.report.html.page`.

    Parameters
    ----------
    pairs
        The baseline with each other run, and how sure the difference of each headline measure is;
        the baseline is the same in all of them.
    """
    first = pairs[0][0]
    runs = [first.before, *(comparison.after for comparison, _ in pairs)]
    names = [run.name for run in runs]
    shown = {
        "runs": runs,
        "pairs": [_told(comparison, dict(found)) for comparison, found in pairs],
        "subsets": [
            {"title": f"{names[0]} → {comparison.after.name}", "table": subsets(comparison)}
            for comparison, _ in pairs
        ],
    }
    head = {
        "runs": [{"run": run.run, "name": run.name} for run in runs],
        "measures": list(first.before.measures),
        "subsets": first.subsets,
    }
    title = " → ".join(names) if len(names) == 2 else f"{names[0]} and {len(names) - 1} others"
    return html.page("comparison", title, shown, head, _rows(runs, [pair[0] for pair in pairs]))


def _told(comparison: Comparison, found: dict[str, Paired]) -> dict[str, Any]:
    table = short(comparison, found)
    return {
        "title": f"{comparison.before.name} → {comparison.after.name}",
        "overview": list(overview(comparison))[1:],
        "words": [in_words(name, paired) for name, paired in found.items()],
        "columns": table.columns,
        "rows": table.data,
        "lines": lines(found),
    }


def in_words(measure: str, found: Paired) -> str:
    """Say what a difference means.

    Examples
    --------
    >>> in_words("mrr", Paired(85, 85, -0.12, -0.2, -0.03, 0.0, 0.0, True)).partition(": ")[2]
    'chance alone hardly explains it (p 0.000)'
    >>> in_words("mrr", Paired(85, 85, 0.01, -0.02, 0.05, 0.7, 0.61, True))
    'mrr rose by 0.010 [−0.020, +0.050] over 85 questions: chance alone may explain it (p 0.610)'
    >>> in_words("mrr", Paired(85, 85, 0.0, 0.0, 0.0, 1.0, 1.0, True))
    'mrr did not change over 85 questions'
    """
    if found.difference == 0 and found.low == found.high == 0:
        return f"{measure} did not change over {found.n} questions"
    turn = "rose" if found.difference > 0 else "fell" if found.difference < 0 else "changed"
    interval = signed(found).partition(" ")[2]
    chance = "hardly explains" if found.either < _SURE else "may explain"
    return (
        f"{measure} {turn} by {abs(found.difference):.3f} {interval} over {found.n} questions: "
        f"chance alone {chance} it (p {found.either:.3f})"
    )


def _rows(runs: Sequence[Result], comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    changed = [
        {change.after.id: change for change in comparison.changes} for comparison in comparisons
    ]
    ids = dict.fromkeys(name for run in runs for name in run.rows)
    return [_row(name, [run.rows.get(name) for run in runs], changed) for name in ids]


def _row(
    name: str, found: Sequence[Row | None], changed: Sequence[Mapping[str, Change]]
) -> dict[str, Any]:
    known = next(row for row in reversed(found) if row is not None)
    return {
        "id": name,
        "question": known.text,
        "subsets": list(known.subsets),
        "targets": list(known.labelled.targets) if known.labelled else [],
        "asker": known.labelled.asker if known.labelled else None,
        "turns": [_turn(found, n, changes.get(name)) for n, changes in enumerate(changed, 1)],
        "values": [None if row is None else list(row.values.values()) for row in found],
        "ranks": [None if row is None else [*map(row.ranks.get, _RANKS)] for row in found],
        "documents": [[] if row is None else list(row.documents) for row in found],
        "diagnosis": ["" if row is None else row.diagnosis for row in found],
    }


_RANKS = ("target", "evidence")


def _turn(found: Sequence[Row | None], n: int, change: Change | None) -> str:
    """Return how a question fared in run `n`; without a change, why it is not compared."""
    if change is not None:
        return change.turn.value
    if found[0] is None or found[n] is None:
        return "added" if found[0] is None else "removed"
    return "relabelled"
