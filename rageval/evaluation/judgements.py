"""What retrieval is held against, and all of it that no ranking changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.evaluation.subsets import members
from rageval.golden.access import Access
from rageval.golden.question import Question
from rageval.judging.qrels import Qrels, judge
from rageval.judging.resolution import Evidence
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.measures.labels import Labels
from rageval.measures.measure import Measure, OwnMeasure
from rageval.measures.span_table import Needs
from rageval.retrieval.pipeline import Ask


@dataclass(frozen=True, eq=False)
class Benchmark:
    """What retrieval is held against: questions with their evidence, and how they are scored."""

    questions: tuple[Question, ...]
    evidence: tuple[Evidence, ...]  # one a question
    cutoffs: Cutoffs
    min_overlap: float  # of a chunk and a span, for the one to support the other
    exclude_self: bool = False  # the document whose id is the question's is no answer
    own: Mapping[str, OwnMeasure] = field(default_factory=dict)  # the user's measures, by name

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure that is taken, in the order in which tables show them."""
        return catalogue(self.cutoffs, self.own)

    @cached_property
    def asks(self) -> list[Ask]:
        """The questions as the pipeline is asked them."""
        return [
            Ask(q.text, q.asker, q.history, q.id if self.exclude_self else None)
            for q in self.questions
        ]


@dataclass(frozen=True, eq=False)
class Grounds:
    """All that judging needs and that no ranking changes."""

    qrels: Qrels
    labels: Labels
    groups: Sequence[frozenset[str]]  # of each question's asker
    members: Mapping[str, NDArray[np.bool_]]  # subset → [n_questions]
    spans: Needs  # the evidence's characters

    @classmethod
    def of(cls, benchmark: Benchmark, chunks: Chunks, access: Access) -> Grounds:
        """Hold the labels against the chunks."""
        questions = benchmark.questions
        return cls(
            qrels=judge(benchmark.evidence, chunks, benchmark.min_overlap),
            labels=Labels.of(questions, chunks.corpus),
            groups=[access.groups(question.asker) for question in questions],
            members=members(questions, access.groups),
            spans=Needs.of([found.requirements for found in benchmark.evidence]),
        )
