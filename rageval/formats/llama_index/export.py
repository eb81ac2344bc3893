"""LlamaIndex's EmbeddingQAFinetuneDataset, as JSON."""

from __future__ import annotations

from pathlib import Path

from rageval.formats.files import write_json
from rageval.formats.unsupported import Capacity, group_losses
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(frozenset({"the choice between evidence"}))


@component
class LlamaIndexExport:
    """`queries`, `corpus`, `relevant_docs`, `mode`: every document of the corpus is a node."""

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file."""
        kept = _CAPACITY.kept(labelled.golden)
        content = {
            "queries": {question.id: question.text for question in kept},
            "corpus": {document.id: document.text for document in labelled.corpus},
            "relevant_docs": {question.id: list(question.targets) for question in kept},
            "mode": "text",
        }
        write_json(Path(self.path), content)
        return [*_CAPACITY.losses(labelled.golden), *group_losses(labelled.corpus)]
