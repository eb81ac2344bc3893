"""A collection in BEIR's format as a golden set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.formats.beir.qrels_file import read_qrels
from rageval.formats.beir.queries_file import MetadataKeys, Query, read_queries
from rageval.formats.beir.row import opened
from rageval.golden.consistency import contradictions
from rageval.golden.names import unfit_names
from rageval.golden.question import Answerable, GoldenSet, Question, Reference, Requirement
from rageval.golden.source import name_from
from rageval.schema.fields import Name, component
from rageval.schema.names import set_fault


@component
class BeirGolden:
    """The questions of `queries.jsonl` with the judgements of `qrels/<qrels>.tsv` in a folder.

    Documents with a grade above 0 are `expected`, any of which is a hit (`relevance="any"`), or one
    `supporting` item each, all of which are needed (`"all"`). Every row is kept in `grades`.

    A query that has no document with a grade above 0 is left out and counted in the set's notes,
    unless its metadata says more: `unanswerable_key` true makes it one that nothing answers, and
    `forbidden_key` with a list of documents one that its asker may not see answered. A query of
    which all rows are 0 or below can be read as unanswerable too (`zero_grades="unanswerable"`).

    A row about a query or a document that is not there is refused, or left out and counted
    (`dangling="drop"`).
    """

    path: Name
    qrels: Name = "test"
    queries: Name = "queries.jsonl"
    relevance: Literal["any", "all"] = "any"
    zero_grades: Literal["leave_out", "unanswerable"] = "leave_out"
    unanswerable_key: Name | None = "unanswerable"
    forbidden_key: Name | None = "forbidden_sources"
    asker_key: Name | None = None
    dangling: Literal["refuse", "drop"] = "refuse"
    name: Name | None = None  # identifier of the set; the folder's name if not given

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read queries and qrels; the faults of both are raised together."""
        root = opened(self.path)
        name = self._set_name(Path(self.path))
        file = root / self.queries
        faults = ErrorCollector()
        keys = MetadataKeys(self.unanswerable_key, self.forbidden_key, self.asker_key)
        queries = read_queries(file, keys, faults)
        qrels = root / "qrels" / f"{self.qrels}.tsv"
        drop = self.dangling == "drop"
        grades, dropped = read_qrels(qrels, (queries, corpus.number), faults, drop)
        found = [
            self._question(query, grades.get(query.id, {}), f"{file}:{query.line}")
            for query in queries.values()
        ]
        kept = tuple(question for question in found if question.targets or _is_marked(question))
        for question in kept:
            for sentence in (*contradictions(question), *unfit_names(question)):
                line = queries[question.id].line
                faults.add(file, line, f"question {question.id!r}: {sentence}")
        faults.raise_if_any()
        if not kept:
            raise InputError(f"{qrels}: no query has a document with a grade above 0")
        return GoldenSet(name, kept, (*dangling_note(dropped), *_notes(found, queries)))

    def _question(self, query: Query, grades: dict[str, int], where: str) -> Question:
        positive = tuple(name for name, grade in grades.items() if grade > 0)
        answerable = self._answerable(query, grades)
        needed: tuple[Requirement, ...] = ()
        if self.relevance == "all":
            needed = tuple((Reference(name),) for name in positive)
        return Question(
            id=query.id,
            text=query.text,
            asker=query.asker,
            expected=positive if self.relevance == "any" else (),
            supporting=needed,
            answerable=answerable,
            forbidden=query.forbidden if answerable is Answerable.DENIED else (),
            grades=grades,
            where=where,
        )

    def _answerable(self, query: Query, grades: dict[str, int]) -> Answerable:
        positive = any(grade > 0 for grade in grades.values())
        if query.forbidden and not positive:
            return Answerable.DENIED
        zeros = self.zero_grades == "unanswerable" and bool(grades) and not positive
        return Answerable.NO if query.unanswerable or zeros else Answerable.YES

    def _set_name(self, root: Path) -> str:
        if self.name is None:
            return name_from(root)
        fault = set_fault(self.name)
        if fault:
            raise InputError(fault)
        return self.name


def dangling_note(dropped: int) -> Iterator[str]:
    """Say how many judgements were left out because they are about nothing that is there."""
    if dropped:
        rows = "judgement" if dropped == 1 else "judgements"
        yield f"left out, as the query or the document is not there: {dropped} {rows}"


def _is_marked(question: Question) -> bool:
    return question.answerable is not Answerable.YES


def _notes(found: list[Question], queries: dict[str, Query]) -> Iterator[str]:
    """Say how many queries were left out and why, and what was not read."""
    lost = [question for question in found if not question.targets and not _is_marked(question)]
    judged = sum(1 for question in lost if question.grades)
    bare, total = len(lost) - judged, len(found)
    if bare:
        yield f"left out, as no document is judged for them: {bare} of {total} queries"
    if judged:
        yield f"left out, as no document has a grade above 0: {judged} of {total} queries"
    allowed = sum(1 for q in found if q.targets and queries[q.id].forbidden)
    if allowed:
        yield f"forbidden documents not judged, as the query is answerable: {allowed} queries"
