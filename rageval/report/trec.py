"""TREC files of an evaluation: what other tools score."""

from __future__ import annotations

from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.labels import Labels
from rageval.trec.words import word


def run(evaluation: Evaluation, name: str) -> str:
    """Return the document rankings as a TREC run.

    The score is the length of the ranking less the rank, so that every tool sees the same order.
    """
    corpus, lines = evaluation.chunks.corpus, []
    for row, question in enumerate(evaluation.questions):
        numbers = [n for n in evaluation.retrieved.documents[row].tolist() if n >= 0]
        lines += [
            f"{word(question.id)} Q0 {word(corpus[n].id)} {rank} {len(numbers) - rank} {word(name)}"
            for rank, n in enumerate(numbers, start=1)
        ]
    return "".join(f"{line}\n" for line in lines)


def qrels(evaluation: Evaluation) -> str:
    """Return the document labels as TREC qrels."""
    corpus = evaluation.chunks.corpus
    labels = Labels.of(evaluation.questions, corpus)
    rows = zip(*map(list, labels.graded), labels.grade.tolist(), strict=True)
    return "".join(
        f"{word(evaluation.questions[row].id)} 0 {word(corpus[int(number)].id)} {grade}\n"
        for row, number, grade in rows
    )
