"""Every measure for every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.evaluation.judgements import Grounds
from rageval.evaluation.labels import Labels
from rageval.evaluation.retrieval import Retrieved
from rageval.judging.qrels import Qrels
from rageval.judging.resolution import Evidence
from rageval.measures import documents, window
from rageval.measures.catalogue import Cutoffs
from rageval.measures.distractors import distractor_above_answer
from rageval.measures.ranks import first_rank, ranks_of
from rageval.measures.span_table import Windows, coverage_and_precision
from rageval.measures.trec_eval import JudgedRanks
from rageval.measures.values import Values


@dataclass(frozen=True)
class Ranks:
    """The ranks that decide, one a question; 0 = absent."""

    target: NDArray[np.int32]  # [n] best target among the distinct documents
    evidence: NDArray[np.int32]  # [n] first supporting chunk in the window
    answer: NDArray[np.int32]  # [n] first supporting chunk in the full ranking
    distractor: NDArray[np.int32]  # [n] first distractor chunk in the full ranking
    before: NDArray[np.int32] | None = None  # [n] first supporting chunk before reranking


@dataclass(frozen=True)
class Judged:
    """The labels and what came back: all that a measure looks at."""

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

    @property
    def length(self) -> NDArray[np.int64]:
        """Return the number of chunks in each window: [n]."""
        lengths: NDArray[np.int64] = (self.retrieved.window >= 0).sum(axis=1)
        return lengths

    def support(self) -> window.Support:
        """Return the supporting chunks with their ranks in the window."""
        qrels = self.qrels
        return window.Support(
            n=len(self.labels.answerable),
            question=qrels.question,
            requirement=qrels.requirement,
            alternative=qrels.alternative,
            chunk=qrels.chunk,
            rank=ranks_of(self.retrieved.window, qrels.question, qrels.chunk),
            required=qrels.required,
        )


def ranks(judged: Judged) -> Ranks:
    """Find the ranks of targets, evidence and distractors."""
    qrels, retrieved, n = judged.qrels, judged.retrieved, len(judged.labels.answerable)

    def first(ranked: NDArray[np.int32], pairs: tuple[NDArray[np.int32], ...]) -> NDArray[np.int32]:
        question, item = pairs
        return first_rank(n, question, ranks_of(ranked, question, item))

    support = (qrels.question, qrels.chunk)
    return Ranks(
        target=first(retrieved.documents, judged.labels.targets),
        evidence=first(retrieved.window, support),
        answer=first(retrieved.ranked, support),
        distractor=first(retrieved.ranked, (qrels.distractor_question, qrels.distractor_chunk)),
        before=None
        if retrieved.candidates.before is None
        else first(retrieved.candidates.before, support),
    )


def score(judged: Judged, found: Ranks, cutoffs: Cutoffs) -> dict[str, Values]:
    """Return every measure of the catalogue by name.

    A question that failed is a miss in all of them. Unanswerable questions count in the hit rates
    alone, denied ones in `denied_pass` alone.
    """
    return {
        **_document_values(judged, found, cutoffs),
        **_window_values(judged),
        **_warnings(judged, found),
    }


def _document_values(judged: Judged, found: Ranks, cutoffs: Cutoffs) -> dict[str, Values]:
    labels, retrieved = judged.labels, judged.retrieved
    silent = documents.silence(judged.retrieved.ranking.count, retrieved.failed)
    values: dict[str, Values] = {}
    for k in cutoffs.hit_at:
        hits = np.where(labels.unanswerable, silent, documents.hit(found.target, k))
        values[f"hit_rate_at_{k}"] = Values.of(hits, ~labels.denied)
        seen = documents.judged(retrieved.documents, *labels.labelled, k)
        values[f"judged_at_{k}"] = Values.of(seen, labels.answerable)
    k = cutoffs.ndcg_at
    gains = documents.ndcg(retrieved.documents, *labels.graded, labels.grade, k)
    values[f"ndcg_at_{k}"] = Values.of(gains, labels.answerable)
    ranked = _judged_ranks(judged)
    for measure in cutoffs.by_name:
        values[measure.key] = Values.of(measure.values(ranked), labels.answerable)
    return values


def _judged_ranks(judged: Judged) -> JudgedRanks:
    """Return where the graded documents stand among the distinct documents of each ranking."""
    shown = judged.retrieved.documents
    question, document = judged.labels.graded
    return JudgedRanks(
        n=len(shown),
        query=question,
        rank=ranks_of(shown, question, document),
        grade=judged.labels.grade,
        returned=(shown >= 0).sum(axis=1),
    )


def _window_values(judged: Judged) -> dict[str, Values]:
    support, counts = judged.support(), judged.labels.answerable
    coverage, purity = _span_values(judged)
    columns: dict[str, NDArray[np.generic]] = {
        "recall": window.recall(support),
        "mrr": window.reciprocal_rank(support),
        "precision": window.precision(support, judged.length),
        "completeness": window.completeness(support),
        "chunk_completeness": window.chunk_completeness(support),
        "evidence_coverage": coverage,
        "evidence_precision": purity,
    }
    every = {name: Values.of(column, counts) for name, column in columns.items()}
    if judged.chunks.complete:
        return every
    # Which other passages the retriever holds, and so how many there are, nobody knows.
    none = np.zeros_like(counts)
    return {**every, "chunk_completeness": Values.of(columns["chunk_completeness"], none)}


def _span_values(judged: Judged) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    chunks, shown = judged.chunks, judged.retrieved.window
    document, start, end = chunks.document.astype(np.int64), chunks.start, chunks.end
    windows = Windows(
        *(np.where(shown >= 0, np.append(column, 0)[shown], 0) for column in (document, start, end))
    )
    return coverage_and_precision(judged.grounds.spans, windows)


def _warnings(judged: Judged, found: Ranks) -> dict[str, Values]:
    labels, retrieved = judged.labels, judged.retrieved
    above = distractor_above_answer(found.distractor, found.answer)
    question, document = labels.forbidden
    returned = np.where(
        retrieved.candidates.chunk >= 0, judged.chunks.document[retrieved.candidates.chunk], -1
    )
    shown = documents.best_rank(returned, question, document) > 0
    return {
        "distractor_above_answer": Values.of(above, labels.answerable & labels.has_distractors),
        "denied_pass": Values.of(~shown & ~retrieved.failed, labels.denied),
    }
