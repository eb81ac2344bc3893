"""Which chunks of one chunking support which evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.errors import InputError
from rageval.judging.resolution import Evidence

Ints = NDArray[np.int32]


class Partial(NamedTuple):
    """A requirement of which no chunk holds all."""

    question: int
    requirement: int  # position among the question's requirements
    share: float  # of the best alternative in the best chunk, 0 < share < 1


@dataclass(frozen=True, eq=False)
class Qrels:
    """The judgements of one chunking: row i says that a chunk supports an alternative.

    A requirement is met by any of its alternatives, a question needs all its requirements. Rows are
    sorted by question, requirement, alternative, chunk and never repeat. Other chunks make other
    qrels; what is compared across chunkings is the evidence, not these rows.
    """

    question: Ints  # [rows] position in the golden set
    requirement: Ints  # [rows] position among the question's requirements
    alternative: Ints  # [rows] position among the requirement's alternatives
    chunk: Ints  # [rows]
    required: Ints  # [questions] number of requirements
    distractor_question: Ints  # [distractor rows] sorted by question, chunk; never repeating
    distractor_chunk: Ints  # [distractor rows]
    unsupported: tuple[tuple[int, int], ...]  # question, requirement: met by no chunk, so a miss
    partial: tuple[Partial, ...]  # evidence that was cut through; whole documents do not count

    @cached_property
    def supporting(self) -> dict[tuple[int, int], frozenset[int]]:
        """Map each question and requirement that some chunk supports to those chunks."""
        found: dict[tuple[int, int], set[int]] = {}
        columns = (self.question.tolist(), self.requirement.tolist(), self.chunk.tolist())
        for question, requirement, chunk in zip(*columns, strict=True):
            found.setdefault((question, requirement), set()).add(chunk)
        return {key: frozenset(chunks) for key, chunks in found.items()}


def judge(evidence: Sequence[Evidence], chunks: Chunks, min_overlap: float = 0.5) -> Qrels:
    """Return which chunks support which evidence.

    A chunk supports a span of evidence of the same document when their overlap in characters is
    more than 0 and at least `min_overlap` of the span or of the chunk. Both are half-open: spans
    that only touch do not overlap. With `min_overlap` 0.5 and evidence [100, 200):

    - chunk [0, 150) holds 50 of the evidence's 100 characters: it supports
    - chunk [0, 149) holds 49, and they are 49 of its own 149: it does not
    - chunk [190, 205) holds 10 of the evidence, but they are 10 of its own 15: it supports
    - chunk [200, 300) only touches: it does not

    All chunks of a document support that document as a whole. Evidence that no chunk supports is
    a miss of the chunking and listed in `unsupported`; it is no error.

    Raises
    ------
    InputError
        If `min_overlap` is not within 0..1.
    """
    if not 0 <= min_overlap <= 1:
        raise InputError(f"min_overlap is {min_overlap}, a share within 0..1 is needed")
    share = Fraction(str(min_overlap))
    needs = _Overlaps.of(_needs(evidence), chunks)
    rows = needs.rows(share)
    traps = _Overlaps.of(_traps(evidence), chunks).rows(share)
    pairs = np.unique(traps[:, [0, 3]], axis=0)
    return Qrels(
        question=rows[:, 0],
        requirement=rows[:, 1],
        alternative=rows[:, 2],
        chunk=rows[:, 3],
        required=np.array([len(item.requirements) for item in evidence], dtype=np.int32),
        distractor_question=pairs[:, 0],
        distractor_chunk=pairs[:, 1],
        unsupported=_unsupported(evidence, rows),
        partial=needs.partial(),
    )


_Label = tuple[int, int, int, int, int, int]  # question, requirement, alternative, document, span


def _needs(evidence: Sequence[Evidence]) -> list[_Label]:
    return [
        (question, requirement, alternative, span.document, span.start, span.end)
        for question, item in enumerate(evidence)
        for requirement, spans in enumerate(item.requirements)
        for alternative, span in enumerate(spans)
    ]


def _traps(evidence: Sequence[Evidence]) -> list[_Label]:
    return [
        (question, 0, position, span.document, span.start, span.end)
        for question, item in enumerate(evidence)
        for position, span in enumerate(item.distractors)
    ]


def _unsupported(evidence: Sequence[Evidence], rows: Ints) -> tuple[tuple[int, int], ...]:
    met = set(map(tuple, rows[:, :2].tolist()))
    wanted = ((q, r) for q, item in enumerate(evidence) for r in range(len(item.requirements)))
    return tuple(pair for pair in wanted if pair not in met)


@dataclass(frozen=True)
class _Overlaps:
    """All pairs of a labelled span and a chunk that share a character, by span and then chunk."""

    labels: NDArray[np.int64]  # [pairs, 6]
    chunk: NDArray[np.int64]  # [pairs]
    overlap: NDArray[np.int64]  # [pairs] characters, more than 0
    length: NDArray[np.int64]  # [pairs] of the chunk, in characters
    whole: NDArray[np.bool_]  # [pairs] whether the span is the whole document but for white space

    @classmethod
    def of(cls, labels: list[_Label], chunks: Chunks) -> _Overlaps:
        """Find the pairs by binary search in the chunks, sorted by document and start."""
        table = np.array(labels, dtype=np.int64).reshape(-1, 6)
        order = np.lexsort((chunks.start, chunks.document))  # our own are sorted already
        first, last = _reach(table, chunks, order)
        count = np.maximum(last - first, 0)
        row = np.repeat(np.arange(len(table)), count)
        before = np.cumsum(count) - count
        chunk = order[np.arange(len(row)) - before[row] + first[row]]
        by_number = np.lexsort((chunk, row))
        row, chunk = row[by_number], chunk[by_number]
        pairs = table[row]
        start, end = chunks.start[chunk], chunks.end[chunk]
        overlap = np.minimum(end, pairs[:, 5]) - np.maximum(start, pairs[:, 4])
        content = np.array(chunks.corpus.contents, dtype=np.int64)[pairs[:, 3]]
        whole = (pairs[:, 4] <= content[:, 0]) & (pairs[:, 5] >= content[:, 1])
        kept = overlap > 0
        parts = (pairs, chunk, overlap, end - start, whole)
        return cls(*(part[kept] for part in parts))

    def rows(self, share: Fraction) -> Ints:
        """Return question, requirement, alternative, chunk of the pairs that support: [rows, 4]."""
        evidence = self.labels[:, 5] - self.labels[:, 4]
        smaller = np.minimum(evidence, self.length)  # enough of either is enough of the smaller
        sizes, place = np.unique(smaller, return_inverse=True)
        enough = [math.ceil(share * size) for size in sizes.tolist()]  # exact, however fine
        supports = self.overlap >= np.array(enough, dtype=np.int64)[place.reshape(-1)]
        rows: Ints = np.column_stack([self.labels[:, :3], self.chunk])[supports].astype(np.int32)
        return rows

    def partial(self) -> tuple[Partial, ...]:
        """Return the requirements of which some chunk holds a part and none holds all."""
        if not len(self.chunk):
            return ()
        held = self.overlap / (self.labels[:, 5] - self.labels[:, 4])
        held[self.whole] = 1.0
        keys, place = np.unique(self.labels[:, :2], axis=0, return_inverse=True)
        best = np.zeros(len(keys))
        np.maximum.at(best, place.reshape(-1), held)
        return tuple(
            Partial(int(q), int(r), float(share))
            for (q, r), share in zip(keys, best, strict=True)
            if share < 1
        )


def _reach(
    table: NDArray[np.int64], chunks: Chunks, order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], ...]:
    """Return for each label the half-open range of places in `order` that can overlap it."""
    stride = max((len(document.text) for document in chunks.corpus), default=0) + 1
    base = chunks.document[order].astype(np.int64) * stride
    reach = np.maximum.accumulate(base + chunks.end[order])  # chunks may overlap or lie in another
    label = table[:, 3] * stride
    first = np.searchsorted(reach, label + table[:, 4], side="right")
    last = np.searchsorted(base + chunks.start[order], label + table[:, 5], side="left")
    return first, last
