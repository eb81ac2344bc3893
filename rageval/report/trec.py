"""TREC files of an evaluation: what other tools score."""

from __future__ import annotations

import numpy as np

from rageval.evaluation.evaluation import Evaluation
from rageval.formats.trec.words import word


def run(evaluation: Evaluation, name: str) -> str:
    """Return the document rankings as a TREC run.

    The score is the length of the ranking less the rank, so that every tool sees the same order.
    """
    corpus, lines, maker = evaluation.chunks.corpus, [], word(name)
    words = {n: word(corpus[n].id) for n in np.unique(evaluation.retrieved.documents).tolist()}
    for row, question in enumerate(evaluation.questions):
        numbers = [n for n in evaluation.retrieved.documents[row].tolist() if n >= 0]
        asked, length = word(question.id), len(numbers)
        lines += [
            f"{asked} Q0 {words[n]} {rank} {length - rank} {maker}\n"
            for rank, n in enumerate(numbers, start=1)
        ]
    return "".join(lines)


def qrels(evaluation: Evaluation) -> str:
    """Return the document labels as TREC qrels."""
    corpus = evaluation.chunks.corpus
    labels = evaluation.grounds.labels
    rows = zip(*map(list, labels.graded), labels.grade.tolist(), strict=True)
    return "".join(
        f"{word(evaluation.questions[row].id)} 0 {word(corpus[int(number)].id)} {grade}\n"
        for row, number, grade in rows
    )
