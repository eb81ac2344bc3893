"""Questions that belong together: what one of them teaches gives the others away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rageval.corpus.document import Corpus
from rageval.golden.question import GoldenSet, Question
from rageval.judging.resolution import Evidence


def group_keys(golden: GoldenSet, evidence: Sequence[Evidence], corpus: Corpus) -> dict[str, str]:
    """Return for each question id the key of its group.

    Questions belong together when they name the same `group:` or need an identical span of evidence
    that is smaller than its document, directly or through other questions. Whole documents do not
    tie questions together: in a collection judged by documents nearly all would be one group. A
    group's key is its first `group:` name, else its first span, else the question's own id.
    """
    ties = _Ties()
    for question, item in zip(golden, evidence, strict=True):
        own = _own(question)
        for tie in _ties_of(question, item, corpus):
            ties.join(own, tie)
    return {question.id: _told(ties.root(_own(question))) for question in golden}


_Tie = tuple[int, str]  # what ties, the strongest first: 0 a group, 1 a span, 2 the question itself


class _Ties:
    """Joined ties; the root of each is the smallest one it is joined with."""

    def __init__(self) -> None:
        self._above: dict[_Tie, _Tie] = {}

    def root(self, tie: _Tie) -> _Tie:
        while tie in self._above:
            above = self._above[tie]
            if above in self._above:  # halve the way for the next time
                self._above[tie] = self._above[above]
            tie = above
        return tie

    def join(self, one: _Tie, other: _Tie) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        if low != high:
            self._above[high] = low


def _own(question: Question) -> _Tie:
    return 2, question.id


def _ties_of(question: Question, item: Evidence, corpus: Corpus) -> Iterator[_Tie]:
    if question.group is not None:
        yield 0, question.group
    for spans in item.requirements:
        for span in spans:
            first, last = corpus.contents[span.document]
            if span.start > first or span.end < last:
                yield 1, f"{corpus[span.document].id} [{span.start}:{span.end}]"


def _told(tie: _Tie) -> str:
    kind = ("group", "span", "question")[tie[0]]
    return f"{kind} {tie[1]}"
