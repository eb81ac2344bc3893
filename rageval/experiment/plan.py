"""Everything that is known of an evaluation before its first question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rageval.cache.store import Cache, CacheConfig
from rageval.config.build import build_measures, build_parts
from rageval.config.loading import Dataset, Side, load
from rageval.config.reading import typed
from rageval.config.settings import EvaluationConfig
from rageval.config.tree import Tree
from rageval.evaluation.judgements import Benchmark
from rageval.evaluation.provenance import benchmark as benchmarks
from rageval.evaluation.provenance.contents import Contents
from rageval.evaluation.provenance.variant import Variant, made_of
from rageval.evaluation.subsets import members
from rageval.golden.access import Access
from rageval.retrieval.pipeline import Parts
from rageval.retrieval.retrievers.retriever import require
from rageval.schema.fingerprint import digest
from rageval.split.split import DEV

_COMPONENTS = ("chunking", "retriever", "rewriting")


@dataclass(frozen=True)
class Plan:
    """Everything that is known before the first question."""

    tree: Tree
    config: EvaluationConfig
    dataset: Dataset
    parts: Parts
    cache: Cache
    retrieval: str  # in words
    kind: str  # single | cell | rescore: what sort of run this is
    split: str = DEV  # the side whose questions are asked
    choices: Mapping[str, str] = field(default_factory=dict)  # group of conf/ → its file
    command: str = ""  # the command line that does the same alone; empty if it is not known

    @classmethod
    def of(
        cls,
        tree: Tree,
        words: Callable[[Parts], str],
        kind: str,
        cache_for: Callable[[CacheConfig], Cache] = Cache,
    ) -> Plan:
        """Check everything that the user wrote, before any work.

        `cache_for` returns that of a sweep, or a new one.

        Raises
        ------
        InputError
            With every fault of the configuration, or of the data.
        """
        config = typed(tree.whole, EvaluationConfig)
        cache = cache_for(config.cache)
        source = digest(tree.whole["dataset"])
        dataset = cache.get_or_compute("dataset", source, lambda: load(config.dataset))
        made = digest([source, *(tree.whole[name] for name in _COMPONENTS)])
        parts = cache.memoize("parts", made, lambda: _built(config, dataset.access))
        parts = replace(parts, window=config.settled_window)
        return cls(tree, config, dataset, parts, cache, words(parts), kind)

    @property
    def side(self) -> Side:
        """Return the questions that are scored."""
        return self.dataset.dev if self.split == DEV else self.dataset.holdout

    @property
    def subsets(self) -> list[str]:
        """Return the subsets that the questions are in."""
        return self.cache.memoize(
            "subsets",
            digest([self.source, self.split]),
            lambda: list(members(self.side.golden.questions, self.dataset.access.groups)),
        )

    @property
    def benchmark(self) -> str:
        """Return the fingerprint of what retrieval is held against."""
        return benchmarks.fingerprint(self.benchmark_facts)

    @cached_property
    def benchmark_facts(self) -> Mapping[str, Any]:
        """Return what the benchmark is named by."""
        judging = benchmarks.Judging(
            self.config.measures,
            self.config.judging.min_overlap,
            self.config.dataset.exclude_self,
            {name: self.key(node) for name, node in self.config.measures.own.items()},
        )
        asked = [judging.cutoffs.facts, judging.min_overlap, dict(judging.own)]
        return self.cache.memoize(
            "benchmark",
            digest([self.source, self.split, *asked]),
            lambda: benchmarks.facts_of(
                self.dataset.corpus, self.side.golden, self.dataset.access, judging
            ),
        )

    @property
    def source(self) -> str:
        """Return what names the data as they are read."""
        return digest(self.tree.whole["dataset"])

    @property
    def labels(self) -> str:
        """Return what names the questions with their labels and what their askers may see."""
        return self.cache.memoize("labels", digest([self.source, self.split]), self._labels)

    def _labels(self) -> str:
        golden, access = self.side.golden, self.dataset.access
        groups = [sorted(access.groups(question.asker)) for question in golden]
        return digest([self.dataset.corpus.digest, golden.digest, groups])

    @property
    def questions(self) -> str:
        """Return what names the questions as a retriever is asked them."""
        asked = [self.labels, self.tree.kept["rewriting"]]
        return digest([*asked, "exclude self"] if self.config.dataset.exclude_self else asked)

    @property
    def asked(self) -> Benchmark:
        """Return the questions with what they are held against."""
        side, config = self.side, self.config
        return self.cache.memoize(
            "asked",
            self.benchmark,
            lambda: Benchmark(
                side.golden.questions,
                side.evidence,
                config.measures,
                config.judging.min_overlap,
                config.dataset.exclude_self,
                build_measures(config.measures.own),
            ),
        )

    @cached_property
    def variant(self) -> Variant:
        """Return what names the retrieval."""
        kept = self.tree.kept  # a new secret makes no new retrieval
        nodes: dict[str, Any] = {name: kept[name] for name in _COMPONENTS}
        tag = self.config.variant.tag
        return self.cache.memoize(
            "variant",
            digest([nodes, self.parts.window.model_dump(mode="json"), tag]),
            lambda: Variant.of(nodes, self.parts.window, self._contents, tag),
        )

    @property
    def _contents(self) -> Contents:
        """Return the digests of files, each of which a command reads once."""
        return self.cache.memoize("contents", "", Contents)

    def key(self, node: Mapping[str, Any]) -> str:
        """Name everything that a component is made of."""
        tag = self.config.variant.tag
        made = self.cache.memoize(
            "made", digest([dict(node), tag]), lambda: made_of(node, self._contents, tag)
        )
        return made.key if tag is None else digest([made.key, tag])


def _built(config: EvaluationConfig, access: Access) -> Parts:
    parts = build_parts(config, access)
    require(parts.retriever)
    return parts
