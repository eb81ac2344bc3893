"""The labels held against what came back, as the arrays that measures look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.evaluation.judgements import Grounds
from rageval.evaluation.retrieval import Retrieved
from rageval.judging.qrels import Qrels
from rageval.judging.resolution import Evidence
from rageval.measures.labels import Labels
from rageval.measures.rankings import JudgedRankings, Ranks
from rageval.measures.ranks import first_rank, ranks_of
from rageval.measures.span_table import Windows
from rageval.measures.window import Support


@dataclass(frozen=True, eq=False)
class Judged:
    """The labels and what came back."""

    grounds: Grounds
    evidence: Sequence[Evidence]
    retrieved: Retrieved
    chunks: Chunks

    @property
    def labels(self) -> Labels:
        """Return the labels as numbers."""
        return self.grounds.labels

    @property
    def qrels(self) -> Qrels:
        """Return which chunks support what."""
        return self.grounds.qrels

    @cached_property
    def rankings(self) -> JudgedRankings:
        """All that a measure looks at."""
        shown, chunk = self.retrieved.window, self.retrieved.candidates.chunk
        return JudgedRankings(
            labels=self.labels,
            ranks=self.ranks,
            documents=self.retrieved.documents,
            returned=np.where(chunk >= 0, self.chunks.document[chunk], -1),
            length=self.retrieved.ranking.count,
            failed=self.retrieved.failed,
            support=self._support(),
            window_length=(shown >= 0).sum(axis=1),
            needs=self.grounds.spans,
            windows=self._windows(),
            complete=self.chunks.complete,
        )

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of targets, evidence and distractors."""
        qrels, retrieved, n = self.qrels, self.retrieved, len(self.labels.answerable)

        def first(
            ranked: NDArray[np.int32], pairs: tuple[NDArray[np.int32], ...]
        ) -> NDArray[np.int32]:
            question, item = pairs
            return first_rank(n, question, ranks_of(ranked, question, item))

        support = (qrels.question, qrels.chunk)
        return Ranks(
            target=first(retrieved.documents, self.labels.targets),
            evidence=first(retrieved.window, support),
            answer=first(retrieved.ranked, support),
            distractor=first(retrieved.ranked, (qrels.distractor_question, qrels.distractor_chunk)),
            before=None
            if retrieved.candidates.before is None
            else first(retrieved.candidates.before, support),
        )

    def _support(self) -> Support:
        qrels = self.qrels
        return Support(
            n=len(self.labels.answerable),
            question=qrels.question,
            requirement=qrels.requirement,
            alternative=qrels.alternative,
            chunk=qrels.chunk,
            rank=ranks_of(self.retrieved.window, qrels.question, qrels.chunk),
            required=qrels.required,
        )

    def _windows(self) -> Windows:
        chunks, shown = self.chunks, self.retrieved.window
        document, start, end = chunks.document.astype(np.int64), chunks.start, chunks.end
        return Windows(
            *(np.where(shown >= 0, np.append(col, 0)[shown], 0) for col in (document, start, end))
        )
