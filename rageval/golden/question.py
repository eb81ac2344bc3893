"""Questions with their labels, and the golden set that they make up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from rageval.schema.fingerprint import digest


class Answerable(Enum):
    """Whether the corpus answers the question for its asker."""

    YES = "true"
    NO = "false"  # nothing answers it; right is to return nothing
    DENIED = "denied"  # the asker may not see what answers it; right is not to return that


@dataclass(frozen=True, slots=True)
class Reference:
    """A label as written: a whole document, or a heading, a quote or a span of it (at most one)."""

    document: str
    heading: tuple[str, ...] = ()  # path of headings from the top; () = none given
    quote: str = ""  # text that occurs exactly once; "" = none given
    span: tuple[int, int] | None = None  # half-open characters

    def __str__(self) -> str:
        if self.heading:
            return f"{self.document} / {' > '.join(self.heading)}"
        if self.quote:
            return f"{self.document} / “{self.quote}”"
        if self.span is not None:
            return f"{self.document} [{self.span[0]}:{self.span[1]}]"
        return self.document


Requirement = tuple[Reference, ...]  # any one of these satisfies it


@dataclass(frozen=True, slots=True)
class Question:
    """A question, who asks it, and what a retriever should find for it."""

    id: str
    text: str
    form: str | None = None  # MATCH | GAP
    hard_class: str | None = None
    tags: tuple[str, ...] = ()
    asker: str | None = None  # None: public documents only
    history: tuple[str, ...] = ()  # earlier turns, oldest first
    expected: tuple[str, ...] = ()  # any of these documents is a hit
    supporting: tuple[Requirement, ...] = ()  # all of these are needed
    distractors: tuple[Reference, ...] = ()
    answerable: Answerable = Answerable.YES
    forbidden: tuple[str, ...] = ()  # documents that must not be returned
    grades: Mapping[str, int] = field(default_factory=dict)  # document → relevance, for nDCG
    group: str | None = None  # questions of one group stay on one side of a split
    split: str | None = None  # dev | holdout, where the data decides it
    draft: bool = False  # to be confirmed by a person; not scored until then
    source: str | None = None
    added: str | None = None  # ISO date
    gist: str | None = None  # never scored
    notes: str | None = None  # never scored
    where: str = ""  # file:line, for messages

    @property
    def targets(self) -> tuple[str, ...]:
        """The documents of which any is a hit: `expected`, or else those of `supporting`."""
        if self.expected:
            return self.expected
        return tuple(dict.fromkeys(ref.document for need in self.supporting for ref in need))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The evidence needed: `supporting`, or else one whole document of `expected`."""
        if self.supporting or not self.expected:
            return self.supporting
        return (tuple([Reference(name) for name in self.expected]),)


@dataclass(frozen=True)
class GoldenSet:
    """Questions under one identifier, in the order of their source."""

    name: str  # lowercase [a-z0-9_] segments joined by dots
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()  # what the loader left out, as sentences

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    @cached_property
    def digest(self) -> str:
        """Name all that scoring reads: not the order, gists or notes (64 hex digits)."""
        return digest(sorted(scored_fields(question) for question in self.questions))


def scored_fields(question: Question) -> str:
    """Return one question's digest over every field that scoring reads (64 hex digits)."""
    asked = {
        "id": question.id,
        "text": question.text,
        "form": question.form,
        "hard_class": question.hard_class,
        "tags": question.tags,
        "asker": question.asker,
        "answerable": question.answerable.value,
        "group": question.group,
    }
    return label_digest(asked, label_of(question))


def label_digest(asked: Mapping[str, Any], label: Mapping[str, Any]) -> str:
    """Return the digest of a question from its own fields and its label (64 hex digits)."""
    return digest({**asked, **label, "tags": sorted(asked["tags"])})


def label_of(question: Question) -> dict[str, Any]:
    """Return what scoring reads of a question beside its text, names and tags, as plain values."""
    return {
        "history": list(question.history),
        "expected": sorted(question.expected),
        "supporting": [sorted(map(_parts, need)) for need in question.supporting],
        "distractors": [_parts(ref) for ref in question.distractors],
        "forbidden": sorted(question.forbidden),
        "grades": dict(question.grades),
    }


def judgements(question: Question) -> list[list[str]]:
    """Return the labels one by one, each as its kind and what it names.

    They say what was added, removed or changed between two states of a set, which a digest cannot.
    References are written as JSON, so that no two of them read alike.

    Examples
    --------
    >>> found = Question("q", "?", expected=("a", "b"), grades={"a": 2})
    >>> judgements(found)  # doctest: +NORMALIZE_WHITESPACE
    [['answerable', 'true'], ['asker', 'null'], ['history', '[]'], ['expected', 'a'],
     ['expected', 'b'],
     ['supporting', '["a", [], "", []]', '["b", [], "", []]'], ['grade', 'a', '2']]
    """
    return judgements_of(question.answerable.value, question.asker, label_of(question))


def judgements_of(answerable: str, asker: str | None, label: Mapping[str, Any]) -> list[list[str]]:
    """Return the labels one by one (see `judgements`) of a question whose label was kept."""
    expected, supporting = label["expected"], label["supporting"]
    targets = expected or dict.fromkeys(ref[0] for need in supporting for ref in need)
    whole = [[[document, [], "", []] for document in expected]] if expected else []
    return [
        ["answerable", answerable],
        ["asker", _written(asker)],
        ["history", _written(label["history"])],
        *(["expected", document] for document in targets),
        *(["supporting", *map(_written, need)] for need in supporting or whole),
        *(["distractor", _written(reference)] for reference in label["distractors"]),
        *(["forbidden", document] for document in label["forbidden"]),
        *(["grade", document, str(grade)] for document, grade in label["grades"].items()),
    ]


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts(reference: Reference) -> list[object]:
    span = None if reference.span is None else list(reference.span)
    return [reference.document, list(reference.heading), reference.quote, span or []]
