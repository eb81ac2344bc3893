"""Labels that can be judged and still look wrong: warnings, not faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rageval.corpus.document import Corpus
from rageval.golden.question import Answerable, GoldenSet, Question, Reference
from rageval.judging.duplicates import near_duplicates
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import Evidence, Span, fault_of

_SEVERAL = ("multi_chunk", "multi_hop")  # tags that say that several pieces are needed
_HEADING = re.compile(
    r"^[^\n]*\n {0,3}(?:=+|-+)[ \t]*$|^ {0,3}#{1,6}(?:[ \t][^\n]*)?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """What looks wrong about a question."""

    question: Question
    kind: str  # leakage | duplicate | scope | words | empty | arity | distractor
    sentence: str

    def __str__(self) -> str:
        return fault_of(self.question, self.sentence)


def doubts(labelled: Labelled, near: float | None) -> list[Doubt]:
    """Return what looks wrong, by question; `near` is the share of words of near duplicates.

    - duplicate: nearly the same question, of the same asker after the same history
    - scope: the asker may see none of the alternatives of a piece of evidence, so nobody can win
    - words: the question has no letter and no digit
    - empty: a heading that is evidence has no text under it, or a document has none at all
    - arity: tagged multi_chunk or multi_hop, with less than two pieces of evidence
    - distractor: a distractor holds the quoted answer
    """
    found = [
        Doubt(question, kind, sentence)
        for question, item in zip(labelled.golden, labelled.evidence, strict=True)
        for kind, sentence in _of_question(question, item, labelled)
    ]
    found += _duplicates(labelled.golden, near) if near is not None else []
    place = {question.id: number for number, question in enumerate(labelled.golden)}
    return sorted(found, key=lambda doubt: place[doubt.question.id])


def _of_question(
    question: Question, evidence: Evidence, labelled: Labelled
) -> Iterator[tuple[str, str]]:
    corpus = labelled.corpus
    for sentence in _scope(question, evidence, labelled):
        yield "scope", sentence
    if not any(map(str.isalnum, question.text)):
        yield "words", f"the question {question.text[:60]!r} has no word to search for"
    for what in _empty(question, evidence, corpus):
        yield "empty", f"the {what} is empty, it holds no evidence"
    for tag in question.tags:
        needs = len(question.requirements)
        if tag in _SEVERAL and needs < 2:
            yield "arity", f"the tag {tag}, but {needs or 'no'} item of evidence"
    for sentence in _distractors(question, evidence, corpus):
        yield "distractor", sentence


def _scope(question: Question, evidence: Evidence, labelled: Labelled) -> Iterator[str]:
    if question.answerable is not Answerable.YES:
        return
    groups = labelled.access.groups(question.asker)
    for need in evidence.requirements:
        if not any(labelled.corpus[span.document].visible_to(groups) for span in need):
            names = dict.fromkeys(labelled.corpus[span.document].id for span in need)
            told = (
                f"the asker {question.asker!r} may not see what answers it"
                if question.asker
                else "it names no asker, and what answers it is not public"
            )
            yield f"{told}: {', '.join(names)}"


def _empty(question: Question, evidence: Evidence, corpus: Corpus) -> Iterator[str]:
    for reference, span in _pairs(question.requirements, evidence.requirements):
        text = _text(corpus, span)
        if not text.strip():
            yield f"document {reference.document}"
        elif reference.heading and not _HEADING.sub("", text).strip():
            yield f"section {reference}"


def _distractors(question: Question, evidence: Evidence, corpus: Corpus) -> Iterator[str]:
    quotes = [
        reference.quote for need in question.supporting for reference in need if reference.quote
    ]
    for reference, span in zip(question.distractors, evidence.distractors, strict=True):
        held = [quote for quote in quotes if quote in _text(corpus, span)]
        if held:
            yield f"the distractor {reference} holds the quote of the answer “{held[0][:60]}”"


def _duplicates(golden: GoldenSet, near: float) -> list[Doubt]:
    asked: dict[tuple[str | None, tuple[str, ...]], list[Question]] = {}
    for question in golden:
        asked.setdefault((question.asker, question.history), []).append(question)
    return [
        Doubt(rows[later], "duplicate", f"nearly the same question as {rows[earlier].id!r}")
        for rows in asked.values()
        for later, earlier in near_duplicates([question.text for question in rows], near)
    ]


def _pairs(
    needs: Sequence[Sequence[Reference]], spans: Sequence[Sequence[Span]]
) -> Iterator[tuple[Reference, Span]]:
    for references, places in zip(needs, spans, strict=True):
        yield from zip(references, places, strict=True)


def _text(corpus: Corpus, span: Span) -> str:
    return corpus[span.document].text[span.start : span.end]
