"""TREC judgements: `query iteration document grade`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rageval.files.errors import ErrorCollector
from rageval.files.text import read_bytes
from rageval.formats.trec.lines import read_blocks
from rageval.formats.trec.numbering import Numbering
from rageval.formats.trec.table import Kind, read_columns

_GRADE = re.compile(rb"[-+]?\d{1,9}(?:\.0*)?")
_NUMBER = re.compile(rb"[-+]?[\d.]+(?:[eE][-+]?\d+)?")
_FIELDS = {"query": Kind.ID, "iteration": Kind.UNREAD, "document": Kind.ID, "grade": Kind.ID}
_LAYOUTS: dict[int, dict[str, Kind]] = {
    4: _FIELDS,
    3: {name: kind for name, kind in _FIELDS.items() if kind is Kind.ID},
}
_HEAD = 10_000  # bytes, of which the first line tells how a file is laid out


@dataclass(frozen=True, eq=False)
class TrecQrels:
    """Which document is judged how relevant to which query, a row a line, in the file's order."""

    queries: tuple[str, ...]  # in the order in which the file has them
    documents: tuple[str, ...]
    query: NDArray[np.int32]  # [rows] number of the query
    document: NDArray[np.int32]  # [rows] number of the document
    grade: NDArray[np.int32]  # [rows] may be negative
    line: NDArray[np.int32]  # [rows] 1, 2, …


def read_qrels(path: Path) -> TrecQrels:
    """Return the judgements of a file (.gz is unpacked).

    The second field is not read. As in BEIR's files it may be missing, and a first line may name
    the columns. Comments, tabs, CRLF and negative grades are accepted.

    Raises
    ------
    InputError
        With every line that has another number of fields or no whole number for a grade, or that
        judges a document of a query again.
    """
    faults = ErrorCollector()
    qrels = _read(path, faults)
    faults.raise_if_any()
    return qrels


def _read(path: Path, faults: ErrorCollector) -> TrecQrels:
    content = read_bytes(path)
    width, head = _layout(content)
    regular = None if head else _read_regular(path, content, width)
    return regular or _read_lines(path, content, faults)


def _read_regular(path: Path, content: bytes, width: int) -> TrecQrels | None:
    """Return judgements without faults whose fields are separated alike; None in another form."""
    found = read_columns(content, _LAYOUTS[width])
    if found is None or not all(map(_GRADE.fullmatch, found.ids["grade"].names)):
        return None
    query, document, grade = (found.ids[name] for name in ("query", "document", "grade"))
    grades = np.array([int(text.partition(b".")[0]) for text in grade.names], np.int32)
    faults = ErrorCollector()
    queries = Numbering.known(query.names).names(path, faults)
    documents = Numbering.known(document.names).names(path, faults)
    if faults or not len(query.number) or repeated_rows(query.number, document.number):
        return None  # the reader of lines says where
    line = np.arange(1, len(query.number) + 1, dtype=np.int32)
    return TrecQrels(queries, documents, query.number, document.number, grades[grade.number], line)


def _read_lines(path: Path, content: bytes, faults: ErrorCollector) -> TrecQrels:
    queries, documents, known = Numbering(), Numbering(), dict[bytes, int]()
    query: list[int] = []
    document: list[int] = []
    grade: list[int] = []
    line: list[int] = []
    width, head = _layout(content)
    for numbers, fields in read_blocks(path, content, range(width, width + 1), faults, head):
        query += queries.of(fields[0::width])
        document += documents.of(fields[width - 2 :: width])
        grade += _grades(path, numbers, fields[width - 1 :: width], known, faults)
        line += numbers
    if not line and not faults:
        faults.add(path, 0, "the file judges nothing")
    columns = [np.array(column, dtype=np.int32) for column in (query, document, grade, line)]
    qrels = TrecQrels(queries.names(path, faults), documents.names(path, faults), *columns)
    if not faults:
        note_repeats(path, qrels, faults)
    return qrels


def _layout(content: bytes) -> tuple[int, int]:
    """Return how many fields a line has, and how many lines name columns, as BEIR's files do."""
    rows = [line.split() for line in content[:_HEAD].split(b"\n") if line[:1] != b"#"]
    first = next((row for row in rows if row), [])
    if len(first) not in (3, 4):
        return 4, 0
    named = not _NUMBER.fullmatch(first[-1])
    return len(first), int(named and len(rows) > 1)


def _grades(
    path: Path,
    lines: list[int],
    texts: list[bytes],
    known: dict[bytes, int],
    faults: ErrorCollector,
) -> list[int]:
    """Return the grades; `known` are those met so far, for there are few of them."""
    for text in set(texts) - known.keys():
        if _GRADE.fullmatch(text):
            known[text] = int(text.partition(b".")[0])
    for line, text in zip(lines, texts, strict=True):
        if text not in known:
            told = text.decode("utf-8", "replace")
            faults.add(path, line, f"the grade is {told!r}, a whole number is needed")
    return [known.get(text, 0) for text in texts]


def note_repeats(path: Path, qrels: TrecQrels, faults: ErrorCollector) -> None:
    """Note each line that names a document of a query again."""
    for row, first in repeated_rows(qrels.query, qrels.document):
        query, document = qrels.queries[qrels.query[row]], qrels.documents[qrels.document[row]]
        told = f"query {query!r} has document {document!r} a second time"
        faults.add(path, int(qrels.line[row]), f"{told}, first on line {qrels.line[first]}")


def repeated_rows(query: NDArray[np.int32], document: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Return the rows whose pair an earlier row has, with that row.

    Examples
    --------
    >>> column = np.array
    >>> repeated_rows(column([0, 0, 1, 0], np.int32), column([5, 6, 5, 5], np.int32))
    [(3, 0)]
    """
    pair = query.astype(np.int64) << 32 | document
    order = np.argsort(pair, kind="stable")
    same = np.flatnonzero(pair[order][1:] == pair[order][:-1]) + 1
    first = np.searchsorted(pair[order], pair[order[same]])
    return [(int(order[at]), int(order[begin])) for at, begin in zip(same, first, strict=True)]
