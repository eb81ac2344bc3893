"""SQuAD 2.0, as JSON: spans and unanswerable questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rageval.formats.files import write_json
from rageval.formats.unsupported import Capacity, group_losses
from rageval.golden.question import Answerable, Question
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import Evidence, Span
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(frozenset({"places in documents"}), frozenset({Answerable.YES, Answerable.NO}))


@component
class SquadExport:
    """Every document is an article of one paragraph; evidence is the spans of its characters.

    SQuAD asks a question of one paragraph: the first piece of evidence is written, and of its
    alternatives those in the same document. Questions that nothing answers stand at the first
    document.
    """

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write the file."""
        asked: dict[int, list[dict[str, Any]]] = {}
        for question, item in zip(labelled.golden, labelled.evidence, strict=True):
            if question.answerable in _CAPACITY.answerable:
                number, row = _asked(question, item, labelled)
                asked.setdefault(number, []).append(row)
        articles = [
            {
                "title": document.id,
                "paragraphs": [{"context": document.text, "qas": asked.get(number, [])}],
            }
            for number, document in enumerate(labelled.corpus)
        ]
        losses = [*_CAPACITY.losses(labelled.golden), *group_losses(labelled.corpus)]
        write_json(Path(self.path), {"version": "v2.0", "data": articles})
        return losses


def _asked(question: Question, item: Evidence, labelled: Labelled) -> tuple[int, dict[str, Any]]:
    need = item.requirements[0] if item.requirements else ()
    number = need[0].document if need else 0
    text = labelled.corpus[number].text
    answers = [_answer(text, span) for span in need if span.document == number]
    row = {"id": question.id, "question": question.text, "answers": answers}
    return number, {**row, "is_impossible": not need}


def _answer(text: str, span: Span) -> dict[str, Any]:
    return {"text": text[span.start : span.end], "answer_start": span.start}
