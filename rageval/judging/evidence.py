"""Evidence: what a question's labels mean in a corpus, as exact characters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a document; a whole document is the span of all its characters."""

    document: int  # number of the document in its corpus
    start: int  # half-open characters
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one question.

    All requirements are needed; any span of a requirement satisfies it (AND of ORs). `expected`
    documents are the alternatives of one requirement, each `supporting` item is one of its own.
    """

    requirements: tuple[tuple[Span, ...], ...]
    distractors: tuple[Span, ...]
