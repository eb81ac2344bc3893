"""Golden questions in the field names of nr_llm's ADR-072, as JSON."""

from __future__ import annotations

from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import Node, compose_json
from rageval.files.text import read_text
from rageval.formats.foreign import Draft, ForeignRecord, checked, golden_of, plain
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


class _Question(ForeignRecord):
    id: str
    question: str
    form: str | None = None
    expectedDocumentIds: list[str]
    hardClass: str | None = None
    answerGist: str | None = None


@component
class AdrGolden:
    """`{"identifier": …, "questions": [{"id", "question", "form", "expectedDocumentIds", …}]}`.

    Any of the expected documents is a hit. An empty list declares a question that nothing answers,
    as the ADR has it. `hardClass` and `answerGist` are read too; a bare list of questions will do.
    """

    path: Name
    name: Name | None = None  # identifier of the set; else the file's own, else its name

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        node = compose_json(read_text(path), path)
        whole = plain(node)
        name = self.name or (whole.get("identifier") if isinstance(whole, dict) else None)
        rows = checked(path, _questions(node), _Question, faults)
        return golden_of(name, path, ((line, _draft(row)) for line, row in rows), faults)


def _questions(node: Node) -> list[Node]:
    if node.tag.endswith("seq"):
        return list(node.value)
    pairs = node.value if node.tag.endswith("map") else []
    return [item for key, value in pairs if key.value == "questions" for item in value.value]


def _draft(row: _Question) -> Draft:
    return {
        "id": row.id,
        "question": row.question,
        "form": row.form.upper() if row.form else None,
        "hard_class": row.hardClass,
        "expected": row.expectedDocumentIds,
        "answerable": None if row.expectedDocumentIds else False,
        "gist": row.answerGist,
    }
