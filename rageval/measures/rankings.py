"""Rankings held against labels, as arrays: all that a measure looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rageval.measures.labels import Labels
from rageval.measures.ranks import ranks_of
from rageval.measures.span_table import Needs, Windows, coverage_and_precision
from rageval.measures.trec_eval import JudgedRanks
from rageval.measures.window import Support


@dataclass(frozen=True)
class Ranks:
    """The ranks that decide, one a question; 1 = best, 0 = absent."""

    target: NDArray[np.int32]  # [n] best target among the distinct documents
    evidence: NDArray[np.int32]  # [n] first supporting chunk in the window
    answer: NDArray[np.int32]  # [n] first supporting chunk in the full ranking
    distractor: NDArray[np.int32]  # [n] first distractor chunk in the full ranking
    before: NDArray[np.int32] | None = None  # [n] first supporting chunk before reranking


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """What came back for each question and how it is labelled; rows are questions.

    Documents are numbers; −1 marks the places after the last.
    """

    labels: Labels
    ranks: Ranks
    documents: NDArray[np.int32]  # [n, depth] distinct documents of the ranking, best first
    returned: NDArray[np.int32]  # [n, depth] document of each candidate, before any cut
    length: NDArray[np.int64]  # [n] chunks of the ranking
    failed: NDArray[np.bool_]  # [n] the retriever raised an error
    support: Support  # supporting chunks with their ranks in the window
    window_length: NDArray[np.int64]  # [n] chunks of the window
    needs: Needs  # characters of the evidence
    windows: Windows  # characters of the windows
    complete: bool = True  # False: the retriever may hold passages that nobody has seen

    @property
    def n(self) -> int:
        """Return the number of questions."""
        return len(self.failed)

    @cached_property
    def graded(self) -> JudgedRanks:
        """Where the graded documents stand among the distinct documents of each ranking."""
        question, document = self.labels.graded
        return JudgedRanks(
            n=self.n,
            query=question,
            rank=ranks_of(self.documents, question, document),
            grade=self.labels.grade,
            returned=(self.documents >= 0).sum(axis=1),
        )

    @cached_property
    def evidence_shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Share of the evidence's characters in the window, and of the window's that are it."""
        return coverage_and_precision(self.needs, self.windows)
