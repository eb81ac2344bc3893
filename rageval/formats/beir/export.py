"""BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rageval.formats.files import write_rows, write_text
from rageval.formats.unsupported import Capacity
from rageval.golden.question import Answerable, Question
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(
    frozenset({"asker", "grades", "the choice between evidence"}), frozenset(Answerable)
)


@component
class BeirExport:
    """A folder; what BEIR has no place for stands in the metadata that our loader reads.

    Targets have their grade, at least 1. Metadata: `asker`, `unanswerable`, `forbidden_sources` of
    queries and `groups` of documents; load it with `dataset.golden.asker_key=asker
    +dataset.corpus.groups_key=groups`.
    """

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the files."""
        root, golden = Path(self.path), labelled.golden
        kept = _CAPACITY.kept(golden)
        write_rows(root / "corpus.jsonl", _documents(labelled))
        write_rows(root / "queries.jsonl", map(_query, kept))
        rows = (
            f"{question.id}\t{name}\t{grade}\n"
            for question in kept
            for name, grade in graded(question).items()
        )
        write_text(root / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\n" + "".join(rows))
        return [*_CAPACITY.losses(golden), *grade_losses(kept)]


def graded(question: Question) -> dict[str, int]:
    """Return the grades of a question's documents; a target has at least 1."""
    targets = {name: max(1, question.grades.get(name, 1)) for name in question.targets}
    return {**targets, **{n: g for n, g in question.grades.items() if n not in targets}}


def grade_losses(questions: list[Question]) -> Iterator[str]:
    """Yield what grades alone cannot tell."""
    more = [
        q for q in questions if any(q.grades.get(n, 0) > 0 for n in q.grades.keys() - {*q.targets})
    ]
    if more:
        shown = ", ".join(question.id for question in more[:3])
        yield f"graded documents become targets: {len(more)} questions ({shown})"


def _documents(labelled: Labelled) -> Iterator[dict[str, Any]]:
    for document in labelled.corpus:
        metadata = {"groups": sorted(document.groups)} if document.groups else {}
        yield {"_id": document.id, "title": "", "text": document.text, "metadata": metadata}


def _query(question: Question) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if question.asker is not None:
        metadata["asker"] = question.asker
    if question.answerable is Answerable.NO:
        metadata["unanswerable"] = True
    if question.forbidden:
        metadata["forbidden_sources"] = list(question.forbidden)
    return {"_id": question.id, "text": question.text, "metadata": metadata}
