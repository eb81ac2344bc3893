"""A file of any kind as plain values: JSON, JSON Lines, YAML, CSV, Parquet, Excel."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import yaml

from rageval.errors import InputError
from rageval.files.nodes import Node, compose_json, compose_yaml, kind_of, line_of, whole_number
from rageval.files.text import read_text
from rageval.formats.cells import structured

_SEPARATORS = ",;\t|"  # of the cells of a table
_LETOR = re.compile(r"(-?[\d.]+)\s+qid:(\S+)\s[^#]*#\s*(\S+)\s+(.+)")
_WHOLE = re.compile(r"-?(0|[1-9]\d*)")


@dataclass(frozen=True)
class Records:
    """What a file holds, with the line on which each mapping in it begins."""

    value: Any  # lists, mappings, texts, numbers, true, false, None
    lines: Mapping[int, int] = field(default_factory=dict)  # id() of a mapping → line

    def line_of(self, value: object) -> int:
        """Return the line of a mapping, 0 where it was made of others."""
        if id(value) in self.lines:
            return self.lines[id(value)]
        inner = value.values() if isinstance(value, dict) else ()
        return next((self.lines[id(item)] for item in inner if id(item) in self.lines), 0)


def read_records(path: Path, sheet: str | None = None) -> Records:
    """Return what a file holds; its ending says what it is, and `.gz` is unpacked.

    A cell of a table that holds a JSON or Python list is that list. `sheet` names the sheet of an
    Excel file, of which the first is read otherwise.

    Raises
    ------
    InputError
        If the ending is another, the file is not what it says, or what reads it is not installed.
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix == ".xlsx":
        return _excel(path, sheet)
    if suffix in (".ltr", ".txt"):
        return _letor(path)
    if suffix not in _READERS:
        raise InputError(f"{path}: {suffix or 'no ending'!s} is not read; {_ALLOWED}")
    return _READERS[suffix](path)


def _json(path: Path) -> Records:
    text = read_text(path)
    try:
        return _from_nodes(compose_json(text, path))
    except InputError:
        rows = [row for row in text.split("\n") if row.strip()]
        if len(rows) > 1 and _is_json(rows[0]):
            return _json_lines(path)  # JSON Lines under the name of JSON
        raise


def _is_json(row: str) -> bool:
    try:
        return isinstance(json.loads(row), dict)
    except ValueError:
        return False


def _json_lines(path: Path) -> Records:
    lines: dict[int, int] = {}
    rows: list[Any] = []
    for line, row in enumerate(read_text(path).split("\n"), start=1):
        if row.strip():
            found = _from_nodes(compose_json(row, path, line))
            lines.update(found.lines)
            rows.append(found.value)
    return Records(rows, lines)


def _yaml(path: Path) -> Records:
    node = compose_yaml(read_text(path), path)
    if node is None:
        raise InputError(f"{path}: the file is empty")
    return _from_nodes(node)


def _from_nodes(node: Node) -> Records:
    lines: dict[int, int] = {}

    def plain(node: Node) -> Any:  # noqa: ANN401  any JSON value
        if isinstance(node, yaml.MappingNode):
            found = {str(key.value): plain(value) for key, value in node.value}
            lines[id(found)] = line_of(node)
            return found
        if isinstance(node, yaml.SequenceNode):
            return [plain(item) for item in node.value]
        return _scalar(node)

    return Records(plain(node), lines)


def _scalar(node: Node) -> Any:  # noqa: ANN401  a text, a number, true, false or None
    """Return a scalar as what it is in JSON; a date or an odd number of YAML stays text."""
    kind = kind_of(node)
    if kind == "true or false":
        return str(node.value).lower() in ("true", "yes", "on")
    if kind == "nothing (null)":
        return None
    if kind == "a number" and _WHOLE.fullmatch(node.value):
        return whole_number(node.value)
    if kind == "a number" and node.tag.endswith("float"):
        return _fraction(node.value)
    return node.value


def _fraction(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _csv(path: Path) -> Records:
    text = read_text(path)
    head = next((line for line in text.splitlines() if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", head)
    separator = max(_SEPARATORS, key=bare.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    csv.field_size_limit(2**31 - 1)
    return _table(path, _csv_rows(reader, path))


def _letor(path: Path) -> Records:
    """Read `grade qid:NAME features # document query`, as learning to rank has it."""
    lines: dict[int, int] = {}
    found: list[dict[str, Any]] = []
    for line, row in enumerate(read_text(path).split("\n"), start=1):
        if not row.strip() or row.startswith("#"):
            continue
        match = _LETOR.fullmatch(row.strip())
        if match is None:
            raise InputError(
                f"{path}:{line}: a grade, qid:NAME and # with a document and a query are needed"
            )
        fields = dict(zip(("grade", "qid", "document", "query"), match.groups(), strict=True))
        lines[id(fields)] = line
        found.append(fields)
    return Records(found, lines)


def _csv_rows(reader: Any, path: Path) -> Iterator[tuple[int, Sequence[Any]]]:  # noqa: ANN401  csv has no name for it
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{path}:{line}: not CSV: {error}") from error
        if any(cells):
            yield line, cells
        line = reader.line_num + 1


def _table(path: Path, rows: Iterator[tuple[int, Sequence[Any]]]) -> Records:
    first, head = next(rows, (1, ()))
    names = [str(cell).strip() if cell is not None else "" for cell in head]
    if not any(names):
        raise InputError(f"{path}: the table is empty")
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{path}:{first}: the column {twice!r} occurs twice")
    lines: dict[int, int] = {}
    found: list[dict[str, Any]] = []
    for line, cells in rows:
        if len(cells) != len(names):
            told = f"{len(cells)} cells, the head of the table has {len(names)}"
            raise InputError(f"{path}:{line}: {told}")
        row = {name: _cell(cell) for name, cell in zip(names, cells, strict=True) if name}
        lines[id(row)] = line
        found.append(row)
    return Records(found, lines)


def _cell(cell: Any) -> Any:  # noqa: ANN401  any value of a table
    if isinstance(cell, str):
        return structured(cell) if cell.strip() else None
    return cell


def _excel(path: Path, sheet: str | None) -> Records:
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise InputError(
            f'{path}: reading Excel needs openpyxl: pip install "rageval[excel]"'
        ) from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as Excel: {error}") from error
    names = book.sheetnames
    if sheet is not None and sheet not in names:
        raise InputError(f"{path}: there is no sheet {sheet!r}; there are: {', '.join(names)}")
    rows = book[sheet or names[0]].iter_rows(values_only=True)
    numbered = ((n, row) for n, row in enumerate(rows, start=1) if any(c is not None for c in row))
    return _table(path, numbered)


def _parquet(path: Path) -> Records:
    try:
        parquet = import_module("pyarrow.parquet")
        arrow = import_module("pyarrow")
    except ImportError:
        raise InputError(
            f'{path}: reading Parquet needs pyarrow: pip install "rageval[parquet]"'
        ) from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, arrow.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from error
    found = [{key: _cell(value) for key, value in row.items()} for row in rows]
    return Records(found, {id(row): n for n, row in enumerate(found, start=1)})


_READERS: Mapping[str, Callable[[Path], Records]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".csv": _csv,
    ".tsv": _csv,
    ".parquet": _parquet,
}
_ALLOWED = f"allowed are {', '.join(_READERS)} and .xlsx, and .ltr or .txt with learning to rank"
