"""The judgements of a BEIR collection: which document answers which query how well."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from rageval.files.errors import ErrorCollector, near_names
from rageval.files.text import read_text

_SCORE = re.compile(r"(-?\d{1,9})(?:\.0*)?")
_FIELDS = (3, 4)  # query, document, score; as TREC has them an unread field stands second

Grades = dict[str, dict[str, int]]  # query id → document id → grade


@dataclass(frozen=True, slots=True)
class _Judgement:
    line: int
    query: str
    document: str
    grade: int


def read_qrels(
    path: Path,
    known: tuple[Collection[str], Collection[str]],
    faults: ErrorCollector,
    drop: bool = False,
) -> tuple[Grades, int]:
    """Return the grades of a .tsv file, in its order, and how many rows were left out.

    `known` are the queries and the documents that there are. A row about another is a fault, or is
    left out with `drop`.
    """
    grades: Grades = {}
    every = list(_rows(path, faults))
    queries, documents = known
    rows = [row for row in every if row.query in queries and row.document in documents]
    if not drop:
        _note_unknown(path, every, known, faults)
        rows = every
    for row in rows:
        graded = grades.setdefault(row.query, {})
        if row.document in graded:
            faults.add(
                path, row.line, f"query {row.query!r} has document {row.document!r} a second time"
            )
        graded.setdefault(row.document, row.grade)
    return grades, len(every) - len(rows)


def _rows(path: Path, faults: ErrorCollector) -> Iterator[_Judgement]:
    """Yield the rows, with tabs or spaces between the fields; a header may have any names."""
    lines = read_text(path).rstrip("\r\n").split("\n")
    for line, text in enumerate(lines, start=1):
        row = text.rstrip("\r")
        parts = row.split("\t") if "\t" in row else row.split()
        score = _SCORE.fullmatch(parts[-1].strip()) if parts else None
        if len(parts) not in _FIELDS:
            told = f"{len(parts)} fields, query, document and score are needed"
            faults.add(path, line, f"{told} with tabs or spaces between")
        elif score is not None:
            yield _Judgement(line, parts[0], parts[-2], int(score[1]))
        elif line > 1 or _number(parts[-1]):
            faults.add(path, line, f"score is {parts[-1]!r}, a whole number is needed")


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _note_unknown(
    path: Path,
    rows: list[_Judgement],
    known: tuple[Collection[str], Collection[str]],
    faults: ErrorCollector,
) -> None:
    queries, documents = known
    lost_queries = [row for row in rows if row.query not in queries]
    lost_documents = [row for row in rows if row.document not in documents]
    near = near_names((row.query for row in lost_queries), queries)
    for row in lost_queries:
        faults.add(path, row.line, f"query {row.query!r} is not among the queries{near[row.query]}")
    near = near_names((row.document for row in lost_documents), documents)
    for row in lost_documents:
        lost = f"document {row.document!r} is not in the corpus{near[row.document]}"
        faults.add(path, row.line, f"question {row.query!r}: {lost}")
