"""A small table that prints itself, in a terminal and in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rageval.escaping.characters import one_line

if TYPE_CHECKING:
    from pandas import DataFrame

Cell = str | int | float | None


@dataclass(frozen=True)
class Tabular:
    """Rows under headings; the first column names the row."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __str__(self) -> str:
        table = [list(self.headings), *([_shown(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[column]) for row in table) for column in range(len(self.headings))]
        lines = [
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]
        return "\n".join([one_line(self.title), *lines])

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_html(self) -> str:
        """Return the table as HTML; everything in it is escaped."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return (
            f"<table><caption>{html.escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def to_pandas(self) -> DataFrame:
        """Return the table, indexed by its first column."""
        import pandas as pd

        found = pd.DataFrame(list(self.rows), columns=list(self.headings))
        return found.set_index(self.headings[0])


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else one_line(str(cell))
