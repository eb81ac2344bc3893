"""The questions of Chroma's chunking_evaluation: a CSV file with exact spans."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector, listed
from rageval.files.text import folder, read_text
from rageval.formats.foreign import Draft, ForeignRecord, golden_of
from rageval.formats.table.rows import read_table
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component
from rageval.schema.validation import sentences

_COLUMNS = ["question", "references", "corpus_id"]


class _Reference(ForeignRecord):
    content: str
    start_index: int  # half-open characters
    end_index: int


_REFERENCES = TypeAdapter(list[_Reference])


@component
class ChromaGolden:
    """`questions_df.csv` in a folder: `question`, `references` (JSON) and `corpus_id`.

    Every reference is needed, and each must say what its span of the document says; its place is
    the span's, never the first place of its text. Questions are named by corpus and row. The
    documents are the files of the folder's `corpora`.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        root, faults = folder(self.path), ErrorCollector()
        path = root / "questions_df.csv"
        rows = list(read_table(read_text(path), path, faults))
        if not rows or rows[0][1] != _COLUMNS:
            faults.add(path, 1, f"the columns {', '.join(_COLUMNS)} are needed")
            faults.raise_if_any()
        drafts: list[tuple[int, Draft]] = []
        for number, (line, cells) in enumerate(rows[1:], start=1):
            try:
                drafts.append((line, _draft(number, cells, corpus)))
            except InputError as error:
                faults.add(path, line, str(error))
        return golden_of(self.name, root, drafts, faults)


def _draft(number: int, cells: list[str], corpus: Corpus) -> Draft:
    if len(cells) != len(_COLUMNS):
        raise InputError(f"{len(cells)} cells, {len(_COLUMNS)} are needed")
    question, references, name = cells
    document = corpus.find(name)
    if document is None:
        raise InputError(f"corpus_id {name!r} is no document; there are: {listed(corpus.number)}")
    try:
        found = _REFERENCES.validate_json(references)
    except ValidationError as fault:
        raise InputError.of(sentences(fault, "references", _Reference)) from fault
    for one in found:
        if document.text[one.start_index : one.end_index] != one.content:
            place = f"{name} [{one.start_index}:{one.end_index}]"
            raise InputError(f"{place} does not say {one.content[:60]!r}")
    return {
        "id": f"{name}-{number}",
        "question": question,
        "supporting": [
            {"document": name, "span": [one.start_index, one.end_index]} for one in found
        ],
    }
