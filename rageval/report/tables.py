"""An evaluation as tables: the rows that are kept with a run and that pages are made from."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rageval.comparison.table import Cell, Table
from rageval.corpus.document import Corpus
from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.judgements import Benchmark, Grounds
from rageval.evaluation.latency import Latency
from rageval.evaluation.noise import Repeats
from rageval.evaluation.subsets import summarise
from rageval.golden.question import label_of, scored_fields
from rageval.measures.values import Values
from rageval.report import wording
from rageval.report.names import passage


def questions(evaluation: Evaluation) -> Table:
    """Return one row a question: its ranks, measures, diagnosis and window."""
    columns = {**_asked(evaluation.grounds, evaluation.benchmark), **_found(evaluation)}
    return Table(list(columns), list(zip(*columns.values(), strict=True)))


@lru_cache(maxsize=2)  # the cells of a sweep share it
def _asked(grounds: Grounds, benchmark: Benchmark) -> dict[str, list[Cell]]:
    """Return the columns that no retrieval changes."""
    asked, members = benchmark.questions, grounds.members
    return {
        "id": [question.id for question in asked],
        "question": [question.text for question in asked],
        "form": [question.form for question in asked],
        "class": [question.hard_class for question in asked],
        "tags": [list(question.tags) for question in asked],
        "asker": [question.asker for question in asked],
        "answerable": [question.answerable.value for question in asked],
        "targets": [list(question.targets) for question in asked],
        "labels": [scored_fields(question) for question in asked],
        "label": [label_of(question) for question in asked],
        "group": [question.group for question in asked],
        "subsets": [
            [name for name, inside in members.items() if inside[row]] for row in range(len(asked))
        ],
    }


def _found(evaluation: Evaluation) -> dict[str, list[Cell]]:
    ranks, retrieved = evaluation.ranks, evaluation.retrieved
    rows, errors = range(len(evaluation.questions)), retrieved.errors
    return {
        "target_rank": _ranks(ranks.target),
        "evidence_rank": _ranks(ranks.evidence),
        "answer_rank": _ranks(ranks.answer),
        "distractor_rank": _ranks(ranks.distractor),
        "answer_rank_before_reranking": [None] * len(rows)
        if ranks.before is None
        else _ranks(ranks.before),
        **{
            measure.name: _values(evaluation.values[measure.name])
            for measure in evaluation.measures
        },
        "cause": [diagnosis.cause.value for diagnosis in evaluation.diagnoses],
        "diagnosis": [str(diagnosis) for diagnosis in evaluation.diagnoses],
        "documents": [_documents(evaluation, row) for row in rows],
        "window": [_window(evaluation, row) for row in rows],
        "error": [str(errors[row]) if row in errors else None for row in rows],
        "leaks": retrieved.leaks.tolist(),
        "milliseconds": _milliseconds(retrieved.candidates.seconds, len(rows)),
    }


def _milliseconds(seconds: NDArray[np.float64] | None, rows: int) -> list[Cell]:
    """Return how long the scored call of each question took; None where it was one of a batch."""
    if seconds is None:
        return [None] * rows
    return [None if np.isnan(one) else float(one) * 1000 for one in seconds]


def _ranks(ranks: NDArray[np.int32]) -> list[Cell]:
    return [rank or None for rank in ranks.tolist()]


def _values(values: Values) -> list[Cell]:
    pairs = zip(values.value.tolist(), values.counts.tolist(), strict=True)
    return [value if counts else None for value, counts in pairs]


def _documents(evaluation: Evaluation, row: int) -> list[str]:
    """Return the best documents, as many as the measures look at."""
    deepest = evaluation.benchmark.cutoffs.deepest
    numbers = evaluation.retrieved.documents[row, :deepest].tolist()
    return [evaluation.chunks.corpus[number].id for number in numbers if number >= 0]


def _window(evaluation: Evaluation, row: int) -> list[str]:
    numbers = evaluation.retrieved.window[row].tolist()
    return [passage(evaluation.chunks, number) for number in numbers if number >= 0]


def subsets(evaluation: Evaluation) -> Table:
    """Return one row a subset and measure: n, value and 95 % interval.

    Where ties decide anything, how many questions they decide follows, and the value that is
    expected over all their orders, in the worst and in the best of them.
    """
    columns = ["subset", "questions", "measure", "n", "value", "low", "high"]
    rows = [
        [subset, evaluation.sizes[subset], name, s.n, s.value, s.low, s.high]
        for subset, row in evaluation.subsets.items()
        for name, s in row.items()
    ]
    if not evaluation.undecided:
        return Table(columns, rows)
    more = ["tied_questions", "tied_expected", "tied_low", "tied_high"]
    return Table(
        [*columns, *more],
        [[*row, *_over_ties(evaluation, str(row[0]), str(row[2]))] for row in rows],
    )


def _over_ties(evaluation: Evaluation, subset: str, measure: str) -> list[Cell]:
    found, inside = evaluation.undecided.get(measure), evaluation.members[subset]
    if found is None or not (found.rows & inside).any():
        return [0, None, None, None]
    return [
        int((found.rows & inside).sum()),
        *(summarise(values, inside).value for values in (found.expected, found.low, found.high)),
    ]


def latency(evaluation: Evaluation, measured: Latency) -> Table:
    """Return one row for each question that was timed."""
    return Table(
        ["id", "milliseconds"],
        [[evaluation.questions[row].id, seconds * 1000] for row, seconds in measured.seconds],
    )


def repeats(evaluation: Evaluation, found: Repeats) -> Table:
    """Return one row for each repetition and question with its measures."""
    names = list(found.values)
    rows = [
        [
            repetition + 1,
            question.id,
            *(_or_none(found.values[name][repetition, row]) for name in names),
        ]
        for repetition in range(found.number)
        for row, question in enumerate(evaluation.questions)
    ]
    return Table(["repetition", "id", *names], rows)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def documents(corpus: Corpus, number: int) -> Table:
    """Return one row a document: its id and what names its text, to tell later what changed.

    Of the first `number` documents; what a retriever returned beside the corpus comes after them.
    """
    rows = islice(corpus.digests.items(), number)
    return Table(["document", "text"], [[name, text] for name, text in rows])


def unmatched(evaluation: Evaluation) -> Table:
    """Return one row for each candidate that could not be found in the corpus."""
    rows = wording.unmatched(evaluation)
    names = [question.id for question in evaluation.questions]
    return Table(["id", "rank", "passage"], [[names[row], rank, told] for row, rank, told in rows])
