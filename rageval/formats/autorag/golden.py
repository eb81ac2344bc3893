"""The questions of an AutoRAG data set, as Parquet."""

from __future__ import annotations

from typing import Any

from rageval.corpus.document import Corpus
from rageval.files.errors import ErrorCollector
from rageval.files.text import folder
from rageval.formats.autorag.corpus import read_columns
from rageval.formats.foreign import Draft, golden_of
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


@component
class AutoragGolden:
    """`qa.parquet` in a folder: `qid`, `query`, `retrieval_gt` and `generation_gt`.

    `retrieval_gt` is a list of lists: of every inner list one passage is needed. A single inner
    list, a plain list or one id is a choice: any passage is a hit. A question without any passage
    is refused: the format cannot say that nothing answers it. Lines in messages are rows.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        root = folder(self.path)
        path, faults = root / "qa.parquet", ErrorCollector()
        rows = read_columns(path, ("qid", "query", "retrieval_gt", "generation_gt"))
        drafts = [(line, _draft(row)) for line, row in enumerate(rows, start=1)]
        return golden_of(self.name or None, root, drafts, faults)


def _draft(row: dict[str, Any]) -> Draft:
    needs = _needs(row["retrieval_gt"])
    answers = row["generation_gt"]
    gist = answers if isinstance(answers, str) else next(iter(answers or ()), None)
    supporting = [{"any_of": [{"document": name} for name in need]} for need in needs]
    return {
        "id": row["qid"],
        "question": row["query"],
        "expected": needs[0] if len(needs) == 1 else [],
        "supporting": supporting if len(needs) > 1 else [],
        "gist": gist or None,
    }


def _needs(truth: object) -> list[list[str]]:
    """Return the inner lists, without repeats and without empty ones."""
    if isinstance(truth, str):
        return [[truth]]
    items = list(truth) if isinstance(truth, list) else []
    nested = [item for item in items if isinstance(item, list)] or [items]
    return [list(dict.fromkeys(need)) for need in nested if need]
