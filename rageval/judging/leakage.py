"""What one side of the split gives away about the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rageval.corpus.document import Corpus
from rageval.golden.question import Question
from rageval.judging.duplicates import near_duplicates
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import Evidence, Span
from rageval.judging.warnings import Doubt

KIND = "leakage"
NEAR = 0.8  # the share of words of near duplicates, where nobody chose one


def leakage(
    labelled: Labelled,
    sides: Mapping[str, str],
    bridging: Iterable[Sequence[str]],
    near: float | None,
) -> list[Doubt]:
    """Return the questions that something on the other side of the split gives away.

    `sides` is the side of each question id, `bridging` the ids of each group on both sides, `near`
    the share of words of near duplicates, None to leave them out. Each question is reported at most
    once, with the first reason that holds:

    - it is of one group with a question of the other side
    - it is nearly the same question as one of the other side, for any asker
    - what answers it overlaps with what answers one of the other side, in less than a document
    """
    questions = {question.id: question for question in labelled.golden}
    found: dict[str, Doubt] = {}
    for name, other, why in (
        *_grouped(bridging, sides),
        *_alike(list(questions.values()), sides, near),
        *_overlapping(labelled, sides),
    ):
        told = f"{why} {other!r}, which is on the {sides[other]} side"
        found.setdefault(name, Doubt(questions[name], KIND, told))
    return [found[name] for name in questions if name in found]


_Pair = tuple[str, str, str]  # question id, id on the other side, what they have in common


def _grouped(bridging: Iterable[Sequence[str]], sides: Mapping[str, str]) -> Iterator[_Pair]:
    for names in bridging:
        for place, name in enumerate(names):
            earlier = [other for other in names[:place] if sides[other] != sides[name]]
            if earlier:
                yield name, earlier[0], "of one group with"


def _alike(
    questions: Sequence[Question], sides: Mapping[str, str], near: float | None
) -> Iterator[_Pair]:
    if near is None:
        return
    texts = [question.text for question in questions]
    for later, earlier in near_duplicates(texts, near, [sides[q.id] for q in questions]):
        yield questions[later].id, questions[earlier].id, "nearly the same question as"


def _overlapping(labelled: Labelled, sides: Mapping[str, str]) -> Iterator[_Pair]:
    """Sweep each document from its beginning; what is open on either side is what reaches on."""
    places: dict[int, list[tuple[int, int, int]]] = {}  # document → start, end, question's place
    for place, item in enumerate(labelled.evidence):
        for span in _parts(item, labelled.corpus):
            places.setdefault(span.document, []).append((span.start, span.end, place))
    names = [question.id for question in labelled.golden]
    for spans in places.values():
        reach: dict[str, tuple[int, int]] = {}  # side → end and question of what reaches furthest
        for start, end, place in sorted(spans):
            side = sides[names[place]]
            for other, (until, holder) in reach.items():
                if other != side and until > start:
                    later, earlier = max(place, holder), min(place, holder)
                    yield names[later], names[earlier], "answered by the same passage as"
            reach[side] = max(reach.get(side, (0, 0)), (end, place))


def _parts(item: Evidence, corpus: Corpus) -> Iterator[Span]:
    """Yield what answers a question and is less than its document."""
    for need in item.requirements:
        for span in need:
            first, last = corpus.contents[span.document]
            if span.start > first or span.end < last:
                yield span
