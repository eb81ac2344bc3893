"""Fusion, worked out by hand on scores that are given."""

import numpy as np
import pytest
from pydantic import ValidationError
from tiny import ask, chunks_of, names, same

from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.failure import Failure
from rageval.retrieval.retrievers.fusion import reciprocal_rank, standard, unit_range
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.retriever import Scores
from rageval.retrieval.retrievers.tfidf import TfIdf


class Given:
    """A retriever whose scores are given, the same for every question."""

    def __init__(self, *scores, errors=None):
        self.scores = np.array([scores], float)
        self.errors = errors or {}

    def index(self, chunks):
        def score(queries):
            value = np.repeat(self.scores, len(queries), axis=0)
            return Scores(value, value, value != 0, self.errors)

        return ScoredIndex(len(chunks), score)


def fused(fusion, weights, *parts, groups=None, floor=0):
    """Search with given scores, one list a part; return names with fused scores, and candidates."""
    retrievers = {f"r{n}": Given(*scores) for n, scores in enumerate(parts)}
    mixture = Hybrid(
        retrievers=retrievers,
        weights=dict(zip(retrievers, weights, strict=True)),
        floor=f"r{floor}",
        fusion=fusion,
    )
    chunks = chunks_of(*["x"] * len(parts[0]), groups=groups)
    found = ask(mixture.index(chunks), chunks, "x")
    return dict(zip(names(found, chunks), found.score[0].tolist(), strict=True)), found


def test_zscores_are_weighted_and_added():
    # first: 3 1 1 3, mean 2, deviation 1 → 1 −1 −1 1
    # second: 0 0 0 4, mean 1, deviation √3 → −.57735 −.57735 −.57735 1.73205
    # .6 · first + .4 · second: a .36906, b −.83094, c −.83094, d 1.29282
    scores, _ = fused("zscore", [0.6, 0.4], [3, 1, 1, 3], [0, 0, 0, 4])
    assert [*scores] == ["d", "a", "b", "c"]
    expected = {"d": 1.29282, "a": 0.36906, "b": -0.83094, "c": -0.83094}
    assert scores == pytest.approx(expected, abs=1e-5)


def test_minmax_scores_are_stretched_to_one_and_added():
    # first: 3 1 1 5 → .5 0 0 1; second: 0 2 1 0 → 0 1 .5 0; .5 each: .25 .5 .25 .5
    scores, _ = fused("minmax", [0.5, 0.5], [3, 1, 1, 5], [0, 2, 1, 0])
    assert scores == pytest.approx({"b": 0.5, "d": 0.5, "a": 0.25, "c": 0.25})
    assert [*scores] == ["b", "d", "a", "c"]


def test_rrf_adds_the_inverse_of_sixty_plus_rank_and_nothing_for_what_is_not_listed():
    # first: c b (a and d do not match); second: a d c b
    scores, _ = fused("rrf", [1, 1], [0, 2, 5, 0], [9, 3, 4, 5])
    expected = {
        "a": 0.5 / 61,
        "b": 0.5 / 62 + 0.5 / 64,
        "c": 0.5 / 61 + 0.5 / 63,
        "d": 0.5 / 62,
    }
    assert scores == pytest.approx(expected, rel=1e-5)
    assert [*scores] == ["c", "b", "a", "d"]


def test_hidden_chunks_do_not_influence_what_is_fused():
    # a and b are hidden: over c, d, e alone.
    # first: 1 2 3 → −1.224745 0 1.224745; second: 6 0 0 → 1.414214 −.707107 −.707107
    hidden = {"a": ["staff"], "b": ["staff"]}
    scores, _ = fused("zscore", [0.5, 0.5], [90, 80, 1, 2, 3], [70, 0, 6, 0, 0], groups=hidden)
    expected = {"e": 0.258819, "c": 0.094735, "d": -0.353553}
    assert scores == pytest.approx(expected, abs=1e-5)
    for fusion in ("zscore", "minmax", "rrf"):
        one, _ = fused(fusion, [3, 1], [90, 80, 1, 2, 3], [70, 0, 6, 0, 0], groups=hidden)
        other, _ = fused(fusion, [3, 1], [0, 5, 1, 2, 3], [-8, 9, 6, 0, 0], groups=hidden)
        assert one == other


def test_weights_are_relative():
    parts = [3, 1, 2, 5], [0, 2, 1, 0]
    one, _ = fused("zscore", [0.6, 0.4], *parts)
    other, _ = fused("zscore", [30, 20], *parts)
    assert one == pytest.approx(other)


def test_a_weight_of_zero_leaves_the_order_to_the_others():
    scores, _ = fused("zscore", [1, 0], [3, 1, 2, 5], [0, 9, 1, 0])
    assert [*scores] == ["d", "a", "c", "b"]


