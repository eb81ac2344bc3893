"""The field names of nr_llm's ADR-072, as JSON."""

from __future__ import annotations

from pathlib import Path

from rageval.formats.files import write_json
from rageval.formats.unsupported import Capacity
from rageval.golden.question import Answerable
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(
    frozenset({"form", "hard_class", "gist", "the choice between evidence"}),
    frozenset({Answerable.YES, Answerable.NO}),
)


@component
class AdrExport:
    """`identifier`, `name`, `description`, `questions`; an empty list: nothing answers it."""

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file; the form is MATCH where none is given, for the ADR needs one."""
        golden = labelled.golden
        kept = _CAPACITY.kept(golden)
        rows = [
            {
                "id": q.id,
                "question": q.text,
                "form": q.form or "MATCH",
                "expectedDocumentIds": list(q.targets),
                "hardClass": q.hard_class,
                "answerGist": q.gist,
            }
            for q in kept
        ]
        whole = {"identifier": golden.name, "name": golden.name, "description": ""}
        write_json(Path(self.path), {**whole, "questions": rows})
        bare = sum(1 for question in kept if not question.form)
        said = [f"said to be MATCH, as no form is given: {bare} questions"] if bare else []
        return [*_CAPACITY.losses(golden), *said]
