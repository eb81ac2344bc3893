"""The nodes of a LlamaIndex EmbeddingQAFinetuneDataset as a corpus."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ValidationError

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.nodes import load_json
from rageval.files.text import read_text
from rageval.schema.fields import Name, component
from rageval.schema.validation import sentences


class QaDataset(BaseModel):
    """What `save_json` of the class writes."""

    queries: dict[str, str]  # query id → text
    corpus: dict[str, str]  # node id → text
    relevant_docs: dict[str, list[str]]  # query id → node ids


def read_dataset(path: Path) -> QaDataset:
    """Return the content of a file.

    Raises
    ------
    InputError
        If it is not JSON of that form; the message has a line for each fault.
    """
    try:
        return QaDataset.model_validate(load_json(read_text(path), path), strict=True)
    except ValidationError as fault:
        raise InputError.of(
            f"{path}: {sentence}" for sentence in sentences(fault, "", QaDataset)
        ) from fault


@component
class LlamaIndexCorpus:
    """Every node of `corpus` is a document under its own id."""

    path: Name

    def load(self) -> Corpus:
        """Read the file."""
        nodes = read_dataset(Path(self.path)).corpus.items()
        return Corpus(tuple(Document(name, text) for name, text in nodes), self.path)
