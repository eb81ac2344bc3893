"""A file that says what each id stands for."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import read_rows
from rageval.files.text import read_text
from rageval.retrieval.ids.rows import table_of, translated
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import Name, component

_ENDINGS = (".csv", ".tsv", ".jsonl")


@component
class IdFile:
    """Looks ids up in a file with a column `id`.

    The other columns are `document`, `start` and `end` (half-open characters), `heading` (a path
    with ` > ` between its headings) and `text`; a row needs a document or a text.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    path: Name  # .csv, .tsv or .jsonl

    def translate(self, hit: Hit) -> Hit:
        """Return the hit with what the file has for its id.

        Raises
        ------
        InputError
            If the file cannot be read or a row of it is wrong.
        """
        return translated(hit, self.table)

    @cached_property
    def table(self) -> dict[str, Hit]:
        """What each id stands for."""
        path = Path(self.path)
        if path.suffix not in _ENDINGS:
            raise InputError(
                f"ids.path: {path} ends with {path.suffix!r}; known: {', '.join(_ENDINGS)}"
            )
        rows = _json_rows(path) if path.suffix == ".jsonl" else _csv_rows(path)
        return table_of(rows, str(path))


def _json_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    faults = ErrorCollector()
    for row in read_rows(path, faults):
        yield f"{path}:{row.line}", row.fields
    faults.raise_if_any()


def _csv_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    dialect = "excel-tab" if path.suffix == ".tsv" else "excel"
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), dialect=dialect)
    columns = reader.fieldnames or ()
    if "id" not in columns:
        raise InputError(f"{path}: it has no column id; it has: {', '.join(columns)}")
    for row in reader:
        yield f"{path}:{reader.line_num}", row
