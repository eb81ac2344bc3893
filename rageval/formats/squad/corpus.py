"""The paragraphs of a SQuAD file as a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.nodes import load_json
from rageval.files.text import read_text
from rageval.schema.fields import Name, component
from rageval.schema.validation import sentences


class Answer(BaseModel):
    """Text and where it begins, in characters of the paragraph."""

    text: str
    answer_start: int


class Asked(BaseModel):
    """A question of a paragraph."""

    id: str
    question: str
    answers: list[Answer] = []
    is_impossible: bool = False


class Paragraph(BaseModel):
    """A text with its questions."""

    context: str
    qas: list[Asked] = []


class Article(BaseModel):
    """Paragraphs under a title."""

    title: str
    paragraphs: list[Paragraph]


class SquadFile(BaseModel):
    """A file of SQuAD 1.1 or 2.0."""

    data: list[Article]

    def paragraphs(self) -> Iterator[tuple[str, Paragraph]]:
        """Yield every paragraph with its id: the title, and its number where there are several."""
        for article in self.data:
            several = len(article.paragraphs) > 1
            for number, paragraph in enumerate(article.paragraphs):
                yield f"{article.title}/{number}" if several else article.title, paragraph


def read_squad(path: Path) -> SquadFile:
    """Return the content of a SQuAD file.

    Raises
    ------
    InputError
        If it is not JSON of that form; the message has a line for each fault.
    """
    try:
        content: Any = load_json(read_text(path), path)
        return SquadFile.model_validate(content, strict=True)
    except ValidationError as fault:
        raise InputError.of(
            f"{path}: {sentence}" for sentence in sentences(fault, "", SquadFile)
        ) from fault


@component
class SquadCorpus:
    """Every paragraph is a document: `<title>/<number>`, or the title where it is alone."""

    path: Name

    def load(self) -> Corpus:
        """Read the file; its faults are raised together."""
        found = read_squad(Path(self.path)).paragraphs()
        return Corpus(tuple(Document(name, item.context) for name, item in found), self.path)
