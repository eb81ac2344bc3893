"""Candidates become a ranking, and the ranking a window."""

import numpy as np
import pytest

from rageval.chunking.chunks import Chunks
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.retrieval.retrievers.retriever import Candidates
from rageval.retrieval.window import BELOW_FLOOR, KEPT, OVER_CAP, Window, distinct_documents, rank


def corpus_of(layout):
    """Make chunks of one character each, one for each letter: its document."""
    names = sorted(set(layout))
    documents = tuple(Document(name, name * layout.count(name)) for name in names)
    numbers = np.array([names.index(name) for name in layout], np.int32)
    starts = np.array([layout[:i].count(name) for i, name in enumerate(layout)])
    return Chunks(Corpus(documents, "test"), numbers, starts, starts + 1)


def candidates(chunks, scores=None):
    row = np.array([chunks], np.int32)
    raw = np.array([scores if scores is not None else np.arange(len(chunks), 0, -1)], float)
    return Candidates(row, raw, raw)


def ranked(chunks, found, **settings):
    return rank(found, chunks, Window(depth=20, **settings)).chunk[0].tolist()


@pytest.mark.parametrize(
    ("ranking", "distinct"),
    [("aaab", "ab"), ("aabc", "abc"), ("aabcd", "abcd")],
)
def test_documents_are_collapsed_to_their_first_place_before_the_cut(ranking, distinct):
    chunks = corpus_of(ranking)
    found = distinct_documents(np.arange(len(ranking), dtype=np.int32)[None], chunks)[0]
    assert "".join(chunks.corpus[n].id for n in found if n >= 0) == distinct


def test_a_score_equal_to_the_floor_stays():
    chunks = corpus_of("abc")
    assert ranked(chunks, candidates([0, 1, 2], [0.5, 0.3, 0.1]), min_score=0.3) == [0, 1, -1]


def test_a_floor_above_all_scores_leaves_an_empty_ranking():
    chunks = corpus_of("ab")
    assert ranked(chunks, candidates([0, 1], [0.5, 0.3]), min_score=9) == [-1, -1]


def test_the_cap_counts_only_chunks_above_the_floor():
    chunks = corpus_of("aaab")
    found = candidates([0, 1, 2, 3], [0.9, 0.1, 0.8, 0.7])
    result = rank(found, chunks, Window(depth=4, min_score=0.5, per_document=2))
    assert result.chunk[0].tolist() == [0, 2, 3, -1]
    assert result.drop_reason[0].tolist() == [KEPT, BELOW_FLOOR, KEPT, KEPT]


def test_chunks_over_the_cap_make_room_for_other_documents():
    chunks = corpus_of("aaab")
    result = rank(candidates([0, 1, 2, 3]), chunks, Window(depth=4, per_document=1))
    assert result.chunk[0].tolist() == [0, 3, -1, -1]
    assert result.drop_reason[0].tolist() == [KEPT, OVER_CAP, OVER_CAP, KEPT]


def test_a_chunk_returned_twice_counts_once():
    chunks = corpus_of("ab")
    assert ranked(chunks, candidates([1, 1, 0, 1])) == [1, 0, -1, -1]


def test_a_floor_without_scores_is_refused():
    chunks = corpus_of("a")
    with pytest.raises(InputError, match="ids without scores"):
        ranked(chunks, candidates([0], [np.nan]), min_score=0.1)


def test_no_candidates_at_all_is_an_empty_ranking():
    chunks = corpus_of("a")
    nothing = Candidates(np.zeros((2, 0), np.int32), np.zeros((2, 0)), np.zeros((2, 0)))
    result = rank(nothing, chunks, Window(depth=4, min_score=0.1, per_document=1))
    assert result.count.tolist() == [0, 0]
