"""The scoring rules of ADR-072, and nDCG as trec_eval computes it."""

import numpy as np
import pytest

from rageval.measures.documents import best_rank, hit, judged, ndcg, silence
from rageval.measures.ranks import first_rank, ranks_of


def hits(ranking, targets, k):
    """Score one distinct ranking of letters against target letters."""
    ranked = np.array([[ord(c) for c in ranking] or [-1]])
    pairs = np.zeros(len(targets), int), np.array([ord(c) for c in targets], int)
    return bool(hit(best_rank(ranked, *pairs), k)[0])


@pytest.mark.parametrize(
    ("ranking", "targets", "top1", "top3"),
    [
        ("abcd", "a", True, True),
        ("bcad", "a", False, True),
        ("bcda", "a", False, False),
        ("xbyz", "ab", False, True),
        ("", "a", False, False),
    ],
)
def test_a_target_counts_up_to_its_rank(ranking, targets, top1, top3):
    assert (hits(ranking, targets, 1), hits(ranking, targets, 3)) == (top1, top3)


def test_any_of_several_targets_is_a_hit_at_the_best_rank():
    ranked = np.array([[4, 5, 6]])
    assert best_rank(ranked, np.array([0, 0]), np.array([6, 5])).tolist() == [2]


def test_a_question_without_pairs_has_no_rank():
    assert first_rank(2, np.array([1]), np.array([3])).tolist() == [0, 3]


def test_ranks_survive_blocks_larger_than_one_comparison():
    n = 70_000  # more pairs than are compared at once
    ranked = np.tile(np.array([[3, 1, 2]], np.int32), (n, 1))
    assert (ranks_of(ranked, np.arange(n), np.full(n, 2)) == 3).all()


def test_silence_needs_an_empty_ranking_without_failure():
    assert silence(np.array([0, 1, 0]), np.array([False, False, True])).tolist() == [
        True, False, False,
    ]  # fmt: skip


def test_ndcg_of_graded_labels_matches_the_sum_by_hand():
    # ranking: grade 1, unjudged, grade 3; ideal: 3, 1.
    # DCG = 1/log2(2) + 3/log2(4) = 2.5; ideal = 3 + 1/log2(3) = 3.63093; ratio .688529
    ranked = np.array([[7, 8, 9]])
    found = ndcg(ranked, np.array([0, 0]), np.array([9, 7]), np.array([3, 1]), k=10)
    assert found[0] == pytest.approx(0.688529, abs=1e-6)


def test_negative_and_zero_grades_gain_nothing_and_question_without_gain_gets_zero():
    ranked = np.array([[1], [1]])
    question, document, grade = np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([-1, 2, 0])
    assert ndcg(ranked, question, document, grade, k=10).tolist() == [0.0, 0.0]


def test_ndcg_ideal_is_cut_at_k_too():
    # three relevant documents, k = 1, the first is found: perfect
    ranked = np.array([[1, 2, 3]])
    pairs = np.zeros(3, int), np.array([1, 2, 3]), np.ones(3, int)
    assert ndcg(ranked, *pairs, k=1).tolist() == [1.0]


def test_judged_counts_labels_right_or_wrong_over_what_was_returned():
    ranked = np.array([[1, 2, -1], [-1, -1, -1]])
    assert judged(ranked, np.array([0, 1]), np.array([2, 1]), k=3).tolist() == [0.5, 0.0]
