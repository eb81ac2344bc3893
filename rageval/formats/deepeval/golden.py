"""DeepEval goldens: a JSON list, JSON Lines or CSV, of inputs with their context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import AliasChoices, Field

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.formats.foreign import Draft, ForeignRecord, golden_of, is_table, read_records
from rageval.formats.named import document_of
from rageval.formats.passages import Passages
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


class _Golden(ForeignRecord):
    input: str
    expected_output: str | None = Field(
        None, validation_alias=AliasChoices("expected_output", "expectedOutput")
    )
    context: list[str] | str | None = None
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

    DeepEval writes the texts of a CSV cell with `|` between, which a text may hold, too. A cell is
    cut into as few texts as possible of which the corpus holds every one; where that can be done in
    two ways, or in none, it is refused.
    """

    path: Name
    name: Name | None = None
    separator: str = "|"  # what DeepEval writes between the texts of a cell

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults, passages = Path(self.path), ErrorCollector(), Passages(corpus)
        drafts: list[tuple[int, Draft]] = []
        separator = self.separator if is_table(path) else ""
        joined = 0
        for number, (line, row) in enumerate(read_records(path, _Golden, faults), start=1):
            try:
                texts = _texts(row, passages, separator)
                joined += isinstance(row.context, str) and len(texts) > 1
                name = row.name or f"q{number}"
                drafts.append((line, _draft(name, row, texts, (corpus, passages))))
            except InputError as error:
                faults.add(path, line, f"question {row.name or f'q{number}'!r}: {error}")
        found = golden_of(self.name, path, drafts, faults)
        rows = "row" if joined == 1 else "rows"
        note = f"context cut at {separator!r} where the corpus holds every part: {joined} {rows}"
        return replace(found, notes=(*found.notes, *passages.notes, *([note] if joined else [])))


def _texts(row: _Golden, passages: Passages, separator: str) -> list[str]:
    """Return the texts of a context, cut at a separator where one text holds several.

    Raises
    ------
    InputError
        If it can be cut in several ways, or in none.
    """
    if not isinstance(row.context, str):
        return row.context or []
    if not separator or separator not in row.context or passages.holds(row.context):
        return [row.context]
    ways = _fewest(row.context.split(separator), passages, separator)
    if len(ways) == 1:
        return ways[0]
    how = "in several ways" if ways else "in no way"
    raise InputError(
        f"the context “{row.context[:60]}” can be cut at {separator!r} {how} into texts that the "
        'corpus holds; save the goldens as JSON: dataset.save_as(file_type="json", …)'
    )


def _fewest(parts: list[str], passages: Passages, separator: str) -> list[list[str]]:
    """Return the ways to join neighbouring parts into as few texts of the corpus as possible."""
    best: list[list[list[str]]] = [[[]]]  # ways to cut the first 0, 1, … parts
    for end in range(1, len(parts) + 1):
        ways: list[list[str]] = []
        for begin in range(end):
            text = separator.join(parts[begin:end])
            if best[begin] and passages.holds(text):
                ways += [[*before, text] for before in best[begin]]
        least = min(map(len, ways), default=0)
        best.append([way for way in ways if len(way) == least])
    return best[-1]


def _draft(name: str, row: _Golden, texts: list[str], known: tuple[Corpus, Passages]) -> Draft:
    corpus, passages = known
    source = row.source_file
    return {
        "id": name,
        "question": row.input,
        "supporting": [passages.reference(text) for text in texts],
        "expected": [document_of(source, corpus)] if source and not texts else [],
        "gist": row.expected_output or None,
        "notes": row.comments or None,
    }
