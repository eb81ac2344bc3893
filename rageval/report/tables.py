"""An evaluation as tables: the rows that are kept with a run and that pages are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rageval.corpus.document import Corpus
from rageval.evaluation.evaluation import Evaluation
from rageval.evaluation.latency import Latency
from rageval.golden.question import scored_fields
from rageval.measures.catalogue import catalogue
from rageval.report.names import passage

Cell = Any  # None, bool, int, float, str, or a list of these


@dataclass(frozen=True)
class Table:
    """Columns and rows, as MLflow's table view reads them."""

    columns: Sequence[str]
    data: Sequence[Sequence[Cell]]

    def as_json(self) -> dict[str, Any]:
        """Return the form that is written to a file."""
        return {"columns": list(self.columns), "data": [list(row) for row in self.data]}


def questions(evaluation: Evaluation) -> Table:
    """Return one row a question: its ranks, measures, diagnosis and window."""
    rows = [_question(evaluation, row) for row in range(len(evaluation.questions))]
    return Table(list(rows[0]), [list(row.values()) for row in rows])


def _question(evaluation: Evaluation, row: int) -> dict[str, Cell]:
    question, ranks = evaluation.questions[row], evaluation.ranks
    return {
        "id": question.id,
        "question": question.text,
        "form": question.form,
        "class": question.hard_class,
        "tags": list(question.tags),
        "asker": question.asker,
        "answerable": question.answerable.value,
        "targets": list(question.targets),
        "labels": scored_fields(question),
        "group": question.group,
        "subsets": [name for name, inside in evaluation.members.items() if inside[row]],
        "target_rank": _rank(ranks.target[row]),
        "evidence_rank": _rank(ranks.evidence[row]),
        "answer_rank": _rank(ranks.answer[row]),
        "distractor_rank": _rank(ranks.distractor[row]),
        **{
            measure.name: evaluation.values[measure.name].at(row)
            for measure in catalogue(evaluation.benchmark.cutoffs)
        },
        "cause": evaluation.diagnoses[row].cause.value,
        "diagnosis": str(evaluation.diagnoses[row]),
        "documents": _documents(evaluation, row),
        "window": _window(evaluation, row),
        "error": evaluation.retrieved.errors.get(row),
        "leaks": int(evaluation.retrieved.leaks[row]),
    }


def _rank(rank: int) -> int | None:
    return int(rank) or None


def _documents(evaluation: Evaluation, row: int) -> list[str]:
    """Return the best documents, as many as the measures look at."""
    deepest = evaluation.benchmark.cutoffs.deepest
    numbers = evaluation.retrieved.documents[row, :deepest].tolist()
    return [evaluation.chunks.corpus[number].id for number in numbers if number >= 0]


def _window(evaluation: Evaluation, row: int) -> list[str]:
    numbers = evaluation.retrieved.window[row].tolist()
    return [passage(evaluation.chunks, number) for number in numbers if number >= 0]


def subsets(evaluation: Evaluation) -> Table:
    """Return one row a subset and measure: n, value and 95 % interval."""
    return Table(
        ["subset", "questions", "measure", "n", "value", "low", "high"],
        [
            [subset, evaluation.sizes[subset], name, s.n, s.value, s.low, s.high]
            for subset, row in evaluation.subsets.items()
            for name, s in row.items()
        ],
    )


def latency(evaluation: Evaluation, measured: Latency) -> Table:
    """Return one row for each question that was timed."""
    return Table(
        ["id", "milliseconds"],
        [[evaluation.questions[row].id, seconds * 1000] for row, seconds in measured.seconds],
    )


def documents(corpus: Corpus) -> Table:
    """Return one row a document: its id and what names its text, to tell later what changed."""
    return Table(["document", "text"], [[name, text] for name, text in corpus.digests.items()])
