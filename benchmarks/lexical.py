"""What decided the BM25 library: bm25s beside tantivy, on the same terms.

python -m benchmarks.lexical --data DIR        (needs `pip install tantivy`)

tantivy gets our analysed terms, separated by spaces, so that only the scoring differs. Its k1 and b
are fixed at 1.2 and 0.75.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.quality import config_of, paired_interval, values_of
from rageval.chunking.chunks import Chunks
from rageval.config.build import build_parts
from rageval.config.loading import load
from rageval.config.resolvers import register
from rageval.retrieval.analysis import Analyser
from rageval.retrieval.pipeline import Pipeline
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign, Passage
from rageval.retrieval.retrievers.retriever import Index, Query, Scope


class Tantivy:
    """BM25 by tantivy, as a user's own retriever."""

    def __init__(self) -> None:
        self.analyser = Analyser()

    def index(self, passages: Sequence[Passage]) -> None:
        """Index the terms of every passage."""
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("terms", tokenizer_name="whitespace")
        self.schema = builder.build()
        self.table = tantivy.Index(self.schema)
        writer = self.table.writer(num_threads=1)
        for passage in passages:
            terms = " ".join(self.analyser(passage.text))
            writer.add_document(tantivy.Document(id=passage.id, terms=terms))
        writer.commit()
        writer.wait_merging_threads()
        self.table.reload()

    def retrieve(
        self, question: str, limit: int, groups: frozenset[str]
    ) -> list[tuple[str, float]]:
        """Return the best passages."""
        import tantivy

        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self.schema, "terms", term))
            for term in self.analyser(question)
        ]
        searcher = self.table.searcher()
        hits = searcher.search(tantivy.Query.boolean_query(terms), limit).hits if terms else []
        return [(searcher.doc(place)["id"][0], float(score)) for score, place in hits]


def seconds(index: Index, questions: Sequence[str], chunks: Chunks) -> float:
    """Return the seconds for 1,000 questions at depth 100, asked in one batch."""
    scope = Scope.of(frozenset(), chunks)
    queries = [Query(question, scope) for question in questions]
    index.search(queries, 100)
    begun = time.perf_counter()
    index.search(queries, 100)
    return (time.perf_counter() - begun) / len(questions) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    data = parser.parse_args().data.resolve()
    register()
    print("| collection | library | k1, b | nDCG@10 | − bm25s's | s per 1,000 questions |")
    print("|---|---|---|---|---|---|")
    for name in ("scifact", "cranfield"):
        config = config_of(data, name, "bm25")
        dataset = load(config.dataset)
        parts = build_parts(config, dataset.access)
        first = None
        for library, setting, retriever in (
            ("bm25s", "1.5, 0.75", Bm25()),
            ("bm25s", "1.2, 0.75", Bm25(k1=1.2)),
            ("bm25s", "0.9, 0.4", Bm25(k1=0.9, b=0.4)),
            ("tantivy", "1.2, 0.75", Foreign(retriever=Tantivy())),
        ):
            made = replace(parts, retriever=retriever)
            values = values_of(config, dataset, made)["nDCG@10"]
            first = values if first is None else first
            mean, low, high = paired_interval(values - first)
            pipeline = Pipeline.build(dataset.corpus, made, lambda step: None)
            asked = [question.text for question in dataset.dev.golden]
            taken = seconds(pipeline.index, asked, pipeline.chunks)
            difference = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            cells = [name, library, setting, f"{np.mean(values):.3f}", difference, f"{taken:.2f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
