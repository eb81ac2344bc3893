"""Labels as integers: questions are rows, documents and chunks their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.corpus.document import Corpus
from rageval.golden.question import Answerable, Question

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]  # question, document: [m] each


@dataclass(frozen=True)
class Labels:
    """What is known about documents, for all questions of an evaluation."""

    answerable: NDArray[np.bool_]  # [n] something answers it
    unanswerable: NDArray[np.bool_]  # [n] nothing does
    denied: NDArray[np.bool_]  # [n] the asker may not see what does
    has_distractors: NDArray[np.bool_]  # [n]
    targets: Pairs  # any of these documents is a hit
    forbidden: Pairs  # none of these documents may come back
    labelled: Pairs  # every document with a label, right or wrong
    graded: Pairs
    grade: NDArray[np.int32]  # [m] of `graded`; 1 for a target without a grade

    @classmethod
    def of(cls, questions: Sequence[Question], corpus: Corpus) -> Labels:
        """Return the labels as numbers; the corpus must hold every document that they name."""
        number = corpus.number
        kinds = np.array([question.answerable.value for question in questions])
        grades = [_grades(question) for question in questions]
        return cls(
            answerable=kinds == Answerable.YES.value,
            unanswerable=kinds == Answerable.NO.value,
            denied=kinds == Answerable.DENIED.value,
            has_distractors=np.array([bool(q.distractors) for q in questions], dtype=bool),
            targets=_pairs((q.targets for q in questions), number),
            forbidden=_pairs((q.forbidden for q in questions), number),
            labelled=_pairs(map(_labelled, questions), number),
            graded=_pairs(grades, number),
            grade=np.array([g for row in grades for g in row.values()], dtype=np.int32),
        )


def _grades(question: Question) -> dict[str, int]:
    return {**dict.fromkeys(question.targets, 1), **question.grades}


def _labelled(question: Question) -> Iterable[str]:
    wrong = (reference.document for reference in question.distractors)
    return dict.fromkeys([*_grades(question), *wrong, *question.forbidden])


def _pairs(rows: Iterable[Iterable[str]], number: dict[str, int]) -> Pairs:
    flat = [(row, number[name]) for row, names in enumerate(rows) for name in names]
    table = np.array(flat, dtype=np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]
