"""The table of spans gives what the plain definitions give, on any windows and evidence."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rageval.measures import spans
from rageval.measures.span_table import Needs, Windows, coverage_and_precision

SPAN = st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 12)).map(
    lambda t: (t[0], t[1], t[1] + t[2])
)
QUESTION = st.tuples(
    st.lists(SPAN, max_size=5),
    st.lists(st.lists(SPAN, min_size=1, max_size=3), max_size=3),
)


@given(st.lists(QUESTION, min_size=1, max_size=4))
def test_every_question_gets_what_the_definitions_say(questions):
    width = max(len(window) for window, _ in questions)
    table = np.zeros((len(questions), width, 3), np.int64)  # a place without a chunk: no length
    for row, (window, _) in enumerate(questions):
        for place, span in enumerate(window):
            table[row, place] = span
    needs = Needs.of([needs for _, needs in questions])
    found = coverage_and_precision(needs, Windows(table[..., 0], table[..., 1], table[..., 2]))
    coverage = [spans.evidence_coverage(window, needs) for window, needs in questions]
    precision = [spans.evidence_precision(window, needs) for window, needs in questions]
    assert found[0].tolist() == coverage
    assert found[1].tolist() == precision
