"""The queries of a LlamaIndex EmbeddingQAFinetuneDataset."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rageval.corpus.document import Corpus
from rageval.files.errors import ErrorCollector
from rageval.formats.foreign import Draft, golden_of
from rageval.formats.llama_index.corpus import read_dataset
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


@component
class LlamaIndexGolden:
    """`queries` with their `relevant_docs`: any of them is a hit, or all are needed.

    A query without relevant nodes is refused: the format cannot say that nothing answers it.
    """

    path: Name
    relevance: Literal["any", "all"] = "any"
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        content = read_dataset(path)
        for query in content.relevant_docs.keys() - content.queries.keys():
            faults.add(path, 0, f"relevant_docs names the query {query!r}, which is not there")
        drafts = [
            (1, self._draft(query, text, content.relevant_docs.get(query, [])))
            for query, text in content.queries.items()
        ]
        return golden_of(self.name, path, drafts, faults)

    def _draft(self, query: str, text: str, nodes: list[str]) -> Draft:
        names = list(dict.fromkeys(nodes))
        return {
            "id": query,
            "question": text,
            "expected": names if self.relevance == "any" else [],
            "supporting": [{"document": n} for n in names] if self.relevance == "all" else [],
        }