def test_three_retrievers_are_fused():
    # minmax: 0 1 .5 | 1 0 0 | 1 .5 0, weights 1/2 1/4 1/4 → .5 .625 .25
    scores, _ = fused("minmax", [2, 1, 1], [1, 3, 2], [9, 0, 0], [4, 2, 0])
    assert scores == pytest.approx({"b": 0.625, "a": 0.5, "c": 0.25})


def test_a_floor_reads_the_raw_score_of_the_part_it_names():
    _, found = fused("zscore", [0.6, 0.4], [3, 1, 2], [0.2, 0.9, 0.4], floor=1)
    pairs = dict(zip(found.chunk[0].tolist(), found.raw[0].tolist(), strict=True))
    assert pairs == {0: 0.2, 1: 0.9, 2: 0.4}


def test_a_hybrid_inside_a_hybrid_counts_as_one_part():
    # inside: minmax of 0 1 .5 and 1 0 0, halves → .5 .5 .25; stretched anew: 1 1 0
    # with 0 .5 1 at three quarters of the weight: .25 .625 .75
    inner = Hybrid(
        retrievers={"x": Given(1, 3, 2), "y": Given(9, 0, 0)},
        weights={"x": 1, "y": 1},
        floor="x",
        fusion="minmax",
    )
    outer = Hybrid(
        retrievers={"inner": inner, "z": Given(0, 1, 2)},
        weights={"inner": 1, "z": 3},
        floor="inner",
        fusion="minmax",
    )
    chunks = chunks_of("x", "x", "x")
    found = ask(outer.index(chunks), chunks, "x")
    assert names(found, chunks) == "cba"
    assert found.score[0].tolist() == pytest.approx([0.75, 0.625, 0.25])
    assert found.raw[0].tolist() == [2, 3, 1]  # what the inner floor reads


def test_three_of_ours_and_a_nested_one_find_the_answer():
    dense = Dense(encoder=Lsa())
    inner = Hybrid(retrievers={"t": TfIdf(), "d": dense}, weights={"t": 1, "d": 1}, floor="d")
    outer = Hybrid(
        retrievers={"b": Bm25(), "i": inner, "d": dense},
        weights={"b": 1, "i": 1, "d": 1},
        floor="b",
    )
    chunks = chunks_of("bread oven", "oil pump", "butter knife", "oil filter")
    found = ask(outer.index(chunks), chunks, "pump")
    assert names(found, chunks)[0] == "b"
    assert same(found, ask(outer.index(chunks), chunks, "pump"))


def test_scores_without_deviation_say_nothing():
    everything = np.ones((1, 3), bool)
    level = np.array([[0.1, 0.1, 0.1]])
    assert standard(level, everything, everything).tolist() == [[0, 0, 0]]
    assert unit_range(level, everything, everything).tolist() == [[0, 0, 0]]


def test_differences_of_a_rounding_are_no_deviation():
    # cosines of three equal texts as two matrix products might give them
    noisy = np.array([[0.7, np.nextafter(0.7, 1), 0.7]])
    everything = np.ones((1, 3), bool)
    assert np.abs(standard(noisy, everything, everything)).max() < 1e-6
    assert np.abs(unit_range(noisy, everything, everything)).max() < 1e-6


def test_equal_scores_share_no_rank_but_stand_in_corpus_order():
    everything = np.ones((1, 3), bool)
    ranks = 1 / reciprocal_rank(np.array([[0.5, 0.7, 0.5000000001]]), everything, everything)
    assert ranks.round().tolist() == [[62, 61, 63]]


def test_an_error_of_one_part_is_an_error_of_the_question_and_names_the_part():
    mixture = Hybrid(
        retrievers={
            "good": Given(1, 2),
            "bad": Given(2, 1, errors={0: Failure("ValueError: no", "a trace")}),
        },
        weights={"good": 1, "bad": 1},
        floor="good",
    )
    chunks = chunks_of("x", "x")
    found = ask(mixture.index(chunks), chunks, "x", "x")
    assert dict(found.errors) == {0: Failure("bad: ValueError: no", "a trace")}
    assert found.count.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"retrievers": {"x": Bm25()}, "weights": {"x": 1}, "floor": "x"}, "two or more, got: x"),
        ({"weights": {"x": 1}}, "weights must name each retriever once: x, y"),
        ({"weights": {"x": 0, "y": 0}}, "weights must not all be 0"),
        ({"floor": "z"}, "floor must be one of x, y, got 'z'"),
        ({"weights": {"x": -1, "y": 1}}, "greater than or equal to 0"),
        ({"fusion": "max"}, "'zscore', 'minmax' or 'rrf'"),
    ],
)
def test_a_hybrid_that_makes_no_sense_is_refused_in_a_sentence(settings, sentence):
    sound = {"retrievers": {"x": Bm25(), "y": TfIdf()}, "weights": {"x": 1, "y": 1}, "floor": "x"}
    with pytest.raises(ValidationError, match=sentence):
        Hybrid(**{**sound, **settings})
