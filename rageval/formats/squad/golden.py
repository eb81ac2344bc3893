"""The questions of a SQuAD file: 1.1 with spans, 2.0 with unanswerable ones too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.files.errors import ErrorCollector
from rageval.formats.foreign import Draft, golden_of
from rageval.formats.squad.corpus import Asked, Paragraph, read_squad
from rageval.golden.question import GoldenSet
from rageval.schema.fields import Name, component


@component
class SquadGolden:
    """Any answer's span is enough; `is_impossible` questions are such that nothing answers.

    The span must say what the answer says. Answers with the same span are one. Plausible answers of
    impossible questions are not read.
    """

    path: Name
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read the file; its faults are raised together."""
        path, faults = Path(self.path), ErrorCollector()
        paragraphs = list(read_squad(path).paragraphs())
        drafts = [
            (1, _draft(asked, name, paragraph))
            for name, paragraph in paragraphs
            for asked in paragraph.qas
        ]
        for name, paragraph in paragraphs:
            for sentence in _wrong(name, paragraph):
                faults.add(path, 0, sentence)
        return golden_of(self.name, path, drafts, faults)


def _draft(asked: Asked, name: str, paragraph: Paragraph) -> Draft:
    spans = dict.fromkeys((a.answer_start, a.answer_start + len(a.text)) for a in asked.answers)
    whole = (0, len(paragraph.context))
    places = [{"document": name, "span": None if span == whole else list(span)} for span in spans]
    return {
        "id": asked.id,
        "question": asked.question.strip(),
        "supporting": [] if asked.is_impossible or not places else [{"any_of": places}],
        "answerable": False if asked.is_impossible else None,
    }


def _wrong(name: str, paragraph: Paragraph) -> Iterator[str]:
    for asked in paragraph.qas:
        for answer in asked.answers:
            end = answer.answer_start + len(answer.text)
            if paragraph.context[answer.answer_start : end] != answer.text:
                place = f"{name} [{answer.answer_start}:{end}]"
                yield f"question {asked.id!r}: {place} does not say {answer.text[:60]!r}"
