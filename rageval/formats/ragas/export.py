"""Ragas rows, as JSON Lines."""

from __future__ import annotations

from pathlib import Path

from rageval.formats.files import write_rows
from rageval.formats.unsupported import Capacity
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import Evidence
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(
    frozenset({"gist", "places in documents", "that all evidence is needed", "source"})
)


@component
class RagasExport:
    """`user_input`, `reference_contexts` (texts), `reference_context_ids` (documents), `reference`.

    Of alternatives the first is written. Ids of questions are not: Ragas has none.
    """

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file."""
        golden = labelled.golden
        _CAPACITY.kept(golden)
        rows = [
            {
                "user_input": question.text,
                "reference_contexts": _texts(item, labelled),
                "reference_context_ids": [
                    labelled.corpus[need[0].document].id for need in item.requirements
                ],
                "reference": question.gist or "",
                "synthesizer_name": question.source or "",
            }
            for question, item in zip(golden, labelled.evidence, strict=True)
            if question.answerable in _CAPACITY.answerable
        ]
        write_rows(Path(self.path), rows)
        return [*_CAPACITY.losses(golden), "not kept, ids of questions: they become q1, q2, …"]


def _texts(item: Evidence, labelled: Labelled) -> list[str]:
    spans = [need[0] for need in item.requirements]
    return [labelled.corpus[span.document].text[span.start : span.end] for span in spans]
