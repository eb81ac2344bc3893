"""The joint test: against the textbook's algorithm, tried out on every combination of signs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval.statistics.differences import differences
from rageval.statistics.holm import holm
from rageval.statistics.joint import joint
from rageval.statistics.randomisation import randomisation

CHANGES = st.sampled_from([-1, -1, 0, 0, 0, 1, Fraction(-1, 2), Fraction(1, 3)])


def by_hand(columns, groups):
    """Westfall and Young's step-down min-P, one combination of signs after another."""
    names = list(dict.fromkeys(groups))
    totals = [
        [sum(value for value, group in zip(column, groups, strict=True) if group == name)
         for name in names]
        for column in columns
    ]  # fmt: skip
    signs = list(product([-1, 1], repeat=len(names)))
    drawn = [[sum(s * t for s, t in zip(sign, row, strict=True)) for sign in signs]
             for row in totals]  # fmt: skip

    def p_of(test, value):
        return Fraction(sum(other <= value for other in drawn[test]), len(signs))

    observed = [p_of(test, sum(totals[test])) for test in range(len(columns))]
    each = [[p_of(test, value) for value in drawn[test]] for test in range(len(columns))]
    order = sorted(range(len(columns)), key=lambda test: observed[test])
    adjusted, reached = [None] * len(columns), Fraction(0)
    for place, test in enumerate(order):
        left = order[place:]
        least = [min(each[other][at] for other in left) for at in range(len(signs))]
        reached = max(reached, Fraction(sum(p <= observed[test] for p in least), len(signs)))
        adjusted[test] = reached
    return observed, adjusted


@settings(max_examples=60)
@given(st.data(), st.integers(1, 3), st.integers(1, 7))
def test_it_is_westfall_and_youngs_algorithm(data, tests, n):
    columns = [data.draw(st.lists(CHANGES, min_size=n, max_size=n)) for _ in range(tests)]
    groups = data.draw(st.lists(st.sampled_from("abcdefg"), min_size=n, max_size=n))
    found = [differences([Fraction(v) for v in column], groups) for column in columns]
    own, expected = by_hand([list(map(Fraction, column)) for column in columns], groups)
    bound = holm([float(p) for p in own])
    for ours, theirs, most, least in zip(joint(found), expected, bound, own, strict=True):
        assert ours == pytest.approx(min(most, max(float(theirs), float(least))), abs=1e-12)


@settings(max_examples=60)
@given(st.data(), st.integers(2, 5), st.integers(1, 40))
def test_it_lies_between_the_tests_own_p_and_holms(data, tests, n):
    columns = [data.draw(st.lists(CHANGES, min_size=n, max_size=n)) for _ in range(tests)]
    found = [differences([Fraction(v) for v in column]) for column in columns]
    own = [randomisation(one).worse for one in found]
    for ours, least, most in zip(joint(found, 2000), own, holm(own), strict=True):
        assert least - 1e-12 <= ours <= most + 1e-12


def test_drawn_signs_come_to_what_all_combinations_come_to():
    random = np.random.default_rng(1)
    columns = [random.choice([-1, -1, 0, 1], size=16) for _ in range(3)]
    few = [differences([Fraction(int(v)) for v in column]) for column in columns]
    exact = joint(few)
    # One more group that changes in a test of its own makes 17: signs are drawn.
    more = [differences([*(Fraction(int(v)) for v in column), Fraction(0)]) for column in columns]
    lone = differences([*[Fraction(0)] * 16, Fraction(1)])
    drawn = joint([*more, lone])[:3]
    assert drawn == pytest.approx(exact, abs=0.01)


def test_tests_without_a_question_or_a_change_count_for_nothing():
    lost = differences([Fraction(-1)] * 6)
    still = differences([Fraction(0)] * 6)
    found = joint([lost, None, still, lost])
    assert found == [2**-6, 1.0, 1.0, 2**-6]
    assert joint([]) == []


def test_it_is_the_same_in_every_run():
    random = np.random.default_rng(2)
    columns = [random.choice([-1, 0, 0, 1], size=300) for _ in range(4)]
    found = [differences([Fraction(int(v)) for v in column]) for column in columns]
    assert joint(found, 5000) == joint(found, 5000)


def test_groups_change_their_signs_together():
    # Two questions of one group are one coin: five groups of two are five coins.
    lost = [Fraction(-1)] * 10
    groups = [name for name in "abcde" for _ in range(2)]
    assert joint([differences(lost, groups)] * 2) == [2**-5, 2**-5]
