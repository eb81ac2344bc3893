"""One evaluation: ask, judge, score, summarise, diagnose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.evaluation.diagnosis import Diagnosis, diagnose
from rageval.evaluation.judgements import Benchmark, Grounds
from rageval.evaluation.retrieval import NOTHING_KEPT, Asking, Memory, Retrieved, retrieve
from rageval.evaluation.scoring import Judged
from rageval.evaluation.subsets import Summary, summarise, table
from rageval.evaluation.ties import Undecided, undecided
from rageval.golden.question import Question
from rageval.judging.qrels import Qrels
from rageval.measures.catalogue import score
from rageval.measures.measure import Measure
from rageval.measures.rankings import Ranks
from rageval.measures.values import Values
from rageval.retrieval.pipeline import Pipeline


@dataclass(frozen=True)
class Evaluation:
    """What came of it. Rows are questions, in the order of the benchmark."""

    benchmark: Benchmark
    grounds: Grounds
    judged: Judged
    values: Mapping[str, Values]  # measure → one value a question
    window_size: int  # chunks that a window may hold

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return the measures that were taken, in the order in which tables show them."""
        return self.benchmark.measures

    @property
    def ranks(self) -> Ranks:
        """Return the ranks of targets, evidence and distractors."""
        return self.judged.ranks

    @property
    def chunks(self) -> Chunks:
        """Return the chunks that were asked for."""
        return self.judged.chunks

    @property
    def qrels(self) -> Qrels:
        """Return which chunks support what."""
        return self.grounds.qrels

    @property
    def retrieved(self) -> Retrieved:
        """Return what came back."""
        return self.judged.retrieved

    @property
    def members(self) -> Mapping[str, NDArray[np.bool_]]:
        """Return which questions each subset holds: subset → [n_questions]."""
        return self.grounds.members

    @cached_property
    def subsets(self) -> dict[str, dict[str, Summary]]:
        """Every measure over every subset: subset → measure → summary."""
        return table(self.values, self.members)

    def summary(self, subset: str, measure: str) -> Summary:
        """Return one measure over one subset."""
        return summarise(self.values[measure], self.members[subset])

    @cached_property
    def diagnoses(self) -> Sequence[Diagnosis]:
        """Why each question went as it did; worked out when it is asked for."""
        return diagnose(self.judged, self.ranks, self.grounds.groups, self.questions)

    @cached_property
    def undecided(self) -> Mapping[str, Undecided]:
        """Return the measures that the order of equal scores decides for any question."""
        return undecided(self.judged, self.values, self.benchmark.cutoffs, self.window_size)

    @property
    def sizes(self) -> dict[str, int]:
        """Return the number of questions of each subset."""
        return {name: int(rows.sum()) for name, rows in self.members.items()}

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions, row by row."""
        return self.benchmark.questions

    @property
    def errors(self) -> int:
        """Return the number of questions on which the retriever failed."""
        return int(self.retrieved.failed.sum())

    @property
    def leaks(self) -> int:
        """Return the number of candidates that their asker may not see."""
        return int(self.retrieved.leaks.sum())


@dataclass(frozen=True)
class Known:
    """What an evaluation need not find out, because an earlier one did."""

    grounds: Grounds | None = None  # of the benchmark and the pipeline's chunks
    memory: Memory = NOTHING_KEPT


def evaluate(
    pipeline: Pipeline,
    benchmark: Benchmark,
    advance: Callable[[int], None],
    known: Known | None = None,
) -> Evaluation:
    """Ask the pipeline every question and judge what it returns; `advance` counts questions."""
    known = known or Known()
    asking = Asking(benchmark.asks, benchmark.cutoffs.deepest, advance, known.memory)
    retrieved = retrieve(pipeline, asking)
    chunks = pipeline.passages
    kept = known.grounds if chunks is pipeline.chunks else None  # of our chunks alone
    grounds = kept or Grounds.of(benchmark, chunks, pipeline.parts.access)
    judged = Judged(grounds, benchmark.evidence, retrieved, chunks)
    values = score(judged.rankings, benchmark.measures)
    return Evaluation(benchmark, grounds, judged, values, pipeline.parts.window.k)
