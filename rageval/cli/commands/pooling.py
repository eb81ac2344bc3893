"""Suggestions for candidates, from every retriever of the pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rageval.config.build import build, build_retriever
from rageval.config.commands import MineConfig
from rageval.config.loading import Dataset
from rageval.errors import InputError
from rageval.mining.cases import Case
from rageval.mining.pool import Pool, Suggestion, current, pooled
from rageval.retrieval.pipeline import Ask, Parts, Pipeline
from rageval.retrieval.window import Window


def pipelines(config: MineConfig, dataset: Dataset) -> dict[str, Pipeline]:
    """Return a pipeline for each retriever of the pool; all cut the corpus alike.

    Raises
    ------
    InputError
        If a component is refused.
    UnreachableError
        If a retriever's backend cannot be reached.
    """
    k = config.pool.k
    return {
        name: Pipeline.build(
            dataset.corpus,
            Parts(
                chunker=build(config.chunking, "chunking"),
                retriever=build_retriever(node, f"pool.retrievers.{name}"),
                window=Window(k=k, min_score=None, per_document=None, depth=4 * k),
                rewriter=build(config.rewriting, "rewriting"),
                access=dataset.access,
            ),
            lambda _: None,
        )
        for name, node in config.pool.retrievers.items()
    }


def suggested(
    cases: Sequence[Case], known: Pool, config: MineConfig, dataset: Dataset
) -> dict[str, Sequence[Suggestion]]:
    """Return what is suggested for each case.

    What is known already is not asked for again, unless the corpus has changed below it.
    """
    stands = {
        name for name, found in known.items() if current(found, dataset.corpus) == list(found)
    }
    new = [case for case in cases if case["id"] not in stands]
    kept = {case["id"]: known[case["id"]] for case in cases if case["id"] in stands}
    if not new or config.pool.k == 0:
        return kept
    asks = [Ask(str(case["question"]), _known_asker(case, dataset)) for case in new]
    found = pooled(asks, pipelines(config, dataset))
    return {**kept, **{case["id"]: one for case, one in zip(new, found, strict=True)}}


def _known_asker(case: Mapping[str, object], dataset: Dataset) -> str | None:
    asker = case.get("asker")
    if not isinstance(asker, str):
        return None
    try:
        dataset.access.groups(asker)
    except InputError:  # somebody edited the file: `merge` tells it by its line
        return None
    return asker
