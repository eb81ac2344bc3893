"""What the work of a plan shares with equal work: chunks, qrels, indexes, answers, latency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rageval.cache.memoized import MemoizedIndex, memoized, reached
from rageval.chunking import chunks
from rageval.chunking.chunks import Chunker, Chunks
from rageval.corpus.document import Corpus
from rageval.evaluation.judgements import Benchmark, Grounds
from rageval.evaluation.latency import Latency
from rageval.evaluation.retrieval import NOTHING_KEPT, Memory
from rageval.experiment.plan import Plan
from rageval.retrieval.pipeline import Parts
from rageval.retrieval.retrievers.retriever import Index
from rageval.schema.fingerprint import digest


@dataclass(frozen=True)
class Memo:
    """Computes what a plan needs, or returns what equal work computed before.

    Keys name content, so nothing here asks which retriever or chunker it is.
    """

    plan: Plan

    def parts(self) -> Parts:
        """Return the parts with a retriever that computes each stage once."""
        plan = self.plan
        if plan.cache.config.kind == "off":
            return plan.parts
        node = plan.config.retriever
        retriever = plan.cache.memoize(
            "staged",
            digest([plan.source, plan.key(node)]),
            lambda: memoized(plan.parts.retriever, node, plan.key, plan.cache),
        )
        return replace(plan.parts, retriever=retriever)

    def cut(self, corpus: Corpus, chunker: Chunker) -> Chunks:
        """Return the corpus cut into chunks, once for each chunking."""
        key = digest([corpus.digest, self.plan.variant.chunking])
        return self.plan.cache.get_or_compute("chunks", key, lambda: chunks.cut(corpus, chunker))

    def grounds(self, benchmark: Benchmark, chunks: Chunks) -> Grounds:
        """Return the labels held against the chunks, once for each chunking."""
        plan = self.plan
        key = digest([plan.labels, plan.config.judging.min_overlap, chunks.digest])
        return plan.cache.get_or_compute(
            "qrels", key, lambda: Grounds.of(benchmark, chunks, plan.dataset.access)
        )

    def memory(self, index: Index) -> Memory:
        """Return the answers of an index that earlier askings left; none of a user's own."""
        if not isinstance(index, MemoizedIndex):
            return NOTHING_KEPT
        asked = [index.key, self.plan.questions]
        return Memory(
            reach=reached(self.plan.parts.window.depth),
            recall=lambda depth, ask: self.plan.cache.memoize(
                "answers", digest([*asked, depth]), ask, stage="rankings"
            ),
        )

    def latency(self, index: Index, time: Callable[[], Latency | None]) -> Latency | None:
        """Return what an equal pipeline took earlier in this process, or time it now."""
        if not isinstance(index, MemoizedIndex):
            return time()
        plan = self.plan
        asked = [plan.config.latency.sample, plan.questions, plan.parts.window.depth]
        return plan.cache.get_or_compute("latency", digest([index.key, *asked]), time)
