"""Asking the pipeline every question. There is no retrieval here, only the asking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rageval.retrieval.pipeline import Ask, Pipeline
from rageval.retrieval.retrievers.blocks import joined
from rageval.retrieval.retrievers.failure import Failure
from rageval.retrieval.retrievers.retriever import Candidates
from rageval.retrieval.window import BELOW_FLOOR, KEPT, Ranking, distinct_documents

_BATCH = 64  # questions between two steps of the progress bar


@dataclass(frozen=True)
class Tied:
    """A ranking in which equal scores stand where measures look."""

    chunk: NDArray[np.int32]  # [m] as ranked
    level: NDArray[np.int32]  # [m] 0, 1, …: equal levels are tied


@dataclass(frozen=True)
class Retrieved:
    """What came back for every question; −1 marks the places after the last."""

    candidates: Candidates
    ranking: Ranking
    window: NDArray[np.int32]  # [n, ≤ k] chunks
    ranked: NDArray[np.int32]  # [n, ≥ depth] chunks, asked deeper where measures need it
    documents: NDArray[np.int32]  # [n, ≥ depth] distinct documents of `ranked`
    failed: NDArray[np.bool_]  # [n]
    leaks: NDArray[np.int32]  # [n] candidates outside the asker's scope
    short: int  # questions whose ranking holds fewer documents than the measures look at
    tied: Mapping[int, Tied] = field(default_factory=dict)  # question → its ranking with its ties
    window_size: int = 0  # chunks that a window may hold
    unlocated: Mapping[int, str] = field(default_factory=dict)  # passage → why it has no place
    several: Mapping[int, int] = field(default_factory=dict)  # passage → more places of its text

    @property
    def errors(self) -> dict[int, Failure]:
        """Map the questions that failed to what went wrong."""
        return dict(self.candidates.errors)


@dataclass(frozen=True)
class Answers:
    """What came back for every question at one depth, whatever is made of it."""

    candidates: Candidates
    leaks: NDArray[np.int32]  # [n] candidates outside the asker's scope


@dataclass(frozen=True)
class Memory:
    """Answers that are kept from one asking to the next."""

    reach: int  # depth up to which asking every question again costs next to nothing
    recall: Callable[[int, Callable[[], Answers]], Answers]  # those of a depth, or made now


NOTHING_KEPT = Memory(0, lambda depth, ask: ask())


@dataclass(frozen=True)
class Asking:
    """The questions, how many documents measures look at, and whom to tell of the progress."""

    asks: Sequence[Ask]
    needed: int  # distinct documents
    advance: Callable[[int], None]  # called with the number of questions asked since
    memory: Memory = NOTHING_KEPT


def retrieve(pipeline: Pipeline, asking: Asking) -> Retrieved:
    """Ask every question; measures need some distinct documents where there are as many.

    Where a ranking holds fewer although the candidates came in full number and the last one is
    above the floor, the retriever is asked deeper. That never changes the window, and a question on
    which the deeper asking fails keeps the ranking that it had.
    """
    window, asks = pipeline.parts.window, asking.asks
    answers = _answers(pipeline, asking, window.depth)
    candidates = answers.candidates
    ranking = pipeline.rank(candidates)
    needed = min(asking.needed, len(pipeline.chunks.corpus))
    ranked, documents = _deepened(pipeline, asking, _Depth(candidates, ranking, needed))
    return Retrieved(
        candidates=candidates,
        ranking=ranking,
        window=ranking.first(window.k),
        ranked=ranked,
        documents=documents,
        failed=np.isin(np.arange(len(asks)), list(candidates.errors)),
        leaks=answers.leaks,
        short=int(((documents >= 0).sum(axis=1) < needed).sum()),
        tied=_tied(pipeline, asking, _Depth(candidates, ranking, needed)),
        window_size=window.k,
        unlocated=pipeline.unlocated,
        several=pipeline.several,
    )


def _tied(pipeline: Pipeline, asking: Asking, found: _Depth) -> dict[int, Tied]:
    """Return the rankings in which a tie begins where the measures look.

    Where the last candidates are tied with one of those, all are asked for: a tie is known only
    with everything that takes part in it.
    """
    if not found.candidates.ties:
        return {}
    score, chunk = found.candidates.score, found.candidates.chunk
    equal = (score[:, 1:] == score[:, :-1]) & (chunk[:, 1:] >= 0)
    kept = {
        n: _levels(found.candidates, found.ranking, n)
        for n in np.flatnonzero(equal.any(axis=1)).tolist()
    }
    reach = {n: _looked_at(pipeline, tied, found.needed) for n, tied in kept.items()}
    tied = {n: one for n, one in kept.items() if _has_ties(one.level[: reach[n] + 1])}
    full = found.candidates.count >= pipeline.parts.window.depth
    open_ended = [n for n, one in tied.items() if full[n] and _runs_on(one.level, reach[n])]
    if open_ended:
        deep = pipeline.candidates([asking.asks[n] for n in open_ended], len(pipeline.chunks))
        ranking = pipeline.rank(deep)
        tied |= {n: _levels(deep, ranking, row) for row, n in enumerate(open_ended)}
    return tied


def _runs_on(level: NDArray[np.int32], reach: int) -> bool:
    """Say whether the last place that measures look at is tied with the last of all."""
    return bool(level[min(reach, len(level)) - 1] == level[-1])


def _levels(candidates: Candidates, ranking: Ranking, row: int) -> Tied:
    """Return one row of a ranking with its levels."""
    inside = (ranking.drop_reason[row] == KEPT) & (candidates.chunk[row] >= 0)
    score = candidates.score[row][inside]
    falls = np.diff(score, prepend=score[:1]) != 0
    return Tied(candidates.chunk[row][inside], np.cumsum(falls).astype(np.int32))


def _looked_at(pipeline: Pipeline, tied: Tied, documents: int) -> int:
    """Return how many chunks of a ranking measures look at: a window, and so many documents."""
    document = pipeline.chunks.document[tied.chunk]
    first = np.sort(np.unique(document, return_index=True)[1])
    last = int(first[documents - 1]) + 1 if len(first) >= documents else len(document)
    return max(pipeline.parts.window.k, last)


def _has_ties(level: NDArray[np.int32]) -> bool:
    return bool((np.diff(level) == 0).any())


def _answers(pipeline: Pipeline, asking: Asking, depth: int) -> Answers:
    """Return the answers to every question, asked now or recalled."""

    def ask() -> Answers:
        parts = []
        for at in range(0, len(asking.asks), _BATCH):
            batch = asking.asks[at : at + _BATCH]
            parts.append(pipeline.candidates(batch, depth))
            asking.advance(len(batch))
        candidates = joined(parts)
        return Answers(candidates, _leaks(pipeline, asking.asks, candidates))

    return asking.memory.recall(depth, ask)


@dataclass(frozen=True)
class _Depth:
    candidates: Candidates
    ranking: Ranking
    needed: int


def _deepened(
    pipeline: Pipeline, asking: Asking, begun: _Depth
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the ranked chunks and their distinct documents, asking deeper where it can help."""
    depth = pipeline.parts.window.depth
    candidates, ranking, rows = begun.candidates, begun.ranking, np.arange(len(asking.asks))
    ranked = ranking.chunk
    documents = distinct_documents(ranked, pipeline.passages)
    while depth < _most(pipeline):
        enough = (documents[rows] >= 0).sum(axis=1) >= begun.needed
        more = ~enough & _may_hold_more(candidates, ranking, depth)
        rows, depth = rows[more], depth * 4
        if len(rows) == 0:
            break
        candidates = _again(pipeline, asking, rows, depth)
        ranking = pipeline.rank(candidates)
        well = ~np.isin(np.arange(len(rows)), list(candidates.errors))
        chunk = ranking.chunk[well]
        ranked = _replaced(ranked, rows[well], chunk)
        documents = _replaced(documents, rows[well], distinct_documents(chunk, pipeline.passages))
    return ranked, documents


