"""Tables that fit a width without cutting a heading or a value.

A table that is too wide is first set closer, then its headings break between words, and in the end
its columns are printed in several blocks, each of which begins with the first column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

_WIDE, _CLOSE = 2, 1  # blanks between two columns
_NARROWEST = 24  # characters that a column of sentences keeps


@dataclass(frozen=True)
class Column:
    """A column of a table, as it is to be printed."""

    heading: str
    cells: Sequence[Text]
    right: bool = True  # aligned to the right
    repeated: bool = False  # printed in every block, as the first column is
    sentences: bool = False  # may be broken between words

    @property
    def width(self) -> int:
        """Return the characters that it takes where nothing is broken."""
        cells = (cell_len(line) for cell in self.cells for line in cell.plain.split("\n"))
        return max([self._heading_width, *cells])

    @property
    def least(self) -> int:
        """Return the characters that it takes where sentences are broken."""
        return min(self.width, max(_NARROWEST, self._heading_width))

    @property
    def _heading_width(self) -> int:
        return max(map(cell_len, self.heading.split("\n")))

    @property
    def broken(self) -> Column:
        """Return the column with a heading of several lines, broken between words."""
        values = max(map(cell_len, (cell.plain for cell in self.cells)), default=0)
        lines: list[str] = []
        for word in self.heading.split():
            if lines and cell_len(f"{lines[-1]} {word}") <= values:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return replace(self, heading="\n".join(lines))


def fitted(columns: Sequence[Column], width: int) -> Iterator[Table]:
    """Yield the tables that show these columns in so many characters, one below the other."""
    for gap, shown in (
        (_WIDE, columns),
        (_CLOSE, columns),
        (_CLOSE, [column.broken for column in columns]),
    ):
        if _total(shown, gap) <= width:
            yield _table(shown, gap, width)
            return
    close = [column.broken for column in columns]
    for block in _blocks(close, width):
        yield _table(block, _CLOSE, width)


def _total(columns: Sequence[Column], gap: int) -> int:
    """Return the characters that columns take, sentences broken as far as they may be."""
    taken = sum(column.least if column.sentences else column.width for column in columns)
    return taken + gap * (len(columns) - 1)


def _blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Return the columns in blocks that fit, each with the first column and the repeated ones."""
    first, *rest = columns
    if first.width > width // 2:
        first = replace(first, sentences=True)
    last = [column for column in rest if column.repeated]
    blocks: list[list[Column]] = []
    for column in (column for column in rest if not column.repeated):
        if blocks and _total([first, *blocks[-1], column, *last], _CLOSE) <= width:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    return [[first, *block, *last] for block in blocks or [[]]]


def _table(columns: Sequence[Column], gap: int, width: int) -> Table:
    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
    spare = width - _total(columns, gap)
    for column in columns:
        wanted = column.width
        if column.sentences:
            wanted = min(column.width, column.least + max(0, spare))
            spare -= wanted - column.least
        wanted = min(wanted, width)  # a value wider than the whole screen is folded, never cut
        table.add_column(
            column.heading,
            justify="right" if column.right else "left",
            width=wanted,
            vertical="top",
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table
