"""What became of the labels between two states of a golden set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rageval.golden.question import GoldenSet, Question

_READ = (  # what scoring reads of a question, in the order in which changes are told
    "text", "history", "form", "hard_class", "tags", "asker", "answerable", "expected",
    "supporting", "distractors", "forbidden", "grades", "group",
)  # fmt: skip
_UNORDERED = ("tags", "expected", "forbidden")


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A question whose scored fields changed."""

    id: str
    changes: tuple[str, ...]  # "field: before → after"


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two sets, in the order of the later one."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    relabelled: tuple[Relabelled, ...]

    def lines(self) -> Iterator[str]:
        """Yield a line for each question that changed, and one for each of its changes."""
        yield from (f"added      {name}" for name in self.added)
        yield from (f"removed    {name}" for name in self.removed)
        for question in self.relabelled:
            yield f"relabelled {question.id}"
            yield from (f"             {change}" for change in question.changes)


def changes(before: GoldenSet, after: GoldenSet) -> Changes:
    r"""Compare two states of a set by question id; what is never scored is no change.

    Examples
    --------
    >>> before = GoldenSet("s", (Question("a", "x", expected=("d",)), Question("b", "y")))
    >>> after = GoldenSet("s", (Question("a", "x", expected=("e",)), Question("c", "z")))
    >>> print(*changes(before, after).lines(), sep="\n")
    added      c
    removed    b
    relabelled a
                 expected: d → e
    """
    old = {question.id: question for question in before}
    new = {question.id: question for question in after}
    pairs = ((old[name], question) for name, question in new.items() if name in old)
    found = (Relabelled(a.id, tuple(_differences(a, b))) for a, b in pairs)
    return Changes(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        relabelled=tuple(question for question in found if question.changes),
    )


def _differences(before: Question, after: Question) -> Iterator[str]:
    for field in _READ:
        old, new = getattr(before, field), getattr(after, field)
        same = sorted(old) == sorted(new) if field in _UNORDERED else old == new
        if not same:
            yield f"{field}: {_shown(old)} → {_shown(new)}"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_item, value)) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key}={grade}" for key, grade in value.items()) or "nothing"
    return "nothing" if value is None else str(getattr(value, "value", value))


def _item(item: object) -> str:
    return " or ".join(map(str, item)) if isinstance(item, tuple) else str(item)
