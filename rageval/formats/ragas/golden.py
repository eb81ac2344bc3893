"""Ragas test sets: rows of JSON, JSON Lines or CSV with the texts that answer each question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import AliasChoices, Field

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.formats.foreign import Draft, ForeignRecord, golden_of, read_records
from rageval.formats.passages import Passages
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


class _Sample(ForeignRecord):
    user_input: str = Field(validation_alias=AliasChoices("user_input", "question"))
    reference_contexts: list[str] | str | None = Field(
        None, validation_alias=AliasChoices("reference_contexts", "contexts")
    )
    reference_context_ids: list[str] | None = None
    reference: str | None = Field(None, validation_alias=AliasChoices("reference", "ground_truth"))
    synthesizer_name: str | None = None


@component
class RagasGolden:
    """`user_input`, `reference_contexts` or `reference_context_ids`, and `reference`.

    Every context is needed. Ids name documents, and a text beside an id is a quote of it; texts
    without ids are looked up in the corpus, which must hold each in one document. What a system
    answered (`response`, `retrieved_contexts`) is not read. The names of Ragas before 0.2
    (`question`, `contexts`, `ground_truth`) will do. Questions are named q1, q2, … by their row.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults, passages = Path(self.path), ErrorCollector(), Passages(corpus)
        drafts: list[tuple[int, Draft]] = []
        rows = read_records(path, _Sample, faults)
        for number, (line, row) in enumerate(rows, start=1):
            try:
                drafts.append((line, _draft(f"q{number}", row, passages)))
            except InputError as error:
                faults.add(path, line, f"question 'q{number}': {error}")
        found = golden_of(self.name, path, drafts, faults)
        return replace(found, notes=(*found.notes, *passages.notes))


def _draft(name: str, row: _Sample, passages: Passages) -> Draft:
    return {
        "id": name,
        "question": row.user_input,
        "supporting": _supporting(row, passages),
        "source": row.synthesizer_name or None,
        "gist": row.reference or None,
    }


def _supporting(row: _Sample, passages: Passages) -> list[Mapping[str, str]]:
    given, ids = row.reference_contexts or [], row.reference_context_ids or []
    texts = [given] if isinstance(given, str) else given
    if not ids:
        return [passages.reference(text) for text in texts]
    if not texts:
        return [{"document": name} for name in ids]
    if len(texts) != len(ids):
        raise InputError(f"{len(texts)} reference_contexts, but {len(ids)} reference_context_ids")
    return [passages.place(name, text) for name, text in zip(ids, texts, strict=True)]
