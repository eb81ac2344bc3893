"""A plain CSV table with a column of questions and one of sources."""

from __future__ import annotations

from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.faults import Faults, listed
from rageval.fields import Flag, Name, component
from rageval.golden.foreign import Draft, golden_of
from rageval.golden.named import document_of
from rageval.golden.question import GoldenSet
from rageval.golden.rows import read_table
from rageval.source import read_text


@component
class TableGolden:
    """A row a question; `source` names the document, or several between `separator`: any is a hit.

    A source is a document's id, or a path or file name with or without suffix that means one
    document. A row without a source is refused, unless `blank_unanswerable` says that nothing
    answers it. Without an `id` column questions are named q1, q2, … by their row.
    """

    path: Name
    question: Name = "question"  # name of the column
    source: Name = "source"
    id: Name | None = None
    answer: Name | None = None  # the column of the answer's gist
    separator: str = ";"
    blank_unanswerable: Flag = False
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), Faults()
        rows = list(read_table(read_text(path), path, faults))
        head = rows[0][1] if rows else []
        for column in filter(None, (self.question, self.source, self.id, self.answer)):
            if column not in head:
                faults.add(path, 1, f"there is no column {column!r}; there are: {listed(head)}")
        faults.settle()
        drafts: list[tuple[int, Draft]] = []
        for number, (line, cells) in enumerate(rows[1:], start=1):
            try:
                drafts.append((line, self._draft(number, _cells(head, cells), corpus)))
            except InputError as error:
                faults.add(path, line, str(error))
        return golden_of(self.name, path, drafts, faults)

    def _draft(self, number: int, cells: dict[str, str], corpus: Corpus) -> Draft:
        parts = cells[self.source].split(self.separator) if self.separator else [cells[self.source]]
        sources = [part.strip() for part in parts if part.strip()]
        silent = self.blank_unanswerable and not sources
        return {
            "id": cells[self.id] if self.id else f"q{number}",
            "question": cells[self.question],
            "expected": [document_of(source, corpus) for source in sources],
            "answerable": False if silent else None,
            "gist": (cells[self.answer].strip() or None) if self.answer else None,
        }


def _cells(head: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(head):
        raise InputError(f"{len(cells)} cells, the head of the table has {len(head)}")
    return dict(zip(head, cells, strict=True))
