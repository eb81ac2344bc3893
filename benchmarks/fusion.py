"""What decided how hybrid fuses: nDCG@10 beside bm25's, by scale and weight.

python -m benchmarks.fusion --data DIR

The first four collections are those that the default was chosen on, the others nobody looked at.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.quality import COLLECTIONS, OTHERS, Values, config_of, paired_interval, values_of
from rageval.chunking.chunks import Chunks
from rageval.config.build import build_parts
from rageval.config.loading import Dataset, load
from rageval.config.resolvers import register
from rageval.config.settings import EvaluationConfig
from rageval.retrieval.pipeline import Parts, Pipeline
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.retriever import Index, Retriever

WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9)  # of bm25
SCALES = ("zscore", "minmax", "rrf")


@dataclass(frozen=True)
class Ready:
    """A retriever whose index is there already."""

    prepared: Index

    def index(self, chunks: Chunks) -> Index:
        """Return the index that there is."""
        return self.prepared


@dataclass(frozen=True)
class Collection:
    """One collection with both parts of the hybrid indexed once."""

    config: EvaluationConfig
    dataset: Dataset
    parts: Parts
    ready: Mapping[str, Retriever]  # lexical, semantic

    @classmethod
    def prepared(cls, data: Path, name: str) -> Collection:
        """Load a collection and index it for both parts."""
        config = config_of(data, name, "hybrid")
        dataset = load(config.dataset)
        parts = build_parts(config, dataset.access)
        chunks = Pipeline.build(dataset.corpus, parts, lambda step: None).chunks
        inner = parts.retriever.retrievers
        return cls(config, dataset, parts, {n: Ready(r.index(chunks)) for n, r in inner.items()})

    def row(self, scale: str) -> list[str]:
        """Return the differences to bm25 for each weight."""
        bm25 = self._values(self.ready["lexical"])
        cells = []
        for weight in WEIGHTS:
            weights = {"lexical": weight, "semantic": 1 - weight}
            fused = Hybrid(retrievers=self.ready, weights=weights, floor="semantic", fusion=scale)
            mean, low, high = paired_interval(self._values(fused) - bm25)
            mark = "**" if low > 0 or high < 0 else ""
            cells.append(f"{mark}{mean:+.3f}{mark}")
        return cells

    def _values(self, retriever: Retriever) -> Values:
        parts = replace(self.parts, retriever=retriever)
        return values_of(self.config, self.dataset, parts)["nDCG@10"]


def table(data: Path, names: Sequence[str]) -> None:
    """Print a table of the differences."""
    print(f"| collection | scale | {' | '.join(map(str, WEIGHTS))} |")
    print("|---" * (len(WEIGHTS) + 2) + "|")
    for name in names:
        collection = Collection.prepared(data, name)
        for scale in SCALES:
            print(f"| {name} | {scale} | {' | '.join(collection.row(scale))} |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    data = parser.parse_args().data.resolve()
    register()
    table(data, COLLECTIONS)
    print()
    table(data, OTHERS)


if __name__ == "__main__":
    main()
