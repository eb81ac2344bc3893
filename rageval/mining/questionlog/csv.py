"""A question log as a CSV table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rageval.files.errors import ErrorCollector
from rageval.files.text import read_text
from rageval.formats.table.rows import note_columns, read_table
from rageval.schema.fields import Name, component


@component
class CsvLog:
    """A .csv file, or .csv.gz, with a head; an empty cell is nothing."""

    path: Name

    @property
    def place(self) -> str:
        """Return the path."""
        return self.path

    def rows(self, faults: ErrorCollector) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Yield each row with the line that it begins on."""
        path = Path(self.path)
        head: list[str] = []
        for line, cells in read_table(read_text(path), path, faults):
            if not head:
                head = cells
                note_columns(path, line, head, faults)
            elif len(cells) != len(head):
                told = f"{len(cells)} cells, the head of the table has {len(head)}"
                faults.add(path, line, told)
            else:
                yield line, dict(zip(head, cells, strict=True))
