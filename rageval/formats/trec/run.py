"""TREC runs: `query Q0 document rank score name`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rageval.files.errors import ErrorCollector
from rageval.files.text import read_bytes
from rageval.formats.trec.lines import read_blocks
from rageval.formats.trec.numbering import Numbering
from rageval.formats.trec.qrels import repeated_rows
from rageval.formats.trec.table import Kind, read_columns

_FIELDS = range(6, 1_000)  # trec_eval reserves what stands after the sixth


@dataclass(frozen=True, eq=False)
class TrecRun:
    """The documents that a system returned for each query, best first."""

    name: str  # of the system, as its first line has it
    queries: tuple[str, ...]  # in the order in which the file has them
    documents: tuple[str, ...]
    query: NDArray[np.int32]  # [rows] number of the query, ascending
    document: NDArray[np.int32]  # [rows] number of the document, by rank within its query
    score: NDArray[np.float32]  # [rows]

    def ranking(self, query: str) -> list[str]:
        """Return the documents of one query, best first; a query that is not in it has none."""
        if query not in self.queries:
            return []
        number = self.queries.index(query)
        first, last = np.searchsorted(self.query, [number, number + 1])
        return [self.documents[n] for n in self.document[first:last]]


def read_run(path: Path) -> TrecRun:
    """Return the rankings of a file (.gz is unpacked), ordered as trec_eval orders them.

    The rank field is not read: documents are ordered by score as a 32-bit float, highest first, and
    on a tie by id, last in the order of their bytes first. Comments, tabs and CRLF are accepted,
    and fields after the sixth are not read.

    Raises
    ------
    InputError
        With every line that has less than six fields, a score that is no number (NaN is none), or a
        document that the query has already.
    """
    faults = ErrorCollector()
    run = _read(path, faults)
    faults.raise_if_any()
    return run


def _read(path: Path, faults: ErrorCollector) -> TrecRun:
    content = read_bytes(path)
    return _read_regular(path, content) or _read_lines(path, content, faults)


_COLUMNS = {
    "query": Kind.ID,
    "iteration": Kind.UNREAD,
    "document": Kind.ID,
    "rank": Kind.UNREAD,
    "score": Kind.NUMBER,
    "name": Kind.ID,
}


def _read_regular(path: Path, content: bytes) -> TrecRun | None:
    """Return a run without faults whose fields are separated alike; None if it has another form."""
    found = read_columns(content, _COLUMNS)
    if found is None or not len(found.numbers["score"]):
        return None
    query, document = found.ids["query"], found.ids["document"]
    faults = ErrorCollector()
    queries, documents = Numbering.known(query.names), Numbering.known(document.names)
    names = queries.names(path, faults), documents.names(path, faults)
    if faults or repeated_rows(query.number, document.number):
        return None  # the reader of lines says where
    with np.errstate(over="ignore"):  # beyond 32 bits is infinite, as in trec_eval
        score = found.numbers["score"].astype(np.float32)
    order = _ordered(query.number, score, document.number, documents)
    told = found.ids["name"].names[0].decode("utf-8", "replace")
    return TrecRun(told, *names, query.number[order], document.number[order], score[order])


def _ordered(
    query: NDArray[np.int32],
    score: NDArray[np.float32],
    document: NDArray[np.int32],
    documents: Numbering,
) -> NDArray[np.int64]:
    """Return the rows by query, falling score and, on a tie, the document's id, last first."""
    # Files mostly are in order, which a stable sort makes use of.
    order = np.argsort(query, kind="stable")
    by_score = np.lexsort((-score[order], query[order])) if _unsorted(query, score, order) else None
    order = order if by_score is None else order[by_score]
    same = (query[order][1:] == query[order][:-1]) & (score[order][1:] == score[order][:-1])
    tied = np.zeros(len(order), bool)
    tied[1:] |= same
    tied[:-1] |= same
    rows = order[tied]
    place = documents.order() if len(rows) else np.zeros(0, np.int64)
    if len(rows):
        order[tied] = rows[np.lexsort((-place[document[rows]], -score[rows], query[rows]))]
    return order


def _unsorted(
    query: NDArray[np.int32], score: NDArray[np.float32], order: NDArray[np.int64]
) -> bool:
    one, two = order[:-1], order[1:]
    return bool(((query[one] == query[two]) & (score[one] < score[two])).any())


def _read_lines(path: Path, content: bytes, faults: ErrorCollector) -> TrecRun:
    queries, documents, name = Numbering(), Numbering(), b""
    query, document, line = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, int)]
    score = [np.zeros(0, np.float32)]
    for numbers, fields in read_blocks(path, content, _FIELDS, faults):
        query.append(np.array(queries.of(fields[0::6]), dtype=np.int32))
        document.append(np.array(documents.of(fields[2::6]), dtype=np.int32))
        score.append(_scores(path, numbers, fields, faults))
        line.append(np.array(numbers, dtype=int))
        name = name or b"".join(fields[5:6])
    if not name and not faults:
        faults.add(path, 0, "the run returns nothing")
    rows = tuple(map(np.concatenate, (query, document, line)))
    names = queries.names(path, faults), documents.names(path, faults)
    if not faults:
        _note_repeats(path, names, rows, faults)
    every = np.concatenate(score)
    order = _ordered(rows[0], every, rows[1], documents)
    told = name.decode("utf-8", "replace")
    return TrecRun(told, *names, rows[0][order], rows[1][order], every[order])


def _scores(
    path: Path, lines: list[int], fields: list[bytes], faults: ErrorCollector
) -> NDArray[np.float32]:
    texts = fields[4::6]
    try:
        found = np.array(list(map(float, texts)))
        fit = not np.isnan(found).any() and b"_" not in b"".join(texts)
    except ValueError:
        fit = False
    if not fit:
        for at, text in enumerate(texts):
            if not _is_number(text):
                query, told = (t.decode("utf-8", "replace") for t in (fields[6 * at], text))
                sentence = f"query {query!r}: the score is {told!r}, a number is needed"
                faults.add(path, lines[at], sentence)
        return np.zeros(len(texts), np.float32)
    with np.errstate(over="ignore"):  # beyond 32 bits is infinite, as in trec_eval
        return found.astype(np.float32)


def _is_number(text: bytes) -> bool:
    try:
        return b"_" not in text and float(text) == float(text)  # NaN does not equal itself
    except ValueError:
        return False


def _note_repeats(
    path: Path,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    rows: tuple[NDArray[np.int32], ...],
    faults: ErrorCollector,
) -> None:
    query, document, line = rows
    for row, first in repeated_rows(query, document):
        shown = f"query {names[0][query[row]]!r} has document {names[1][document[row]]!r}"
        faults.add(path, int(line[row]), f"{shown} a second time, first on line {line[first]}")
