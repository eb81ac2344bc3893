"""A run's page: every question with what came back, in full, and what it was held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rageval.escaping.characters import visible
from rageval.evaluation.evaluation import Evaluation
from rageval.judging.resolution import Span
from rageval.report import html
from rageval.report.names import passage
from rageval.report.outcome import Outcome
from rageval.report.tables import questions
from rageval.retrieval.window import BELOW_FLOOR, KEPT, OVER_CAP, REPEATED

_LEAST = 10  # passages of a ranking that are shown with their text
_LONGEST = 6000  # characters of a passage
_FATES = {
    KEPT: "",
    REPEATED: "repeated",
    BELOW_FLOOR: "below the floor",
    OVER_CAP: "over the per-document cap",
}
_DETAILS = ("form", "class", "answerable", "asker", "tags", "subsets", "diagnosis", "cause")


def run_page(outcome: Outcome) -> dict[str, bytes]:
    """Return the page of a run as files; see `rageval.report.html.page`."""
    evaluation, header = outcome.evaluation, outcome.header
    measures = evaluation.measures
    passages = _Passages(evaluation, outcome.passages)
    table = questions(evaluation)
    listed = [dict(zip(table.columns, row, strict=True)) for row in table.data]
    rows = [
        {
            "id": found["id"],
            "question": found["question"],
            **{name: found[name] for name in _DETAILS},
            "values": [found[measure.name] for measure in measures],
            "documents": found["documents"],
            "error": found["error"],
            **passages.of(row),
        }
        for row, found in enumerate(listed)
    ]
    head = {
        "measures": [_told(measure) for measure in measures],
        "hits": list(evaluation.benchmark.cutoffs.hits),
        "subsets": list(evaluation.subsets),
        "k": evaluation.window_size,
    }
    shown = {
        "header": header,
        "sheet": outcome.sheet,
        "subsets": evaluation.subsets,
        "measures": measures,
        "params": outcome.params,
    }
    texts = [{"passage": chunk, **found} for chunk, found in passages.texts.items()]
    return html.page("run", header.title, shown, head, [*rows, *texts])


def _told(measure: Any) -> dict[str, Any]:  # noqa: ANN401  a Measure
    return {
        "name": measure.name,
        "heading": measure.heading,
        "meaning": measure.meaning,
        "lower": measure.lower_is_better,
    }


@dataclass
class _Passages:
    """What came back for each question, and the text of each passage once."""

    evaluation: Evaluation
    shown: bool  # with their texts
    texts: dict[str, dict[str, Any]] = field(default_factory=dict)  # chunk → document, text

    @cached_property
    def _shown(self) -> int:
        return max(_LEAST, self.evaluation.window_size)

    def of(self, row: int) -> dict[str, Any]:
        """Return what a question's part of the page shows."""
        evaluation = self.evaluation
        question, evidence = evaluation.questions[row], evaluation.judged.evidence[row]
        needed = [span for need in evidence.requirements for span in need]
        groups = evaluation.grounds.groups[row]
        return {
            "history": list(question.history),
            "groups": sorted(groups),
            "notes": question.notes,
            "gist": question.gist,
            "expected": list(self._expected(row)),
            "distractors": list(map(str, question.distractors)),
            "forbidden": list(question.forbidden),
            "came": [
                {**found, **self._marks(found["chunk"], needed, evidence.distractors)}
                for found in self._came(row)
            ],
        }

    def _expected(self, row: int) -> Iterator[dict[str, Any]]:
        """Yield each requirement with the rank of the first passage that supports it."""
        evaluation = self.evaluation
        ranked = evaluation.retrieved.ranked[row].tolist()
        for number, need in enumerate(evaluation.questions[row].requirements):
            chunks = evaluation.qrels.supporting.get((row, number), frozenset())
            rank = next((place for place, c in enumerate(ranked, 1) if c in chunks), None)
            yield {
                "label": [str(reference) for reference in need],
                "rank": rank,
                "chunks": len(chunks),
            }

    def _came(self, row: int) -> Iterator[dict[str, Any]]:
        """Yield the candidates in their order, with their place in the ranking and their scores."""
        retrieved = self.evaluation.retrieved
        candidates = retrieved.candidates
        ranks = {c: place for place, c in enumerate(retrieved.ranked[row].tolist(), 1) if c >= 0}
        supporting = self._supporting(row)
        fates = retrieved.ranking.drop_reason[row].tolist()
        scores, raws = candidates.score[row].tolist(), candidates.raw[row].tolist()
        told: set[int] = set()
        for place, chunk in enumerate(candidates.chunk[row].tolist()):
            if chunk < 0 or (place >= self._shown and chunk not in supporting):
                continue
            fate = _FATES[fates[place]]
            told.add(chunk)
            yield {
                "chunk": chunk,
                "candidate": place + 1,
                "rank": None if fate else ranks.get(chunk),
                "score": _number(scores[place]),
                "raw": _number(raws[place]),
                "fate": fate,
            }
        for chunk in supporting - told:  # found by asking deeper, or not at all
            if chunk in ranks:
                yield {
                    "chunk": chunk,
                    "candidate": None,
                    "rank": ranks[chunk],
                    "score": None,
                    "raw": None,
                    "fate": "",
                }

    def _supporting(self, row: int) -> set[int]:
        found = self.evaluation.qrels.supporting
        needs = range(len(self.evaluation.questions[row].requirements))
        return {chunk for number in needs for chunk in found.get((row, number), ())}

    def _marks(
        self, chunk: int, needed: list[Span], distractors: tuple[Span, ...]
    ) -> dict[str, Any]:
        """Return where evidence and distractors stand in a passage: [start, end) of its text."""
        self._keep(chunk)
        marks = [
            [*place, kind]
            for kind, spans in (("evidence", needed), ("distractor", distractors))
            for span in spans
            if (place := self._place(chunk, span)) is not None
        ]
        return {"marks": marks} if marks else {}

    def _place(self, chunk: int, span: Span) -> tuple[int, int] | None:
        chunks = self.evaluation.chunks
        if int(chunks.document[chunk]) != span.document:
            return None
        start, end = int(chunks.start[chunk]), int(chunks.end[chunk])
        first, last = max(span.start, start) - start, min(span.end, end) - start
        if first >= last:
            return None
        text = chunks.text(chunk)
        return len(visible(text[:first])), len(visible(text[:last]))

    def _keep(self, chunk: int) -> None:
        if str(chunk) in self.texts:
            return
        chunks = self.evaluation.chunks
        document = chunks.corpus[int(chunks.document[chunk])]
        text = chunks.text(chunk) if self.shown else ""
        self.texts[str(chunk)] = {
            "id": passage(chunks, chunk),
            "document": document.id,
            "text": text[:_LONGEST],
            **({"groups": sorted(document.groups)} if document.groups else {}),
            **({"more": len(text) - _LONGEST} if len(text) > _LONGEST else {}),
        }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.6g}")
