"""The judgements of a BEIR collection: which document answers which query how well."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from rageval.faults import Faults, near_names
from rageval.source import read_text

_HEADER = "query-id\tcorpus-id\tscore"
_NAMED = re.compile(
    r"query[-_]?id\s+(?:corpus|doc|document)[-_]?id\s+(?:score|relevance|rel|grade|label)",
    re.IGNORECASE,
)  # as collections in BEIR's format are found
_SCORE = re.compile(r"-?\d{1,9}(?:\.0*)?")

Grades = dict[str, dict[str, int]]  # query id → document id → grade


@dataclass(frozen=True, slots=True)
class _Judgement:
    line: int
    query: str
    document: str
    grade: int


def read_qrels(
    path: Path, queries: Collection[str], documents: Collection[str], faults: Faults
) -> Grades:
    """Return the grades of a .tsv file, in its order; a row at fault is noted as well."""
    grades: Grades = {}
    rows = list(_rows(path, faults))
    _note_unknown(path, rows, (queries, documents), faults)
    for row in rows:
        graded = grades.setdefault(row.query, {})
        if row.document in graded:
            faults.add(
                path, row.line, f"query {row.query!r} has document {row.document!r} a second time"
            )
        graded.setdefault(row.document, row.grade)
    return grades


def _rows(path: Path, faults: Faults) -> Iterator[_Judgement]:
    lines = read_text(path).rstrip("\r\n").split("\n")
    if not _NAMED.fullmatch(lines[0].strip()):
        faults.add(path, 1, f"the header is {lines[0][:80]!r}, {_HEADER!r} is needed")
    for line, text in enumerate(lines[1:], start=2):
        # An id may hold a blank where tabs separate.
        parts = text.rstrip("\r").split("\t") if "\t" in text else text.split()
        if len(parts) != 3:
            faults.add(path, line, f"{len(parts)} fields, 3 with tabs or spaces between are needed")
        elif not _SCORE.fullmatch(parts[2]):
            faults.add(path, line, f"score is {parts[2]!r}, a whole number is needed")
        else:
            yield _Judgement(line, parts[0], parts[1], int(parts[2].partition(".")[0]))


def _note_unknown(
    path: Path,
    rows: list[_Judgement],
    known: tuple[Collection[str], Collection[str]],
    faults: Faults,
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
