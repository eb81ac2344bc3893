from dataclasses import dataclass

import pytest

from rageval.chunking.chunks import Offsets, cut
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.judging.qrels import Partial, Qrels, judge
from rageval.judging.resolution import Evidence, Span


@dataclass
class Given:
    """A chunker that cuts where the test says."""

    places: dict[str, list[Offsets]]

    def spans(self, document: Document) -> list[Offsets]:
        return self.places[document.id]


def chunks(**places: list[Offsets]):
    length = 300
    corpus = Corpus(tuple(Document(name, "x" * length) for name in places), "test")
    return cut(corpus, Given(places))


def rows(qrels: Qrels) -> list[tuple[int, ...]]:
    columns = (qrels.question, qrels.requirement, qrels.alternative, qrels.chunk)
    return [tuple(map(int, row)) for row in zip(*columns, strict=True)]


def supporting(span: Offsets, chunk: Offsets, **options) -> bool:
    """Say whether a chunk supports a span of the same document."""
    qrels = judge([Evidence(((Span(0, *span),),), ())], chunks(d=[chunk]), **options)
    return len(qrels.chunk) > 0


@pytest.mark.parametrize(
    ("chunk", "supports"),
    [
        ((0, 150), True),  # 50 of the evidence's 100
        ((0, 149), False),  # 49 of 100, and of its own 149
        ((190, 205), True),  # 10 of its own 15
        ((195, 205), True),  # 5 of its own 10
        ((194, 207), False),  # 6 of its own 13
        ((200, 300), False),  # touches only
        ((0, 100), False),  # touches only
        ((99, 101), True),  # 1 of its own 2
        ((0, 300), True),  # all of the evidence
        ((120, 121), True),  # all of the chunk
    ],
)
def test_a_chunk_supports_when_half_of_it_or_of_the_evidence_is_shared(chunk, supports):
    assert supporting((100, 200), chunk) is supports


def test_the_share_that_is_needed_can_be_set():
    assert supporting((100, 200), (0, 130), min_overlap=0.3)  # 30 of 100, equal is enough
    assert not supporting((100, 200), (0, 129), min_overlap=0.3)
    assert supporting((100, 200), (0, 101), min_overlap=0)
    assert not supporting((100, 200), (0, 100), min_overlap=0)
    assert supporting((100, 200), (50, 200), min_overlap=1)
    assert not supporting((100, 200), (50, 199), min_overlap=1)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_of_0_to_1_is_refused(share):
    with pytest.raises(InputError, match="within 0..1"):
        judge([], chunks(d=[(0, 9)]), min_overlap=share)


def test_rows_name_requirement_alternative_and_chunk_in_order():
    cut_up = chunks(a=[(0, 100), (100, 200), (200, 300)], b=[(0, 150), (150, 300)])
    evidence = [
        Evidence(((Span(1, 150, 160), Span(0, 0, 200)), (Span(0, 120, 130),)), ()),
        Evidence((), ()),
        Evidence(((Span(0, 250, 260),),), ()),
    ]
    qrels = judge(evidence, cut_up)
    assert rows(qrels) == [
        (0, 0, 0, 4),
        (0, 0, 1, 0),
        (0, 0, 1, 1),
        (0, 1, 0, 1),
        (2, 0, 0, 2),
    ]
    assert qrels.required.tolist() == [2, 0, 1]
    assert qrels.unsupported == ()
    assert qrels.chunk.dtype == qrels.required.dtype == "int32"


def test_every_chunk_of_a_document_supports_the_document():
    cut_up = chunks(a=[(0, 10)], b=[(0, 100), (50, 60), (290, 300)])
    qrels = judge([Evidence(((Span(1, 0, 300),),), ())], cut_up)
    assert qrels.chunk.tolist() == [1, 2, 3]
    assert qrels.partial == ()


def test_a_chunk_inside_of_another_does_not_hide_it():
    cut_up = chunks(a=[(0, 300), (10, 20), (30, 40)])
    qrels = judge([Evidence(((Span(0, 200, 210),),), ())], cut_up)
    assert qrels.chunk.tolist() == [0]


def test_evidence_that_no_chunk_holds_is_a_miss_of_the_chunking():
    cut_up = chunks(a=[(0, 100), (100, 200), (200, 300)])
    evidence = [Evidence(((Span(0, 60, 240),), (Span(0, 0, 10),)), ())]
    # the middle chunk lies in [60, 240), which is enough; of the evidence it holds 100 of 180
    qrels = judge(evidence, cut_up)
    assert qrels.unsupported == ()
    assert qrels.partial == (Partial(0, 0, 100 / 180),)
    third = [Evidence(((Span(0, 65, 135),),), ())]  # 35 of 70 on either side
    assert judge(third, cut_up).chunk.tolist() == [0, 1]
    strict = judge(third, cut_up, min_overlap=0.6)
    assert strict.unsupported == ((0, 0),)
    assert strict.partial == (Partial(0, 0, 0.5),)


def test_evidence_in_characters_that_were_dropped_is_unsupported():
    qrels = judge([Evidence(((Span(0, 50, 60),),), ())], chunks(a=[(0, 50), (60, 300)]))
    assert qrels.unsupported == ((0, 0),)
    assert qrels.partial == ()


def test_an_alternative_that_is_held_whole_makes_the_requirement_whole():
    cut_up = chunks(a=[(0, 100), (100, 200)])
    qrels = judge([Evidence(((Span(0, 90, 110), Span(0, 0, 9)),), ())], cut_up)
    assert qrels.partial == ()


def test_distractors_are_judged_by_the_same_rule_and_listed_once():
    cut_up = chunks(a=[(0, 100), (100, 200), (200, 300)])
    evidence = [
        Evidence((), (Span(0, 150, 160), Span(0, 120, 130), Span(0, 10, 20))),
        Evidence((), (Span(0, 200, 300),)),
    ]
    qrels = judge(evidence, cut_up)
    pairs = zip(qrels.distractor_question.tolist(), qrels.distractor_chunk.tolist(), strict=True)
    assert list(pairs) == [(0, 0), (0, 1), (1, 2)]


def test_a_corpus_without_chunks_supports_nothing():
    qrels = judge([Evidence(((Span(0, 0, 300),),), (Span(0, 0, 9),))], chunks(a=[]))
    assert rows(qrels) == []
    assert qrels.unsupported == ((0, 0),)


def test_a_share_of_any_fineness_is_compared_exactly():
    # 1e-320 of anything is more than nothing: one character is enough
    assert supporting((100, 200), (199, 400), min_overlap=1e-320)
    # 0.3333333333333333 of 30,000 is a little below 10,000; its denominator times that is too
    # large for 64 bits
    third = 0.3333333333333333
    assert supporting((20_000, 50_000), (0, 30_000), min_overlap=third)
    assert not supporting((20_000, 50_000), (0, 29_999), min_overlap=third)
