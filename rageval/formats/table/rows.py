"""Golden sets a row a question: JSON Lines and CSV, as nodes of the one format."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from rageval.errors import InputError
from rageval.escaping.characters import plain_cell
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import Node, compose_json, list_node, mapping_node, text_node, word_node
from rageval.formats.canonical.form import FIELDS, Kind
from rageval.golden.source import name_from

_SEPARATOR = "|"  # of the items in a cell
_SEPARATORS = {";": "semicolon", "\t": "tab"}  # of cells, in tables that other tools write
_CELL = Path("cell")
_Cell = Callable[[str, int], Node]


def rows_of_json(text: str, path: Path, faults: ErrorCollector) -> Node:
    """Return JSON Lines as a golden set; a first row with the key `set` alone names it."""
    rows = list(json_rows(text, path, faults))
    name = _name(rows[0]) if rows else None
    return _golden(name or text_node(name_from(path), 1), rows[1:] if name else rows)


def json_rows(text: str, path: Path, faults: ErrorCollector) -> Iterator[Node]:
    """Yield the rows of JSON Lines that are JSON; the others are noted, blank lines are none."""
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            continue
        try:
            yield compose_json(row, path, line)
        except InputError as error:
            faults.add(path, line, str(error).removeprefix(f"{path}:{line}: "))


def rows_of_csv(text: str, path: Path, faults: ErrorCollector) -> Node:
    """Return a CSV table as a golden set; its columns are fields, an empty cell is no field.

    A cell of a list is JSON if it begins with a bracket, else its items stand between `|`. An item
    of evidence is a document then; what is smaller is written in JSON. Grades are a JSON object or
    `document=2|other=1`. Everything else is text, whatever it looks like.
    """
    rows: list[Node] = []
    columns: list[str] = []
    for line, cells in read_table(text, path, faults):
        if not columns:
            columns = cells
            note_columns(path, line, columns, faults)
        elif len(cells) != len(columns):
            faults.add(path, line, f"{len(cells)} cells, the head of the table has {len(columns)}")
        else:
            texts = map(plain_cell, cells)  # as rageval writes what a spreadsheet would run
            row = _row(path, line, dict(zip(columns, texts, strict=True)), faults)
            rows += [] if row is None else [row]
    return _golden(text_node(name_from(path), 1), rows)


def read_table(text: str, path: Path, faults: ErrorCollector) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the line on which it begins; blank ones are none.

    A table whose head is not separated by commas is noted, and has no rows.
    """
    separator = _foreign_separator(text)
    if separator:
        faults.add(path, 1, f"the table looks {separator}-separated, commas are needed")
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    csv.field_size_limit(2**31 - 1)
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(path, line, f"not CSV: {error}")
            return
        if any(cells):
            yield line, cells
        line = reader.line_num + 1


def _foreign_separator(text: str) -> str | None:
    """Return what separates the head of a table that has no comma, or None."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    found = (name for sign, name in _SEPARATORS.items() if sign in head and "," not in head)
    return next(found, None)


def _name(row: Node) -> Node | None:
    keys = [key.value for key, _ in row.value] if isinstance(row, yaml.MappingNode) else []
    return row.value[0][1] if keys == ["set"] else None


def _golden(name: Node, rows: list[Node]) -> Node:
    return mapping_node({"set": name, "questions": list_node(rows, 1)}, 1)


def note_columns(path: Path, line: int, columns: list[str], faults: ErrorCollector) -> None:
    """Note every column that occurs twice: one of the two would be lost."""
    for column in sorted({name for name in columns if columns.count(name) > 1}):
        faults.add(path, line, f"the column {column!r} occurs twice")


def _row(path: Path, line: int, cells: dict[str, str], faults: ErrorCollector) -> Node | None:
    """Return a row as a question; one with a faulty cell would seem to lack it, so it is none."""
    fault = False
    fields: dict[str, Node] = {}
    for column, cell in cells.items():
        if not cell.strip():
            continue
        try:
            kind = FIELDS[column].kind if column in FIELDS else Kind.TEXT
            fields[column] = _CELLS.get(kind, _plain)(cell, line)
        except InputError as error:
            told = re.sub(rf"^{_CELL}:\d+: ", "", str(error))
            faults.add(path, line, f"question {cells.get('id', '')!r}: {column}: {told}")
            fault = True
    return None if fault else mapping_node(fields, line)


def _plain(cell: str, line: int) -> Node:
    return text_node(cell, line)


def _answerable(cell: str, line: int) -> Node:
    lower = cell.strip().lower()
    return word_node(lower if lower in ("true", "false") else cell.strip(), line)


def _texts(cell: str, line: int) -> Node:
    return _json(cell, line) or list_node((text_node(i, line) for i in _items(cell)), line)


def _references(cell: str, line: int) -> Node:
    items = (mapping_node({"document": text_node(item, line)}, line) for item in _items(cell))
    return _json(cell, line) or list_node(items, line)


def _grades(cell: str, line: int) -> Node:
    pairs = (item.rpartition("=") for item in _items(cell))
    return _json(cell, line) or mapping_node(
        {name: word_node(grade.strip(), line) for name, _, grade in pairs}, line
    )


def _items(cell: str) -> list[str]:
    return [item.strip() for item in cell.split(_SEPARATOR)]


def _json(cell: str, line: int) -> Node | None:
    begins = cell.lstrip()[:1]
    return compose_json(cell, _CELL, line) if begins in ("[", "{") else None


_CELLS: dict[Kind, _Cell] = {
    Kind.NAMES: _texts,
    Kind.TEXTS: _texts,
    Kind.REQUIREMENTS: _references,
    Kind.REFERENCES: _references,
    Kind.ANSWERABLE: _answerable,
    Kind.GRADES: _grades,
}
