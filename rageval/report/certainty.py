"""How sure a comparison is: the headline differences with interval and p, and what n can show."""

from __future__ import annotations

from rageval.comparison.changes import Comparison, Turn
from rageval.comparison.paired import Paired, signed
from rageval.comparison.table import Table
from rageval.escaping.markdown import escaped
from rageval.escaping.markdown import table as markdown_table
from rageval.report import markdown
from rageval.report.comparison import overview
from rageval.statistics.detectable import in_words

_COLUMNS = ("measure", "n", "before", "after", "difference, 95 % interval", "p, two-sided")


def lines(found: dict[str, Paired]) -> list[str]:
    """Return what so many questions can show, and how p was worked out, as sentences."""
    if not found:
        return []
    first = next(iter(found.values()))
    told = [in_words(first.n, groups=first.groups)]
    if any(paired.groups < paired.n for paired in found.values()):
        told.append(f"{first.n} questions in {first.groups} groups: a group counts as one voice")
    sampled = [name for name, paired in found.items() if not paired.exact]
    if sampled:
        told.append(f"p from 100,000 random sign flips: {', '.join(sampled)}")
    return told


def short(comparison: Comparison, found: dict[str, Paired]) -> Table:
    """Return the table for people: one row a measure."""
    return Table(
        _COLUMNS,
        [
            [
                name,
                paired.n,
                _mean(comparison, name, before=True),
                _mean(comparison, name, before=False),
                signed(paired),
                f"{paired.either:.3f}",
            ]
            for name, paired in found.items()
        ],
    )


def _mean(comparison: Comparison, measure: str, before: bool) -> str:
    """Return a mean over the paired questions, of which both sides have the same."""
    rows = [change.before if before else change.after for change in comparison.changes]
    other = [change.after if before else change.before for change in comparison.changes]
    values = [
        value
        for row, twin in zip(rows, other, strict=True)
        if (value := row.exact(measure)) is not None and twin.exact(measure) is not None
    ]
    return f"{float(sum(values) / len(values)):.3f}"


def table(found: dict[str, Paired]) -> Table:
    """Return the table for machines: every number in full."""
    columns = ["measure", "n", "groups", "difference", "low", "high", "worse", "either", "exact"]
    return Table(
        columns,
        [[name, *(getattr(paired, key) for key in columns[1:])] for name, paired in found.items()],
    )


def page(comparison: Comparison, found: dict[str, Paired]) -> str:
    """Return the comparison as Markdown."""
    cells = [[escaped(str(cell)) for cell in row] for row in short(comparison, found).data]
    parts = [
        "```\n" + "\n".join(overview(comparison)) + "\n```",
        markdown_table(_COLUMNS, cells) if cells else "",
        *map(escaped, lines(found)),
        *(markdown.lost(change) for change in comparison.of(Turn.REGRESSED)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
