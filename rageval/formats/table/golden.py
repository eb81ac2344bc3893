"""A plain CSV table with a column of questions and one of sources."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector, listed
from rageval.files.text import read_text
from rageval.formats.foreign import Draft, golden_of
from rageval.formats.named import document_of
from rageval.formats.table.rows import read_table
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Flag, Name, component

_GRADE_COLUMNS = ("rating", "grade", "relevance")
_GRADE = re.compile(r"(-?\d{1,9})(?:\.0*)?")


@component
class TableGolden:
    """A row a question; `source` names the document, or several between `separator`: any is a hit.

    A source is a document's id, or a path or file name with or without suffix that means one
    document. A row without a source is refused, unless `blank_unanswerable` says that nothing
    answers it. Without an `id` column questions are named q1, q2, … by their row.

    A table with a column of grades (`grade`, or else one called rating, grade or relevance) has a
    row for each judgement: the rows of one question are one question, whose grades are kept, and a
    document is expected from grade 1.
    """

    path: Name
    question: Name = "question"  # name of the column
    source: Name = "source"
    id: Name | None = None
    answer: Name | None = None  # the column of the answer's gist
    grade: Name | None = None
    separator: str = ";"
    blank_unanswerable: Flag = False
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        rows = list(read_table(read_text(path), path, faults))
        head = rows[0][1] if rows else []
        for column in filter(None, (self.question, self.source, self.id, self.answer, self.grade)):
            if column not in head:
                faults.add(path, 1, f"there is no column {column!r}; there are: {listed(head)}")
        faults.raise_if_any()
        grade = self.grade or next((name for name in _GRADE_COLUMNS if name in head), None)
        drafts: dict[str, tuple[int, Draft]] = {}
        for number, (line, cells) in enumerate(rows[1:], start=1):
            try:
                draft = self._draft(number, _cells(head, cells), corpus, grade)
                key = draft["question"] if grade else str(number)
                first, before = drafts.get(key, (line, None))
                drafts[key] = (first, draft if before is None else _both(before, draft))
            except InputError as error:
                faults.add(path, line, str(error))
        found = golden_of(self.name, path, drafts.values(), faults)
        note = f"the column {grade!r} holds grades; the rows of one question are one question"
        return replace(found, notes=(*found.notes, note)) if grade else found

    def _draft(
        self, number: int, cells: dict[str, str], corpus: Corpus, grade: str | None
    ) -> Draft:
        parts = cells[self.source].split(self.separator) if self.separator else [cells[self.source]]
        sources = [part.strip() for part in parts if part.strip()]
        silent = self.blank_unanswerable and not sources
        documents = [document_of(source, corpus) for source in sources]
        grades = dict.fromkeys(documents, _grade(cells[grade])) if grade and documents else {}
        return {
            "id": cells[self.id] if self.id else f"q{number}",
            "question": cells[self.question],
            "expected": [name for name in documents if grades.get(name, 1) > 0],
            "grades": grades,
            "answerable": False if silent else None,
            "gist": (cells[self.answer].strip() or None) if self.answer else None,
        }


def _grade(text: str) -> int:
    found = _GRADE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"the grade is {text!r}, a whole number is needed")
    return int(found[1])


def _both(one: Draft, other: Draft) -> Draft:
    """Return one question of two rows that judge a document each."""
    twice = set(one["grades"]) & set(other["grades"])
    if twice:
        raise InputError(f"{min(twice)!r} is judged twice for {one['question']!r}")
    return {
        **one,
        "expected": [*one["expected"], *other["expected"]],
        "grades": {**one["grades"], **other["grades"]},
    }


def _cells(head: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(head):
        raise InputError(f"{len(cells)} cells, the head of the table has {len(head)}")
    return dict(zip(head, cells, strict=True))
