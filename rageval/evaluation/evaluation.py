"""One evaluation: ask, judge, score, summarise, diagnose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.evaluation.diagnosis import Diagnosis, diagnose
from rageval.evaluation.labels import Labels
from rageval.evaluation.retrieval import Retrieved, retrieve
from rageval.evaluation.scoring import Judged, Ranks, ranks, score
from rageval.golden.access import Access
from rageval.golden.question import Question
from rageval.judging.qrels import Qrels, judge
from rageval.judging.resolution import Evidence
from rageval.measures.catalogue import Cutoffs
from rageval.measures.values import Values
from rageval.pipeline import Ask, Pipeline
from rageval.subsets import Summary, members, table


@dataclass(frozen=True)
class Benchmark:
    """What retrieval is held against: questions with their evidence, and how they are scored."""

    questions: tuple[Question, ...]
    evidence: tuple[Evidence, ...]  # one a question
    cutoffs: Cutoffs
    min_overlap: float  # of a chunk and a span, for the one to support the other

    @property
    def asks(self) -> list[Ask]:
        """Return the questions as the pipeline is asked them."""
        return [Ask(q.text, q.asker, q.history) for q in self.questions]


@dataclass(frozen=True)
class Grounds:
    """All that judging needs and that no ranking changes."""

    qrels: Qrels
    labels: Labels
    groups: Sequence[frozenset[str]]  # of each question's asker
    members: Mapping[str, NDArray[np.bool_]]  # subset → [n_questions]

    @classmethod
    def of(cls, benchmark: Benchmark, chunks: Chunks, access: Access) -> Grounds:
        """Hold the labels against the chunks."""
        questions = benchmark.questions
        return cls(
            qrels=judge(benchmark.evidence, chunks, benchmark.min_overlap),
            labels=Labels.of(questions, chunks.corpus),
            groups=[access.groups(question.asker) for question in questions],
            members=members(questions, access.groups),
        )


@dataclass(frozen=True)
class Evaluation:
    """What came of it. Rows are questions, in the order of the benchmark."""

    benchmark: Benchmark
    chunks: Chunks
    qrels: Qrels
    retrieved: Retrieved
    ranks: Ranks
    values: Mapping[str, Values]  # measure → one value a question
    subsets: Mapping[str, Mapping[str, Summary]]  # subset → measure → summary
    members: Mapping[str, NDArray[np.bool_]]  # subset → [n_questions] which questions it holds
    diagnoses: Sequence[Diagnosis]

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


def evaluate(
    pipeline: Pipeline,
    benchmark: Benchmark,
    advance: Callable[[int], None],
    grounds: Grounds | None = None,
) -> Evaluation:
    """Ask the pipeline every question and judge what it returns; `advance` counts questions.

    `grounds` are those of the benchmark and the pipeline's chunks, where they are known already.
    """
    chunks = pipeline.chunks
    retrieved = retrieve(pipeline, benchmark.asks, benchmark.cutoffs.deepest, advance)
    grounds = grounds or Grounds.of(benchmark, chunks, pipeline.parts.access)
    judged = Judged(grounds.labels, benchmark.evidence, grounds.qrels, retrieved, chunks)
    found = ranks(judged)
    values = score(judged, found, benchmark.cutoffs)
    return Evaluation(
        benchmark=benchmark,
        chunks=chunks,
        qrels=grounds.qrels,
        retrieved=retrieved,
        ranks=found,
        values=values,
        subsets=table(values, grounds.members),
        members=grounds.members,
        diagnoses=diagnose(judged, found, grounds.groups, benchmark.questions),
    )
