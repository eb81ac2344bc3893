"""What all our retrievers hold to, whichever it is."""

import numpy as np
import pytest
from tiny import ask, chunks_of, names, same

from rageval.chunking.sentence import Sentences
from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.retriever import Query, Retriever, Scope, Scores
from rageval.retrieval.retrievers.tfidf import TfIdf
from rageval.retrieval.retrievers.top import significant, top


def hybrid(fusion):
    return Hybrid(
        retrievers={"lexical": Bm25(), "semantic": Dense(encoder=Lsa())},
        weights={"lexical": 0.6, "semantic": 0.4},
        floor="semantic",
        fusion=fusion,
    )


OURS = {
    "bm25": Bm25(),
    "tfidf": TfIdf(),
    "dense": Dense(encoder=Lsa()),
    "zscore": hybrid("zscore"),
    "minmax": hybrid("minmax"),
    "rrf": hybrid("rrf"),
}
HANDBOOK = (
    "Annual leave is thirty days a year.",
    "Sick leave needs a certificate after three days.",
    "The pump runs at forty litres a minute.",
    "Expenses are paid within thirty days.",
    "A laptop is replaced every four years.",
    "The pump needs oil every year.",
)


@pytest.fixture(params=OURS)
def retriever(request):
    return OURS[request.param]


def test_each_is_a_retriever(retriever):
    assert isinstance(retriever, Retriever)


def test_candidates_come_best_first(retriever):
    chunks = chunks_of(*HANDBOOK)
    found = ask(retriever.index(chunks), chunks, "pump oil")
    assert names(found, chunks)[:2] == "fc"  # f has both words, c one of them
    scores = found.score[0][found.chunk[0] >= 0]
    assert (np.diff(scores) <= 0).all()


def test_ties_stand_in_corpus_order(retriever):
    chunks = chunks_of("oil pump", "bread oven", "oil pump", "butter knife", "oil pump")
    assert names(ask(retriever.index(chunks), chunks, "pump"), chunks)[:3] == "ace"


def test_a_scope_is_filtered_before_the_cut_so_that_a_scoped_question_gets_its_depth(retriever):
    # The three best of the whole corpus are hidden; cut first, nothing would be left of them.
    texts = ["pump oil"] * 3 + ["pump oil filter", "pump valve", "pump hose", "bread oven"]
    chunks = chunks_of(*texts, groups={"a": ["staff"], "b": ["staff"], "c": ["staff"]})
    index = retriever.index(chunks)
    public = ask(index, chunks, "pump oil", depth=3)
    assert len(names(public, chunks)) == 3
    assert set(names(public, chunks)) <= set("defg")
    assert names(ask(index, chunks, "pump oil", depth=3, groups=["staff"]), chunks) == "abc"


def test_an_asker_who_may_see_nothing_gets_nothing(retriever):
    chunks = chunks_of("oil pump", "oil filter", groups={"a": ["x"], "b": ["y"]})
    assert names(ask(retriever.index(chunks), chunks, "oil"), chunks) == ""


@pytest.mark.parametrize("text", ["what is the", "", "🚀", "xylophone"])
def test_a_question_without_a_known_term_gets_no_candidates(retriever, text):
    chunks = chunks_of(*HANDBOOK)
    found = ask(retriever.index(chunks), chunks, text, "pump")
    assert (names(found, chunks, 0), len(names(found, chunks, 1)) > 0) == ("", True)


def test_a_depth_beyond_the_corpus_returns_what_there_is_once(retriever):
    chunks = chunks_of(*HANDBOOK)
    found = names(ask(retriever.index(chunks), chunks, "thirty days", depth=1000), chunks)
    assert 2 <= len(found) <= len(HANDBOOK)
    assert len(set(found)) == len(found)


def test_a_corpus_of_one_document_is_searched_but_for_lsa_which_has_nothing_to_learn(retriever):
    chunks = chunks_of("oil pump")
    found = ask(retriever.index(chunks), chunks, "pump", "bread")
    expected = "" if isinstance(retriever, Dense) else "a"
    assert (names(found, chunks, 0), names(found, chunks, 1)) == (expected, "")


@pytest.mark.parametrize("texts", [("the of and", "is it"), ("!?",), ("", " \n")])
def test_chunks_without_any_term_and_no_chunk_at_all_give_no_candidates(retriever, texts):
    chunks = chunks_of(*texts)
    assert names(ask(retriever.index(chunks), chunks, "pump", "it"), chunks) == ""


def test_chunks_without_a_term_do_not_move_the_others(retriever):
    chunks = chunks_of("the of", "oil pump", "!!", "bread oven", "oil filter")
    assert names(ask(retriever.index(chunks), chunks, "pump"), chunks)[0] == "b"


