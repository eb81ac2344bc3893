"""What each measure is: its names, what it is used for, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rageval.errors import InputError
from rageval.measures import documents, window
from rageval.measures.distractors import distractor_above_answer
from rageval.measures.measure import Grain, Measure, OwnMeasure
from rageval.measures.rankings import JudgedRankings
from rageval.measures.standard import Standard
from rageval.measures.values import Values

OWN = "own_"  # what the names of users' measures begin with in tables


def hit_rate(k: int) -> Measure:
    """Return the hit rate at k distinct documents."""

    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        silent = documents.silence(rankings.length, rankings.failed)
        hits = np.where(labels.unanswerable, silent, documents.hit(rankings.ranks.target, k))
        return Values.of(hits, ~labels.denied)

    return Measure(
        f"hit_rate_at_{k}",
        f"hit@{k}",
        f"a target is among the {k} best documents",
        Grain.DOCUMENTS,
        values,
        standard=f"Success@{k}",
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
        depth=k,
    )


def judged(k: int) -> Measure:
    """Return the share of the k best documents that carry a label."""

    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        return Values.of(
            documents.judged(rankings.documents, *labels.labelled, k), labels.answerable
        )

    return Measure(
        f"judged_at_{k}",
        f"judged@{k}",
        f"share of the {k} best documents with a label",
        Grain.DOCUMENTS,
        values,
        standard=f"Judged@{k}",
        depth=k,
    )


def ndcg(k: int) -> Measure:
    """Return nDCG over the k best documents."""

    def values(rankings: JudgedRankings) -> Values:
        labels = rankings.labels
        gains = documents.ndcg(rankings.documents, *labels.graded, labels.grade, k)
        return Values.of(gains, labels.answerable)

    return Measure(
        f"ndcg_at_{k}",
        f"nDCG@{k}",
        f"discounted gain of the {k} best documents",
        Grain.DOCUMENTS,
        values,
        standard=f"nDCG@{k}",
        depth=k,
    )


def standard_measure(named: Standard) -> Measure:
    """Return a measure of the field under its standard name."""
    if named.kind == "Judged":
        return judged(named.depth)  # what is labelled wrong is judged, too
    return Measure(
        named.key,
        named.name,
        "as trec_eval has it",
        Grain.DOCUMENTS,
        lambda rankings: Values.of(named.values(rankings.graded), rankings.labels.answerable),
        standard=named.name,
        in_table=named.kind != "nDCG",
        depth=named.depth,
    )


def own_measure(name: str, measure: OwnMeasure | None) -> Measure:
    """Return a user's measure; one that is not built can be named and not computed."""
    said = (type(measure).__doc__ or "").strip().partition("\n")[0]
    return Measure(
        f"{OWN}{name}",
        name,
        said or "a measure of your own",
        Grain.QUESTIONS,
        lambda rankings: _values_of_own(name, measure, rankings),
        in_table=True,
    )


def _values_of_own(name: str, measure: OwnMeasure | None, rankings: JudgedRankings) -> Values:
    if measure is None:
        raise TypeError(f"the measure {name} is named and not built")
    kind = type(measure).__name__
    try:
        found = np.asarray(measure.values(rankings), dtype=np.float64)
    except Exception as fault:  # a user's code may raise anything
        told = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise InputError(f"measures.own.{name}: {kind}.values failed: {told}") from fault
    if found.shape != (rankings.n,):
        raise InputError(
            f"measures.own.{name}: {kind}.values returned an array of shape {found.shape}; it "
            f"must be one value a question: ({rankings.n},)"
        )
    wrong = found[~((found >= 0) & (found <= 1))]  # NaN is neither
    if len(wrong):
        raise InputError(
            f"measures.own.{name}: {kind}.values returned {wrong[0]:g}; a value is in 0..1"
        )
    return Values.of(found, rankings.labels.answerable)


def _of_answerable(
    column: Callable[[JudgedRankings], NDArray[Any]],
) -> Callable[[JudgedRankings], Values]:
    return lambda rankings: Values.of(column(rankings), rankings.labels.answerable)


def _distractor_above(rankings: JudgedRankings) -> Values:
    ranks, labels = rankings.ranks, rankings.labels
    above = distractor_above_answer(ranks.distractor, ranks.answer)
    return Values.of(above, labels.answerable & labels.has_distractors)


def _chunk_completeness(rankings: JudgedRankings) -> Values:
    counts = rankings.labels.answerable
    if not rankings.complete:  # how many chunks there are is not known
        counts = np.zeros_like(counts)
    return Values.of(window.chunk_completeness(rankings.support), counts)


def _denied_pass(rankings: JudgedRankings) -> Values:
    question, document = rankings.labels.forbidden
    shown = documents.best_rank(rankings.returned, question, document) > 0
    return Values.of(~shown & ~rankings.failed, rankings.labels.denied)


WINDOW = (
    Measure(
        "recall",
        "recall",
        "a supporting chunk reached the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.recall(found.support)),
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
    ),
    Measure(
        "mrr",
        "mrr",
        "1 / rank of the first supporting chunk in the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.reciprocal_rank(found.support)),
        headline=True,
        across_questions=True,
        across_chunkings=True,
        in_table=True,
    ),
    Measure(
        "precision",
        "prec",
        "share of the window that supports",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.precision(found.support, found.window_length)),
        headline=True,
        in_table=True,
    ),
    Measure(
        "completeness",
        "compl",
        "share of the required evidence in the window",
        Grain.CHUNKS,
        _of_answerable(lambda found: window.completeness(found.support)),
        headline=True,
        across_questions=True,
        in_table=True,
    ),
    Measure(
        "chunk_completeness",
        "chunk-compl",
        "share of the supporting chunks in the window",
        Grain.CHUNKS,
        _chunk_completeness,
    ),
    Measure(
        "evidence_coverage",
        "ev-cover",
        "share of the evidence's characters in the window",
        Grain.CHARACTERS,
        _of_answerable(lambda found: found.evidence_shares[0]),
        across_chunkings=True,
    ),
    Measure(
        "evidence_precision",
        "ev-prec",
        "share of the window's characters that are evidence",
        Grain.CHARACTERS,
        _of_answerable(lambda found: found.evidence_shares[1]),
        across_chunkings=True,
    ),
)
WARNINGS = (
    Measure(
        "distractor_above_answer",
        "distractor↑",
        "a distractor ranks above the answer",
        Grain.QUESTIONS,
        _distractor_above,
        lower_is_better=True,
        in_table=True,
    ),
    Measure(
        "denied_pass",
        "denied",
        "what the asker may not see was not returned",
        Grain.QUESTIONS,
        _denied_pass,
        across_chunkings=True,
    ),
)
