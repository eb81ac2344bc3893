"""The documents that a golden set names, for an index whose texts are not at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.canonical.golden import GoldenFile
from rageval.formats.trec.ids import IdsCorpus
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.schema.fields import Name, component

_NO_DOCUMENT = Corpus((Document("none", "none"),), "no corpus")


@component
class LabelledDocuments:
    """The documents that the labels of a golden file name; the text of each is its id.

    Labels must mean whole documents: headings, quotes and spans need the text. `version` stands in
    for the digest of the texts: results of different versions are not compared.
    """

    path: Name  # the golden file
    version: Name | None = None

    def load(self) -> Corpus:
        """Read the golden file.

        Raises
        ------
        InputError
            If it cannot be read, or a label means a part of a document.
        """
        golden = GoldenFile(self.path).load(_NO_DOCUMENT)
        parts = [
            f"{question.where}: question {question.id!r}: {reference}: a part of a document needs "
            "its text: label the whole document, or give the corpus"
            for question in golden
            for reference in _references(question)
            if reference.heading or reference.quote or reference.span is not None
        ]
        if parts:
            raise InputError.of(parts)
        return IdsCorpus(
            tuple(Document(name, name) for name in dict.fromkeys(_names(golden))),
            str(Path(self.path)),
            version=self.version,
        )


def _references(question: Question) -> Iterator[Reference]:
    for need in question.requirements:
        yield from need
    yield from question.distractors


def _names(golden: GoldenSet) -> Iterator[str]:
    """Yield the document of every label."""
    for question in golden:
        yield from (reference.document for reference in _references(question))
        yield from (*question.targets, *question.grades, *question.forbidden)
