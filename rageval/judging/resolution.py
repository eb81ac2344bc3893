"""Evidence: the exact characters that labels mean; a set with an unresolved label is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rageval.chunking.chunks import Offsets
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import near_names
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.judging.outline import Outline
from rageval.judging.quotes import Quoting, place_of_quote

_OFFERED = 20  # faults up to which the nearest passage is sought, which takes time


class Span(NamedTuple):
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


def resolve(golden: GoldenSet, corpus: Corpus, quoting: Quoting = "exact") -> tuple[Evidence, ...]:
    """Return each question's evidence, in the order of the set.

    Labels name a document, a heading path, a quote or characters of a document, never a chunk: they
    keep their meaning when the documents are chunked again. A reference that the corpus lacks stops
    the evaluation, for a question whose evidence is gone cannot be scored.

    Raises
    ------
    InputError
        If a reference of any question is unresolved; the message has a line for each.
    """
    evidence, faults = look_up(golden, corpus, quoting)
    if faults:
        raise InputError.of(faults)
    return evidence


def look_up(
    golden: GoldenSet, corpus: Corpus, quoting: Quoting = "exact"
) -> tuple[tuple[Evidence, ...], list[str]]:
    """Return each question's evidence, and a sentence for each reference that the corpus lacks."""
    search = _Search(golden, corpus, quoting)
    return tuple(search.evidence(question) for question in golden), search.faults


def fault_of(question: Question, sentence: str) -> str:
    """Return a fault of a question as a line of an error message.

    Examples
    --------
    >>> fault_of(Question("q1", "Why?", where="set.yaml:3"), "asker 'x' is unknown")
    "set.yaml:3: question 'q1': asker 'x' is unknown"
    """
    where = f"{question.where}: " if question.where else ""
    return f"{where}question {question.id!r}: {sentence}"


class _Search:
    """One pass over a golden set; the headings of a document are read once."""

    def __init__(self, golden: GoldenSet, corpus: Corpus, quoting: Quoting) -> None:
        self.faults: list[str] = []
        self._golden, self._corpus, self._quoting = golden, corpus, quoting
        self._number = corpus.number
        self._outlines: dict[int, Outline] = {}

    def evidence(self, question: Question) -> Evidence:
        needs = question.requirements
        return Evidence(
            tuple([tuple([*self._spans(question, need)]) for need in needs]),
            tuple(self._spans(question, question.distractors)) if question.distractors else (),
        )

    def _spans(self, question: Question, references: tuple[Reference, ...]) -> Iterator[Span]:
        for reference in references:
            number = self._number.get(reference.document)
            try:
                if number is None:
                    raise InputError(self._unknown(reference.document))
                yield Span(number, *self._place(reference, number))
            except InputError as error:
                self.faults.append(fault_of(question, f"unresolved: {reference}: {error}"))

    @cached_property
    def _near(self) -> dict[str, str]:
        """The nearest known name of each unknown one; sought when there is the first of them."""
        return near_names(
            (name for name in _named(self._golden) if name not in self._number), self._number
        )

    def _unknown(self, name: str) -> str:
        return f"the corpus has no such document{self._near[name]}"

    def _place(self, reference: Reference, number: int) -> Offsets:
        text = self._corpus[number].text
        if reference.heading:
            if number not in self._outlines:
                self._outlines[number] = Outline(text)
            return self._outlines[number].place(reference.heading)
        if reference.quote:
            offer = len(self.faults) < _OFFERED
            return place_of_quote(reference.quote, text, offer, self._quoting)
        if reference.span is not None:
            return _checked(reference.span, len(text))
        return 0, len(text)


def _named(golden: GoldenSet) -> Iterator[str]:
    """Yield the document of every reference."""
    for question in golden:
        for references in (*question.requirements, question.distractors):
            yield from (reference.document for reference in references)


def _checked(span: Offsets, length: int) -> Offsets:
    start, end = span
    if not 0 <= start < end <= length:
        raise InputError(f"a span must satisfy 0 ≤ start < end ≤ {length}, the document's length")
    return span
