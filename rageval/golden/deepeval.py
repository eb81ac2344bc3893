"""DeepEval goldens: a JSON list, or JSON Lines, of inputs with their context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import AliasChoices, Field

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.faults import Faults
from rageval.fields import Name, component
from rageval.golden.foreign import Draft, ForeignRecord, golden_of, read_records
from rageval.golden.named import document_of
from rageval.golden.passages import Passages
from rageval.golden.question import GoldenSet


class _Golden(ForeignRecord):
    input: str
    expected_output: str | None = Field(
        None, validation_alias=AliasChoices("expected_output", "expectedOutput")
    )
    context: list[str] | None = None
    source_file: str | None = Field(
        None, validation_alias=AliasChoices("source_file", "sourceFile")
    )
    name: str | None = None
    comments: str | None = None


@component
class DeepEvalGolden:
    """`input`, `context`, `expected_output`, `source_file`, `name`, `comments`.

    Every text of `context` is needed and must stand in one document of the corpus. Without any,
    `source_file` names the document: by its id, or its file name with or without suffix. What a
    system answered (`actual_output`, `retrieval_context`) is not read. A golden without a `name` is
    named q1, q2, … by its row.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults, passages = Path(self.path), Faults(), Passages(corpus)
        drafts: list[tuple[int, Draft]] = []
        for number, (line, row) in enumerate(read_records(path, _Golden, faults), start=1):
            try:
                drafts.append((line, _draft(row.name or f"q{number}", row, (corpus, passages))))
            except InputError as error:
                faults.add(path, line, f"question {row.name or f'q{number}'!r}: {error}")
        found = golden_of(self.name, path, drafts, faults)
        return replace(found, notes=(*found.notes, *passages.notes))


def _draft(name: str, row: _Golden, known: tuple[Corpus, Passages]) -> Draft:
    corpus, passages = known
    source = row.source_file
    return {
        "id": name,
        "question": row.input,
        "supporting": [passages.reference(text) for text in row.context or []],
        "expected": [document_of(source, corpus)] if source and not row.context else [],
        "gist": row.expected_output or None,
        "notes": row.comments or None,
    }
