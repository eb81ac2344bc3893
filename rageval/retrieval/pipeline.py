"""The production path: what a service calls for one question and the harness for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rageval.chunking.chunks import Chunker, Chunks, cut
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.golden.access import Access
from rageval.retrieval.retrievers.excluding import without
from rageval.retrieval.retrievers.retriever import Candidates, Index, Query, Retriever, Scope
from rageval.retrieval.rewriting import Rewriter
from rageval.retrieval.window import Ranking, Window, rank


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as a person puts it."""

    question: str
    asker: str | None = None  # None: public documents only
    history: tuple[str, ...] = ()  # earlier turns, oldest first
    excluded: str | None = None  # the document that the question itself is; it is no answer


@dataclass(frozen=True, slots=True)
class Found:
    """One chunk of the window."""

    document: str
    start: int  # half-open characters of the document
    end: int
    text: str
    score: float


@dataclass(frozen=True)
class Parts:
    """The settings that make a pipeline, in the order in which they act."""

    chunker: Chunker
    retriever: Retriever
    window: Window
    rewriter: Rewriter
    access: Access


@dataclass(frozen=True)
class Pipeline:
    """A corpus made searchable, with the window that its answers are cut to."""

    parts: Parts
    chunks: Chunks
    index: Index

    @classmethod
    def build(
        cls,
        corpus: Corpus,
        parts: Parts,
        progress: Callable[[str], None],
        cutting: Callable[[Corpus, Chunker], Chunks] = cut,
    ) -> Pipeline:
        """Cut the corpus and index its chunks; `progress` is called with what begins.

        `cutting` may return chunks that were cut before.

        Raises
        ------
        UnreachableError
            If the retriever's backend cannot be reached.
        InputError
            If there are no chunks and the retriever brings no passages, or if a user's class
            cannot index them.
        """
        progress(f"cutting {len(corpus):,} documents")
        chunks = cutting(corpus, parts.chunker)
        if not chunks.complete and not getattr(parts.retriever, "brings_passages", False):
            raise InputError(
                "chunking=none leaves this retriever nothing to search: it is for retrievers that "
                "bring passages of their own"
            )
        progress(f"indexing {len(chunks):,} chunks")
        return cls(parts, chunks, parts.retriever.index(chunks))

    @property
    def passages(self) -> Chunks:
        """Return what candidates number: the chunks, and after them what the retriever brought."""
        returned = getattr(self.index, "returned", None)
        return self.chunks if returned is None else returned.chunks

    @property
    def unlocated(self) -> Mapping[int, str]:
        """Return the passages that came back and are not in the corpus, with the reason."""
        returned = getattr(self.index, "returned", None)
        return {} if returned is None else dict(returned.unlocated)

    @property
    def several(self) -> Mapping[int, int]:
        """Return the passages whose text stands at more places, with the number of the others."""
        returned = getattr(self.index, "returned", None)
        return {} if returned is None else dict(returned.several)

    @property
    def direct(self) -> Pipeline:
        """Return the same pipeline with an index that keeps no answers, for timing."""
        return replace(self, index=self.index.direct)

    def retrieve(self, ask: Ask) -> list[Found]:
        """Return the window for one question: at most k chunks, best first.

        Raises
        ------
        RuntimeError
            If the retriever fails on this question.
        """
        candidates = self.candidates([ask], self.parts.window.depth)
        if candidates.errors:
            raise RuntimeError(str(candidates.errors[0]))
        window = self.rank(candidates).first(self.parts.window.k)[0]
        pairs = zip(candidates.chunk[0].tolist(), candidates.score[0].tolist(), strict=True)
        score = dict(reversed(list(pairs)))  # of a chunk returned twice, the first score
        return [self._found(number, score[number]) for number in window.tolist() if number >= 0]

    def candidates(self, asks: Sequence[Ask], depth: int) -> Candidates:
        """Ask the retriever, each question inside its asker's scope.

        Raises
        ------
        InputError
            If an asker is unknown.
        """
        scopes: dict[str | None, Scope] = {}
        for ask in asks:
            if ask.asker not in scopes:
                groups = self.parts.access.groups(ask.asker)
                scopes[ask.asker] = Scope.of(groups, self.chunks)
        queries = [
            Query(self.parts.rewriter.rewrite(ask.question, ask.history), scopes[ask.asker])
            for ask in asks
        ]
        own = [self._own(ask) for ask in asks]
        if all(number is None for number in own):
            return self.index.search(queries, depth)
        found = self.index.search(queries, depth + 1)
        return without(found, own, self.passages.document, depth)

    def _own(self, ask: Ask) -> int | None:
        """Return the number of the document that a question itself is."""
        return None if ask.excluded is None else self.chunks.corpus.number.get(ask.excluded)

    def rank(self, candidates: Candidates) -> Ranking:
        """Apply the floor and the per-document cap."""
        return rank(candidates, self.passages, self.parts.window)

    def _found(self, number: int, score: float) -> Found:
        chunks = self.passages
        start, end = int(chunks.start[number]), int(chunks.end[number])
        document = chunks.corpus[int(chunks.document[number])]
        return Found(document.id, start, end, document.text[start:end], score)
