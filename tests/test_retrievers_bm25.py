"""BM25 and TF-IDF against their formulas, worked out without their libraries."""

import math

import pytest
from tiny import ask, chunks_of, names

from rageval.retrieval.analysis import Analyser
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.tfidf import TfIdf

WORDS = Analyser(stem=False, stop_words=False)
TEXTS = ("oil pump oil", "oil filter", "bread oven with a long description", "pump")


def lucene(question, texts, k1, b):
    """Robertson et al. 1994 with Lucene's idf: log(1 + (N − df + ½) / (df + ½))."""
    documents = [text.split() for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores = [0.0] * len(documents)
    for term in question.split():
        df = sum(term in document for document in documents)
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        for n, document in enumerate(documents):
            tf = document.count(term)
            scores[n] += idf * tf / (tf + k1 * (1 - b + b * len(document) / average))
    return scores


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 0.0), (1.2, 1.0)])
@pytest.mark.parametrize("question", ["oil", "oil pump", "oil oil pump", "bread pump zeppelin"])
def test_bm25_is_the_lucene_formula(question, k1, b):
    chunks = chunks_of(*TEXTS)
    found = ask(Bm25(k1=k1, b=b, analyser=WORDS).index(chunks), chunks, question)
    expected = lucene(question, TEXTS, k1, b)
    got = {int(n): s for n, s in zip(found.chunk[0], found.raw[0], strict=True) if n >= 0}
    positive = {n: score for n, score in enumerate(expected) if score > 0}
    assert got == pytest.approx(positive, rel=1e-5)
    assert [*got] == sorted(positive, key=lambda n: -positive[n])


def test_bm25_of_one_word_by_hand():
    # N = 4, df(bread) = 1: idf = ln(1 + 3.5/1.5) = 1.203973; lengths 3, 2, 6, 1: average 3
    # tf part = 1 / (1 + 1.5 · (0.25 + 0.75 · 6/3)) = 1 / 3.625
    chunks = chunks_of(*TEXTS)
    found = ask(Bm25(analyser=WORDS).index(chunks), chunks, "bread")
    assert found.raw[0].tolist() == [pytest.approx(1.203973 / 3.625, rel=1e-5)]


def test_bm25_counts_terms_over_the_whole_corpus_whoever_asks():
    chunks = chunks_of(*TEXTS, groups={"a": ["staff"]})
    index = Bm25(analyser=WORDS).index(chunks)
    public, staff = (ask(index, chunks, "oil", groups=g) for g in ([], ["staff"]))
    assert (names(public, chunks), names(staff, chunks)) == ("b", "ab")
    assert public.raw[0, 0] == staff.raw[0, 1]


def test_every_method_of_bm25_finds_the_rare_word():
    chunks = chunks_of(*TEXTS)
    for method in ("lucene", "robertson", "atire"):
        assert names(ask(Bm25(method=method).index(chunks), chunks, "bread"), chunks) == "c"


def test_tfidf_is_the_cosine_of_smoothed_tfidf_vectors():
    # scikit-learn's idf: ln((1 + N) / (1 + df)) + 1 with N = 2; df(oil) = 2, df(pump) = 1
    # idf: oil 1, pump ln(3/2) + 1 = 1.405465. Text a: oil 1 + ln 2 = 1.693147, pump 1.405465.
    # cosine(pump, a) = 1.405465 / √(1.693147² + 1.405465²) = 0.638708
    chunks = chunks_of("oil pump oil", "oil")
    found = ask(TfIdf(analyser=WORDS).index(chunks), chunks, "pump")
    assert names(found, chunks) == "a"
    assert found.raw[0, 0] == pytest.approx(0.638708, abs=1e-5)


def test_tfidf_without_sublinear_weighs_a_repeated_word_in_full():
    # oil 2 · 1, pump 1.405465: 1.405465 / √(4 + 1.975332) = 0.574961
    chunks = chunks_of("oil pump oil", "oil")
    found = ask(TfIdf(sublinear=False, analyser=WORDS).index(chunks), chunks, "pump")
    assert found.raw[0, 0] == pytest.approx(0.574961, abs=1e-5)
