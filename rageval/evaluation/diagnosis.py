"""Why a question went as it did, one cause each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from rageval.evaluation.scoring import Judged
from rageval.golden.question import Question
from rageval.judging.resolution import Span
from rageval.measures.rankings import Ranks
from rageval.measures.ranks import ABSENT
from rageval.retrieval.window import BELOW_FLOOR, OVER_CAP


class Cause(Enum):
    """What became of a question, from the best to the worst that can be mended by retrieval."""

    FOUND = "found"
    SILENT = "rightly silent"
    WITHHELD = "rightly withheld"
    OUTRANKED = "outranked by a distractor"
    BELOW_K = "below k"
    RERANKED = "lost by the reranker"
    CAPPED = "removed by the per-document cap"
    FLOORED = "removed by the floor"
    NOT_RANKED = "not in the ranking"
    NOT_INDEXED = "not indexed"
    OUT_OF_SCOPE = "outside the asker's scope"
    NOT_SILENT = "returned something though nothing answers"
    DISCLOSED = "returned what the asker may not see"
    ERROR = "retriever error"


_BY_FATE = {BELOW_FLOOR: Cause.FLOORED, OVER_CAP: Cause.CAPPED}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause and what there is to see of it."""

    cause: Cause
    detail: str  # may be empty

    def __str__(self) -> str:
        return f"{self.cause.value}: {self.detail}" if self.detail else self.cause.value


def diagnose(
    judged: Judged,
    found: Ranks,
    groups: Sequence[frozenset[str]],
    questions: Sequence[Question],
) -> list[Diagnosis]:
    """Return one diagnosis a question; `groups` are those of each question's asker."""
    errors = judged.retrieved.errors
    return [
        Diagnosis(Cause.ERROR, str(errors[row]))
        if row in errors
        else _diagnose(_Case(judged, row, groups[row], questions[row]), found)
        for row in range(len(groups))
    ]


@dataclass(frozen=True)
class _Case:
    """One question's row of everything."""

    judged: Judged
    row: int
    groups: frozenset[str]
    question: Question

    def named(self, requirement: int) -> str:
        """Return what one requirement asks for, as its label says; any of several."""
        names = list(map(str, self.question.requirements[requirement]))
        more = f" or {len(names) - 1} others" if len(names) > 1 else ""
        return names[0] + more

    def supporting(self, requirement: int) -> frozenset[int]:
        """Return the chunks that support one requirement."""
        return self.judged.qrels.supporting.get((self.row, requirement), frozenset())

    @property
    def window_size(self) -> int:
        """Return how many chunks a window may hold."""
        return self.judged.retrieved.window_size

    def rank_before(self, chunks: frozenset[int]) -> int:
        """Return the rank of the first of some chunks before reranking; 0 = it was not there."""
        before = self.judged.retrieved.candidates.before
        if before is None:
            return 0
        return next((n for n, c in enumerate(before[self.row].tolist(), 1) if c in chunks), 0)

    def visible(self, span: Span) -> bool:
        """Say whether the asker may see the document that holds a span."""
        return self.judged.chunks.corpus[span.document].visible_to(self.groups)


def _diagnose(case: _Case, found: Ranks) -> Diagnosis:
    labels, retrieved, row = case.judged.labels, case.judged.retrieved, case.row
    if labels.unanswerable[row]:
        count = int(retrieved.ranking.count[row])
        return Diagnosis(Cause.NOT_SILENT, _first(case)) if count else Diagnosis(Cause.SILENT, "")
    if labels.denied[row]:
        return _denied(case)
    needs = case.judged.evidence[row].requirements
    states = [_requirement(case, number, need) for number, need in enumerate(needs)]
    missing = [state for state in states if state.cause is not Cause.FOUND]
    if missing:
        worst = max(missing, key=lambda state: list(Cause).index(state.cause))
        several = len(states) > 1
        part = f"{len(states) - len(missing)} of {len(states)} found, without " if several else ""
        return Diagnosis(worst.cause, part + worst.detail)
    if ABSENT < found.distractor[row] < found.answer[row]:
        ranks = f"rank {found.distractor[row]}, the answer {found.answer[row]}"
        return Diagnosis(Cause.OUTRANKED, ranks)
    return Diagnosis(Cause.FOUND, f"rank {found.evidence[row]}")


def _denied(case: _Case) -> Diagnosis:
    question, document = case.judged.labels.forbidden
    chunks = case.judged.retrieved.candidates.chunk[case.row]
    returned = set(case.judged.chunks.document[chunks[chunks >= 0]].tolist())
    shown = [n for n in document[question == case.row].tolist() if n in returned]
    corpus = case.judged.chunks.corpus
    if shown:
        return Diagnosis(Cause.DISCLOSED, ", ".join(corpus[n].id for n in shown))
    return Diagnosis(Cause.WITHHELD, "")


def _requirement(case: _Case, number: int, need: Sequence[Span]) -> Diagnosis:
    """Say what became of one piece of evidence, of which any alternative would do."""
    names = case.named(number)
    if not any(case.visible(span) for span in need):
        return Diagnosis(Cause.OUT_OF_SCOPE, names)
    chunks = case.supporting(number)
    if not chunks and case.judged.chunks.complete:
        return Diagnosis(Cause.NOT_INDEXED, names)
    retrieved, row = case.judged.retrieved, case.row
    before = case.rank_before(chunks)
    if not chunks.isdisjoint(retrieved.window[row].tolist()):
        return Diagnosis(Cause.FOUND, names)
    rank = next((n for n, c in enumerate(retrieved.ranked[row].tolist(), 1) if c in chunks), 0)
    if before and before <= case.window_size:
        now = f"{rank} after" if rank else "gone after"
        return Diagnosis(Cause.RERANKED, f"{names} at rank {before} before, {now} ({_first(case)})")
    if rank:
        return Diagnosis(Cause.BELOW_K, f"{names} at rank {rank} ({_first(case)})")
    dropped = np.isin(retrieved.candidates.chunk[row], list(chunks))
    drop_reasons = [
        int(drop_reason)
        for drop_reason in retrieved.ranking.drop_reason[row][dropped]
        if int(drop_reason) in _BY_FATE
    ]
    return Diagnosis(
        _BY_FATE[drop_reasons[0]] if drop_reasons else Cause.NOT_RANKED, f"{names} ({_first(case)})"
    )


def _first(case: _Case) -> str:
    """Name what stands first in the ranking."""
    best = (
        int(case.judged.retrieved.documents[case.row, :1].sum())
        if case.judged.retrieved.documents.shape[1]
        else -1
    )
    return f"first is {case.judged.chunks.corpus[best].id}" if best >= 0 else "nothing came back"
