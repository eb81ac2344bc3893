"""TREC topics with their judgements as a golden set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector, near_names
from rageval.formats.beir.golden import dangling_note
from rageval.formats.trec.qrels import read_qrels
from rageval.formats.trec.topics import read_topics
from rageval.formats.trec.words import name_of
from rageval.golden.consistency import contradictions
from rageval.golden.names import unfit_names
from rageval.golden.question import Answerable, GoldenSet, Question, Reference, Requirement
from rageval.golden.source import name_from
from rageval.schema.fields import Flag, Name, component
from rageval.schema.names import set_fault

Judged = dict[str, dict[str, int]]  # query → document → grade


@component
class TrecGolden:
    """Topics (tagged, or `id<tab>text`) with qrels (`query iteration document grade`), also .gz.

    Documents with a grade of at least `relevant_from` are `expected`, any of which is a hit
    (`relevance="any"`), or one `supporting` item each (`"all"`). Every judgement is kept in
    `grades`. Topics without such a document are left out and counted, or read as questions that
    nothing answers (`bare="unanswerable"`). With `encoded` ids are read as our TREC export writes
    them, `%20` for a blank. A judgement of a topic or a document that is not there is refused, or
    left out and counted (`dangling="drop"`).
    """

    topics: Name
    qrels: Name
    field: Name = "title"  # of tagged topics
    relevance: Literal["any", "all"] = "any"
    relevant_from: int = 1
    bare: Literal["leave_out", "unanswerable"] = "leave_out"
    encoded: Flag = False
    dangling: Literal["refuse", "drop"] = "refuse"
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read both files; the faults of each are raised together."""
        if self.name is not None and set_fault(self.name):
            raise InputError(str(set_fault(self.name)))
        path, faults = Path(self.topics), ErrorCollector()
        topics = {self._id(name): row for name, row in read_topics(path, self.field).items()}
        judged, dropped = self._judged(set(topics), corpus, faults)
        found = [
            self._question(name, words, judged.get(name, {}), f"{path}:{line}")
            for name, (line, words) in topics.items()
        ]
        kept = tuple(q for q in found if q.targets or q.answerable is Answerable.NO)
        for question in kept:
            for sentence in (*contradictions(question), *unfit_names(question)):
                faults.add(path, topics[question.id][0], f"question {question.id!r}: {sentence}")
        if not kept:
            faults.add(Path(self.qrels), 0, "no topic has a relevant document")
        faults.raise_if_any()
        lost = len(found) - len(kept)
        note = f"left out, as no document is relevant to them: {lost} of {len(found)} topics"
        notes = (*dangling_note(dropped), *([note] if lost else []))
        return GoldenSet(self.name or name_from(path), kept, notes)

    def _id(self, name: str) -> str:
        return name_of(name) if self.encoded else name

    def _judged(
        self, topics: set[str], corpus: Corpus, faults: ErrorCollector
    ) -> tuple[Judged, int]:
        """Return the grades, and how many judgements were left out as nothing is there for them."""
        path, judged = Path(self.qrels), Judged()
        qrels = read_qrels(path)
        queries = [self._id(name) for name in qrels.queries]
        documents = [self._id(name) for name in qrels.documents]
        near = near_names((name for name in documents if name not in corpus.number), corpus.number)
        rows = zip(*(column.tolist() for column in (qrels.query, qrels.document)), strict=True)
        dropped = 0
        for row, (query, document) in enumerate(rows):
            unknown = list(_unknown((queries[query], documents[document]), topics, near))
            if unknown and self.dangling == "drop":
                dropped += 1
                continue
            for sentence in unknown:
                faults.add(path, int(qrels.line[row]), sentence)
            judged.setdefault(queries[query], {})[documents[document]] = int(qrels.grade[row])
        return judged, dropped

    def _question(self, name: str, words: str, grades: dict[str, int], where: str) -> Question:
        right = tuple(n for n, grade in grades.items() if grade >= self.relevant_from)
        needs: tuple[Requirement, ...] = tuple((Reference(n),) for n in right)
        silent = self.bare == "unanswerable" and not right
        return Question(
            id=name,
            text=words,
            expected=right if self.relevance == "any" else (),
            supporting=needs if self.relevance == "all" else (),
            answerable=Answerable.NO if silent else Answerable.YES,
            grades={} if silent else grades,
            where=where,
        )


def _unknown(pair: tuple[str, str], topics: set[str], near: dict[str, str]) -> Iterator[str]:
    query, document = pair
    if query not in topics:
        yield f"query {query!r} is not among the topics"
    if document in near:
        yield f"question {query!r}: document {document!r} is not in the corpus{near[document]}"
