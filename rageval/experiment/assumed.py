"""Results that nobody measured: what a gate could see before there is a retriever."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rageval.comparison.result import Result, Row
from rageval.config.loading import Dataset
from rageval.evaluation.subsets import subsets_of
from rageval.golden.question import Answerable, Question, scored_fields

# Of the found answers, how many stand first, second, … in a window of six: docs/gate-power.md.
_RANKS = np.array([0.60, 0.13, 0.07, 0.03, 0.02, 0.01]) / 0.86


def assumed(dataset: Dataset, found: float, seed: int) -> Result:
    """Return results in which a share of the dev questions is found, drawn at random.

    Found answers stand at ranks 1 to 6 as often as those of docs/gate-power.md; hit@1, hit@3,
    recall and mrr follow from the rank.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    questions = dataset.dev.golden.questions
    hit = random.random(len(questions)) < found
    ranks = np.where(hit, random.choice(np.arange(1, 7), len(questions), p=_RANKS), 0)
    rows = [
        _row(question, int(rank), subsets_of(question, dataset.access.groups(question.asker)))
        for question, rank in zip(questions, ranks, strict=True)
    ]
    return Result(
        run="",
        name=f"{100 * found:.0f} % found",
        dataset=dataset.golden.name,
        split="dev",
        benchmark="",
        variant="",
        chunking="",
        rows={row.id: row for row in rows},
    )


def _row(question: Question, rank: int, subsets: frozenset[str]) -> Row:
    return Row(
        id=question.id,
        text=question.text,
        labels=scored_fields(question),
        subsets=tuple(sorted(subsets)),
        values=_values(question.answerable, rank),
        ranks={"target": rank or None, "evidence": rank or None, "answer": None}
        | {"distractor": None},
        documents=(),
        diagnosis="",
        failed=False,
        leaks=0,
        group=question.group,
    )


def _values(answerable: Answerable, rank: int) -> Mapping[str, float | None]:
    names = ("hit_rate_at_1", "hit_rate_at_3", "recall", "mrr", "denied_pass")
    values: dict[str, float | None] = dict.fromkeys(names)
    if answerable is Answerable.DENIED:
        return {**values, "denied_pass": float(rank > 0)}
    if answerable is Answerable.NO:
        return {**values, "hit_rate_at_1": float(rank > 0), "hit_rate_at_3": float(rank > 0)}
    return {
        **values,
        "hit_rate_at_1": float(rank == 1),
        "hit_rate_at_3": float(0 < rank <= 3),
        "recall": float(rank > 0),
        "mrr": 1 / rank if rank else 0.0,
    }