_DEEPEST = 16  # times the window's depth: how deep a retriever with passages of its own is asked


def _most(pipeline: Pipeline) -> int:
    """Return the depth at which a retriever has no more to give, as far as that is known."""
    passages = pipeline.passages
    return len(passages) if passages.complete else pipeline.parts.window.depth * _DEEPEST


def _again(pipeline: Pipeline, asking: Asking, rows: NDArray[np.int64], depth: int) -> Candidates:
    """Return deeper candidates of some questions."""
    if depth > asking.memory.reach:
        return pipeline.candidates([asking.asks[row] for row in rows], depth)
    silent = replace(asking, advance=lambda _: None)
    found = _answers(pipeline, silent, depth).candidates
    place = {int(row): n for n, row in enumerate(rows)}
    errors = {place[row]: fault for row, fault in found.errors.items() if row in place}
    return Candidates(found.chunk[rows], found.score[rows], found.raw[rows], errors, found.ties)


def _may_hold_more(candidates: Candidates, ranking: Ranking, depth: int) -> NDArray[np.bool_]:
    """Say which queries got all they asked for, the last of it above the floor."""
    full: NDArray[np.bool_] = candidates.count >= depth
    if candidates.chunk.shape[1] < depth:
        return np.zeros(len(full), dtype=bool)
    above: NDArray[np.bool_] = ranking.drop_reason[:, depth - 1] != BELOW_FLOOR
    return full & above


def _replaced(
    old: NDArray[np.int32], rows: NDArray[np.int64], new: NDArray[np.int32]
) -> NDArray[np.int32]:
    width = max(old.shape[1], new.shape[1])
    result = np.full((len(old), width), -1, dtype=np.int32)
    result[:, : old.shape[1]] = old
    result[rows] = -1
    result[rows, : new.shape[1]] = new
    return result


def _leaks(pipeline: Pipeline, asks: Sequence[Ask], candidates: Candidates) -> NDArray[np.int32]:
    """Count each question's candidates whose document its asker may not see.

    Asked of the documents themselves, not of the scope that the retriever was given.
    """
    corpus, document = pipeline.passages.corpus, pipeline.passages.document
    closed = np.array([bool(found.groups) for found in corpus], dtype=bool)[document]
    leaks = np.zeros(len(asks), dtype=np.int32)
    for row, ask in enumerate(asks):
        groups = pipeline.parts.access.groups(ask.asker)
        chunks = candidates.chunk[row][candidates.chunk[row] >= 0]
        chunks = chunks[closed[chunks]]  # what has no groups is for everybody
        leaks[row] = sum(not corpus[n].visible_to(groups) for n in document[chunks].tolist())
    return leaks
