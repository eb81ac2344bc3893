"""Asking the pipeline every question. There is no retrieval here, only the asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rageval.pipeline import Ask, Pipeline
from rageval.retrievers.blocks import joined
from rageval.retrievers.retriever import Candidates
from rageval.window import BELOW_FLOOR, Ranking, distinct_documents

_BATCH = 64  # questions between two steps of the progress bar


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

    @property
    def errors(self) -> dict[int, str]:
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
    advance: Callable[[int], None]  # is told how many more questions were asked
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
    )


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
    documents = distinct_documents(ranked, pipeline.chunks)
    while depth < len(pipeline.chunks):  # asked for all of them, it has no more to give
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
        documents = _replaced(documents, rows[well], distinct_documents(chunk, pipeline.chunks))
    return ranked, documents


def _again(pipeline: Pipeline, asking: Asking, rows: NDArray[np.int64], depth: int) -> Candidates:
    """Return deeper candidates of some questions."""
    if depth > asking.memory.reach:
        return pipeline.candidates([asking.asks[row] for row in rows], depth)
    silent = replace(asking, advance=lambda _: None)
    found = _answers(pipeline, silent, depth).candidates
    place = {int(row): n for n, row in enumerate(rows)}
    errors = {place[row]: fault for row, fault in found.errors.items() if row in place}
    return Candidates(found.chunk[rows], found.score[rows], found.raw[rows], errors)


def _may_hold_more(candidates: Candidates, ranking: Ranking, depth: int) -> NDArray[np.bool_]:
    """Say which queries got all they asked for, the last of it above the floor."""
    full: NDArray[np.bool_] = candidates.count >= depth
    if candidates.chunk.shape[1] < depth:
        return np.zeros(len(full), dtype=bool)
    above: NDArray[np.bool_] = ranking.fate[:, depth - 1] != BELOW_FLOOR
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
    corpus, document = pipeline.chunks.corpus, pipeline.chunks.document
    closed = np.array([bool(found.groups) for found in corpus], dtype=bool)[document]
    leaks = np.zeros(len(asks), dtype=np.int32)
    for row, ask in enumerate(asks):
        groups = pipeline.parts.access.groups(ask.asker)
        chunks = candidates.chunk[row][candidates.chunk[row] >= 0]
        chunks = chunks[closed[chunks]]  # what has no groups is for everybody
        leaks[row] = sum(not corpus[n].visible_to(groups) for n in document[chunks].tolist())
    return leaks
