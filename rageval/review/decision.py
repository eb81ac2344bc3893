"""What somebody decided about a candidate, and the case that it makes."""

from __future__ import annotations

from typing import Any, Literal

from rageval.formats.canonical.form import FIELDS
from rageval.mining.cases import UNJUDGED, Case
from rageval.schema.fields import Name, Natural, Record


class Evidence(Record):
    """A place that answers a question: a section, or characters; neither is the whole document."""

    document: Name
    heading: tuple[str, ...] = ()
    span: tuple[Natural, Natural] | None = None  # half-open characters

    @property
    def reference(self) -> dict[str, Any]:
        """Return it as golden files have it."""
        place: dict[str, Any] = {"document": self.document}
        if self.heading:
            place["heading"] = list(self.heading)
        elif self.span is not None:
            place["span"] = list(self.span)
        return place


class Decision(Record):
    """A judgement of one candidate."""

    answer: Literal["todo", "found", "nothing"]
    supporting: tuple[tuple[Evidence, ...], ...] = ()  # all needed; within one any suffices
    expected: tuple[Name, ...] = ()  # documents of which any is a hit
    distractors: tuple[Evidence, ...] = ()
    form: Literal["MATCH", "GAP"] | None = None
    tags: tuple[Name, ...] = ()
    gist: str = ""

    def applied(self, case: Case) -> Case:
        """Return the case with this judgement in place of whatever stood there.

        Examples
        --------
        >>> Decision(answer="nothing").applied({"id": "a", "question": "?", "answerable": "todo"})
        {'id': 'a', 'question': '?', 'answerable': False}
        """
        found = self.answer == "found"
        judged: dict[str, Any] = {
            "form": self.form,
            "tags": list(self.tags),
            "expected": list(self.expected) if found else [],
            "supporting": [_needed(need) for need in self.supporting] if found else [],
            "distractors": [one.reference for one in self.distractors] if found else [],
            "answerable": {"todo": UNJUDGED, "nothing": False, "found": None}[self.answer],
            "gist": self.gist.strip() or None,
        }
        values = {**case, **judged}
        return {key: values[key] for key in FIELDS if values.get(key) not in (None, [], "")}


def _needed(need: tuple[Evidence, ...]) -> dict[str, Any]:
    if len(need) == 1:
        return need[0].reference
    return {"any_of": [one.reference for one in need]}
