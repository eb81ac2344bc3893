"""The chapter's four measures, on exactly what would reach the model."""

import numpy as np
import pytest

from rageval.measures import window
from rageval.measures.distractors import distractor_above_answer
from rageval.measures.spans import evidence_coverage, evidence_precision
from rageval.measures.window import Support


def support(rows, required, n=1):
    """Make a support table of rows (question, requirement, alternative, chunk, rank)."""
    columns = np.array(rows, int).reshape(-1, 5).T
    return Support(n, *columns, required=np.array(required))


def test_recall_is_one_when_only_the_rule_is_found_and_completeness_tells():
    found = support([(0, 0, 0, 5, 1), (0, 1, 0, 9, 0)], required=[2])
    assert window.recall(found).tolist() == [True]
    assert window.completeness(found).tolist() == [0.5]


def test_mrr_is_the_inverse_of_the_first_supporting_rank_and_zero_without():
    found = support([(0, 0, 0, 5, 4), (0, 0, 0, 6, 2), (1, 0, 0, 5, 0)], [1, 1], n=2)
    assert window.reciprocal_rank(found).tolist() == [0.5, 0.0]


def test_precision_is_over_the_actual_window_and_zero_for_an_empty_one():
    found = support([(0, 0, 0, 5, 1), (1, 0, 0, 5, 0)], [1, 1], n=2)
    assert window.precision(found, np.array([3, 0])).tolist() == [pytest.approx(1 / 3), 0.0]


def test_a_chunk_that_supports_two_requirements_counts_once_for_precision():
    found = support([(0, 0, 0, 5, 1), (0, 1, 0, 5, 1)], [2])
    assert window.precision(found, np.array([2])).tolist() == [0.5]
    assert window.completeness(found).tolist() == [1.0]


def test_one_option_among_alternatives_is_enough():
    # AutoRAG gives 0.47 here: either document alone answers.
    found = support([(0, 0, 0, 5, 0), (0, 0, 1, 6, 1)], [1])
    assert window.completeness(found).tolist() == [1.0]
    assert window.chunk_completeness(found).tolist() == [1.0]


def test_chunk_completeness_takes_the_alternative_that_is_found_best():
    # alternative 0: 1 of 2 chunks; alternative 1: 0 of 1
    found = support([(0, 0, 0, 1, 1), (0, 0, 0, 2, 0), (0, 0, 1, 3, 0)], [1])
    assert window.chunk_completeness(found).tolist() == [0.5]


def test_with_one_chunk_a_heading_both_completeness_measures_agree():
    found = support([(0, 0, 0, 1, 2), (0, 1, 0, 2, 0), (0, 2, 0, 3, 1)], [3])
    assert window.completeness(found) == pytest.approx(window.chunk_completeness(found))


def test_evidence_in_no_chunk_is_a_miss_not_a_gap():
    found = support([], [1])
    for measure in (window.recall, window.completeness, window.chunk_completeness):
        assert measure(found).tolist() == [0]


def test_touching_ranges_do_not_overlap():
    assert evidence_coverage([(0, 0, 10)], [[(0, 10, 20)]]) == 0.0
    assert evidence_precision([(0, 0, 10)], [[(0, 10, 20)]]) == 0.0


def test_overlapping_chunks_count_their_characters_once():
    held = [(0, 0, 60), (0, 40, 100)]
    assert evidence_precision(held, [[(0, 0, 50)]]) == 0.5
    assert evidence_coverage(held, [[(0, 50, 150)]]) == 0.5


def test_coverage_takes_the_best_alternative_and_all_requirements():
    # first need: second alternative is held whole; second need: not at all
    needs = [[(0, 0, 10), (1, 0, 10)], [(2, 0, 30)]]
    assert evidence_coverage([(1, 0, 10)], needs) == 0.25


def test_an_absent_answer_ranks_below_every_distractor_and_an_absent_distractor_above_none():
    above = distractor_above_answer(np.array([3, 0, 0, 2, 2]), np.array([0, 3, 0, 2, 3]))
    assert above.tolist() == [True, False, False, False, True]
