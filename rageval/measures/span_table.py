"""Span measures for every question at once: the same numbers as `rageval.measures.spans`.

Documents are laid end to end on one line, so that a span is two positions on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rageval.measures.spans import Span, union

Ints = NDArray[np.int64]
Line = tuple[Ints, Ints]  # half-open positions


@dataclass(frozen=True)
class Spans:
    """Spans by question."""

    question: Ints  # [m]
    document: Ints  # [m]
    start: Ints  # [m] half-open characters
    end: Ints  # [m]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, Span]]) -> Spans:
        """Take (question, span) pairs."""
        table = np.array([(row, *span) for row, span in rows], dtype=np.int64).reshape(-1, 4)
        return cls(*np.ascontiguousarray(table.T))

    def line(self, stride: int) -> Line:
        """Return the positions on the line on which every document has `stride` characters."""
        return self.document * stride + self.start, self.document * stride + self.end


@dataclass(frozen=True)
class Needs:
    """The evidence of every question: each need is met by any of its alternatives."""

    alternatives: Spans  # by need
    need: Ints  # [alternatives] numbered through all questions
    evidence: Spans  # all of a question's, without overlaps

    @classmethod
    def of(cls, questions: Sequence[Sequence[Sequence[Span]]]) -> Needs:
        """Take each question's needs, each with its alternatives."""
        rows = [
            (number, row, (span[0], span[1], span[2]))
            for number, (row, need) in enumerate(
                (row, need) for row, needs in enumerate(questions) for need in needs
            )
            for span in need
        ]
        merged = [
            (row, span)
            for row, needs in enumerate(questions)
            for span in union((s[0], s[1], s[2]) for need in needs for s in need)
        ]
        return cls(
            alternatives=Spans.of([(row, span) for _, row, span in rows]),
            need=np.array([number for number, _, _ in rows], dtype=np.int64),
            evidence=Spans.of(merged),
        )


@dataclass(frozen=True)
class Windows:
    """The chunks of each window, a row a question; places without one have no length."""

    document: Ints  # [n, k]
    start: Ints  # [n, k] half-open characters
    end: Ints  # [n, k]


def coverage_and_precision(
    needs: Needs, windows: Windows
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `evidence_coverage` and `evidence_precision` of every question: [n] each.

    Examples
    --------
    >>> needs = Needs.of([[[(0, 40, 60)]], [[(1, 0, 20), (0, 60, 70)]]])
    >>> rows = np.array([[0], [0]]), np.array([[0], [40]]), np.array([[50], [90]])
    >>> [found.tolist() for found in coverage_and_precision(needs, Windows(*rows))]
    [[0.5, 1.0], [0.2, 0.2]]
    """
    n = len(windows.document)
    ends = (windows.end, needs.alternatives.end)
    stride = int(max(end.max(initial=0) for end in ends)) + 1
    held = _pieces(windows, stride)
    length = (held[1] - held[0]).sum(axis=1)
    evidence = needs.evidence
    common = np.bincount(
        evidence.question, _common(evidence.line(stride), evidence.question, held), minlength=n
    )
    question, pieces = _chosen(needs, held, stride)
    wanted = np.bincount(question, pieces[1] - pieces[0], minlength=n)
    found = np.bincount(question, _common(pieces, question, held), minlength=n)
    return _share(found, wanted), _share(common, length)


def _pieces(windows: Windows, stride: int) -> Line:
    """Return each window's chunks in order, without what an earlier one holds: [n, k] each."""
    low, high = windows.document * stride + windows.start, windows.document * stride + windows.end
    order = np.lexsort((high, low), axis=-1)
    low = np.take_along_axis(low, order, axis=1)
    high = np.take_along_axis(high, order, axis=1)
    return _without_overlaps(low, high)


def _without_overlaps(low: Ints, high: Ints) -> Line:
    """Cut spans that are sorted along the last axis to what none before holds."""
    reach = np.maximum.accumulate(high, axis=-1)
    low = low.copy()
    low[..., 1:] = np.maximum(low[..., 1:], reach[..., :-1])
    return low, np.maximum(low, high)


def _common(spans: Line, question: Ints, held: Line) -> Ints:
    """Return how many characters of each span its question's window holds: [m]."""
    low = np.maximum(spans[0][:, None], held[0][question])
    high = np.minimum(spans[1][:, None], held[1][question])
    common: Ints = np.maximum(high - low, 0).sum(axis=1)
    return common


def _chosen(needs: Needs, held: Line, stride: int) -> tuple[Ints, Line]:
    """Return the alternative of each need that is held best, without overlaps in a question."""
    question, (low, high) = needs.alternatives.question, needs.alternatives.line(stride)
    share = _share(_common((low, high), question, held), high - low)
    order = np.lexsort((np.arange(len(share)), -share, needs.need))
    best = order[np.flatnonzero(np.diff(needs.need[order], prepend=-1))]
    question, low, high = question[best], low[best], high[best]
    shift = question * (int(high.max(initial=0)) + 1)  # a question is a line of its own
    order = np.lexsort((high, low, question))
    question, shift = question[order], shift[order]
    low, high = _without_overlaps(low[order] + shift, high[order] + shift)
    return question, (low - shift, high - shift)


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return share