def test_no_questions_no_candidates(retriever):
    chunks = chunks_of(*HANDBOOK)
    assert ask(retriever.index(chunks), chunks).chunk.shape[0] == 0


def test_a_batch_gives_what_single_questions_give(retriever):
    chunks = chunks_of(*HANDBOOK)
    index = retriever.index(chunks)
    asked = ["pump oil", "leave days", "what is the", "laptop replaced every year"]
    batch = ask(index, chunks, *asked)
    for row, text in enumerate(asked):
        single = ask(index, chunks, text)
        width = single.chunk.shape[1]
        assert single.chunk[0].tolist() == batch.chunk[row, :width].tolist()
        assert single.score[0] == pytest.approx(batch.score[row, :width], rel=1e-5)


def test_the_order_of_questions_changes_nothing(retriever):
    chunks = chunks_of(*HANDBOOK)
    index = retriever.index(chunks)
    asked = ["pump oil", "leave days", "thirty", "laptop"]
    there, back = ask(index, chunks, *asked), ask(index, chunks, *asked[::-1])
    assert there.chunk.tolist() == back.chunk[::-1].tolist()


def test_the_same_twice_is_identical(retriever):
    chunks = chunks_of(*HANDBOOK)
    asked = ["pump oil", "leave days", "thirty"]
    first = ask(retriever.index(chunks), chunks, *asked)
    assert same(first, ask(retriever.index(chunks), chunks, *asked))


def test_a_depth_is_a_prefix_of_a_greater_depth(retriever):
    chunks = chunks_of(*HANDBOOK)
    index = retriever.index(chunks)
    deep = names(ask(index, chunks, "days year", depth=6), chunks)
    assert names(ask(index, chunks, "days year", depth=2), chunks) == deep[:2]


def test_chunks_of_one_document_are_candidates_of_their_own(retriever):
    text = "The pump needs oil. The oven bakes bread. The pump has a valve."
    chunks = chunks_of(text, "Butter is cut with a knife.", chunker=Sentences(per_chunk=1))
    found = ask(retriever.index(chunks), chunks, "pump valve", depth=2)
    assert sorted(chunks.text(n) for n in found.chunk[0].tolist()) == [
        "The pump has a valve.",
        "The pump needs oil.",
    ]


def test_more_questions_than_one_block_holds_are_answered_alike():
    chunks = chunks_of(*HANDBOOK)
    index = Bm25().index(chunks)
    small = type(index)(2_000_001, index.score)  # one question a block
    asked = ["pump", "leave", "what is the", "days"]
    assert same(ask(small, chunks, *asked), ask(index, chunks, *asked))


def test_scores_that_differ_behind_the_sixth_digit_tie_and_stand_in_corpus_order():
    value = np.array([[1.0000001, 1.0000002, 1.0001]])
    assert order(value, depth=3) == [2, 0, 1]
    assert order(value, depth=2) == [2, 0]


def order(value, depth):
    chunks = chunks_of(*["x"] * value.shape[1])
    everything = ask(Recorder(value), chunks, "x", depth=depth)
    return everything.chunk[0].tolist()


class Recorder:
    """An index of given scores."""

    def __init__(self, value):
        self.value = value

    def search(self, queries, depth):
        return top(Scores.plain(self.value), queries, depth)


@pytest.mark.parametrize("depth", [1, 7, 50, 3999])
@pytest.mark.parametrize("kinds", [5, 10**9])  # many ties, and none
def test_the_cut_of_many_scores_is_that_of_a_full_sort(depth, kinds):
    random = np.random.default_rng(depth)
    value = random.integers(-kinds, kinds, (1, 4000)).astype(float) / kinds
    allowed = (value[0] != 0) & (random.random(4000) < 0.5)
    query = Query("x", Scope(frozenset(), allowed))
    found = top(Scores.plain(value), [query], depth).chunk[0].tolist()
    rounded = [float(f"{score:.5e}") for score in value[0]]  # six significant digits
    every = sorted(np.flatnonzero(allowed).tolist(), key=lambda n: (-rounded[n], n))
    assert found == every[:depth]


def test_a_long_run_of_ties_at_the_cut_is_cut_in_corpus_order():
    value = np.full((1, 26), 0.5)
    value[0, 25] = 0.7
    assert order(value, depth=4) == [25, 0, 1, 2]


def test_six_significant_digits_whatever_the_size_and_sign():
    values = np.array([1234567.0, -1234567.0, 1.2345678e-9, 0.0])
    assert significant(values).tolist() == pytest.approx([1234570, -1234570, 1.23457e-9, 0])
