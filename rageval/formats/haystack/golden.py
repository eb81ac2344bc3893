"""Haystack evaluation data: the inputs of 2.x evaluators, or the labels of 1.x."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import compose_json
from rageval.files.text import read_text
from rageval.formats.foreign import (
    Draft,
    ForeignRecord,
    golden_of,
    plain,
    read_record,
    read_records,
)
from rageval.formats.passages import Passages
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


class _Document(ForeignRecord):
    id: str | None = None
    content: str | None = None


class _Inputs(ForeignRecord):
    questions: list[str]
    ground_truth_documents: list[list[_Document]]
    ground_truth_answers: list[str] | None = None


class _Label(ForeignRecord):
    query: str
    document: _Document
    is_correct_document: bool = True
    no_answer: bool | None = None


@component
class HaystackGolden:
    """2.x: `questions`, `ground_truth_documents`, `ground_truth_answers`. 1.x: a list of labels.

    Any of a question's documents is a hit. A document is known by its `id` if the corpus has it,
    else by its `content`, which one document of the corpus must hold. Labels of 1.x (`query`,
    `document`, `is_correct_document`, `no_answer`) are gathered by query; documents marked wrong
    are distractors. An empty list of documents is no label, and so refused; `no_answer` is one.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        place = _Place(corpus, path, faults)
        labels = isinstance(plain(compose_json(read_text(path), path)), list)
        drafts = _of_labels(path, place) if labels else _of_inputs(path, place)
        return golden_of(self.name, path, drafts, faults)


class _Place:
    """Finds documents, and notes those that cannot be found."""

    def __init__(self, corpus: Corpus, path: Path, faults: ErrorCollector) -> None:
        self._corpus, self._passages = corpus, Passages(corpus)
        self._path, self.faults = path, faults

    def of(self, document: _Document, line: int) -> list[str]:
        if document.id in self._corpus.number:
            return [str(document.id)]
        try:
            if not document.content:
                raise InputError(f"the corpus has no document {document.id!r}")
            return [self._passages.reference(document.content)["document"]]
        except InputError as error:
            self.faults.add(self._path, line, str(error))
            return []


def _of_inputs(path: Path, place: _Place) -> list[tuple[int, Draft]]:
    inputs = read_record(path, _Inputs)
    answers = inputs.ground_truth_answers or [""] * len(inputs.questions)
    if not len(inputs.questions) == len(inputs.ground_truth_documents) == len(answers):
        raise InputError(f"{path}: questions, documents and answers differ in number")
    rows = zip(inputs.questions, inputs.ground_truth_documents, answers, strict=True)
    return [
        (
            1,
            {
                "id": f"q{number}",
                "question": question,
                "expected": _unique(name for d in documents for name in place.of(d, 1)),
                "gist": answer or None,
            },
        )
        for number, (question, documents, answer) in enumerate(rows, start=1)
    ]


def _of_labels(path: Path, place: _Place) -> list[tuple[int, Draft]]:
    gathered: dict[str, list[tuple[int, _Label]]] = {}
    for line, label in read_records(path, _Label, place.faults):
        gathered.setdefault(label.query, []).append((line, label))
    return [
        (labels[0][0], _draft(f"q{number}", labels, place))
        for number, labels in enumerate(gathered.values(), start=1)
    ]


def _draft(name: str, labels: list[tuple[int, _Label]], place: _Place) -> Draft:
    silent = any(label.no_answer for _, label in labels)
    right = [pair for pair in labels if pair[1].is_correct_document and not silent]
    wrong = [pair for pair in labels if not pair[1].is_correct_document]
    expected = _unique(name for line, label in right for name in place.of(label.document, line))
    against = _unique(name for line, label in wrong for name in place.of(label.document, line))
    return {
        "id": name,
        "question": labels[0][1].query,
        "expected": expected,
        "distractors": [{"document": document} for document in against],
        "answerable": False if silent else None,
    }


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
