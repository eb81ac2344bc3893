"""AutoRAG's qa.parquet and corpus.parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.formats.unsupported import Capacity, group_losses
from rageval.golden.question import Question
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(
    frozenset({"gist", "that all evidence is needed", "the choice between evidence"})
)


@component
class AutoragExport:
    """A folder: `qid`, `query`, `retrieval_gt`, `generation_gt`; `doc_id`, `contents`, `metadata`.

    `retrieval_gt` holds a list for each piece of evidence, with the documents of which any will do.
    """

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write both files."""
        kept = _CAPACITY.kept(labelled.golden)
        root = Path(self.path)
        _write(root / "qa.parquet", [_row(question) for question in kept])
        documents = [
            {"doc_id": d.id, "contents": d.text, "metadata": {"source": labelled.corpus.origin}}
            for d in labelled.corpus
        ]
        _write(root / "corpus.parquet", documents)
        return [*_CAPACITY.losses(labelled.golden), *group_losses(labelled.corpus)]


def _row(question: Question) -> dict[str, Any]:
    groups = (tuple(dict.fromkeys(r.document for r in need)) for need in question.requirements)
    needs = [list(group) for group in dict.fromkeys(groups)]  # two sections of one are one
    return {
        "qid": question.id,
        "query": question.text,
        "retrieval_gt": needs,
        "generation_gt": [question.gist or ""],
    }


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa  # a second, for this format alone
    import pyarrow.parquet as pq

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error}") from error
