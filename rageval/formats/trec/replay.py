"""A TREC run in the place of a retriever, to score what another system returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from rageval.errors import InputError
from rageval.formats.trec.run import read_run
from rageval.formats.trec.topics import read_topics
from rageval.formats.trec.words import name_of
from rageval.schema.fields import Flag, Name, component

Hit = tuple[str, float]


@component
class RunFile:
    """Answers each question with the ranking that a TREC run has for it, in trec_eval's order.

    `topics` says which query of the run a question is, by its text; white space does not count.
    A query that the run lacks gets nothing, and so is a miss. The run's documents are whole ones:
    use it with `chunking=whole`. Scopes cannot be applied to what has been returned: a document
    outside the asker's is counted as a leak.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ()

    run: Name
    topics: Name
    field: Name = "title"  # of tagged topics
    encoded: Flag = False  # ids are percent-encoded, as our own exports have them

    def index(self, passages: Sequence[Any]) -> None:
        """Read both files, so that their faults are told before the first question."""
        self._hits  # noqa: B018  reading is what it is for

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the first documents of a question's ranking with their scores."""
        text = " ".join(question.split())
        if text not in self._queries:
            raise InputError(f"{self.topics} has no topic with the text {text!r}")
        return self._hits.get(self._queries[text], [])[:limit]

    def notes(self, questions: Sequence[str]) -> Iterator[str]:
        """Say how many questions the run has no ranking for."""
        texts = [" ".join(question.split()) for question in questions]
        lost = sum(1 for text in texts if not self._hits.get(self._queries.get(text, "")))
        if lost:
            has = "has no ranking" if lost == 1 else "have no ranking"
            counts = "counts as a miss" if lost == 1 else "count as misses"
            yield f"{lost} of {len(texts)} questions {has} in {self.run} and {counts}"

    @cached_property
    def _queries(self) -> dict[str, str]:
        queries: dict[str, str] = {}
        for name, (line, text) in read_topics(Path(self.topics), self.field).items():
            if text in queries:
                told = f"{self.topics}:{line}: queries {queries[text]!r} and {name!r} say the same"
                raise InputError(f"{told}, so a question cannot tell which it is")
            queries[text] = name
        return queries

    @cached_property
    def _hits(self) -> dict[str, list[Hit]]:
        run = read_run(Path(self.run))
        if not set(run.queries) & set(self._queries.values()):
            shown = ", ".join(map(repr, run.queries[:3]))
            raise InputError(
                f"{self.run}: none of its {len(run.queries)} queries ({shown}, …) is among the "
                f"{len(self._queries)} of {self.topics}"
            )
        names = [name_of(name) if self.encoded else name for name in run.documents]
        hits: dict[str, list[Hit]] = {query: [] for query in self._queries.values()}
        rows = zip(run.query.tolist(), run.document.tolist(), run.score.tolist(), strict=True)
        for query, document, score in rows:
            if run.queries[query] in hits:
                hits[run.queries[query]].append((names[document], score))
        return hits
