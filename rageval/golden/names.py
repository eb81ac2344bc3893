"""What the names and texts of a question may hold, whatever format they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rageval.golden.question import Question
from rageval.schema.names import name_fault, shortened, subset_fault

_Rule = Callable[[str], str | None]  # what is wrong with a name


def unfit_names(question: Question) -> Iterator[str]:
    r"""Yield a sentence for each name that cannot be one, and for each text with a NUL in it.

    Tags and classes are parts of metric keys, so they are shorter than ids.

    Examples
    --------
    >>> list(unfit_names(Question("q", "Why?", tags=("a\nb",))))
    ["the tag 'a\\nb' holds the control character '\\n'"]
    """
    for label, name, rule in _names(question):
        fault = rule(name)
        if fault:
            yield f"{label} {shortened(name)} {fault}"
    for label, text in _texts(question):
        if "\0" in text:
            yield f"{label} holds the control character '\\x00'"


def _names(question: Question) -> Iterator[tuple[str, str, _Rule]]:
    """Yield each name with its label and the rule for it."""
    yield "the id", question.id, name_fault
    yield from (("the tag", tag, subset_fault) for tag in question.tags)
    yield "hard_class", question.hard_class or "", subset_fault
    yield "the asker", question.asker or "", name_fault
    yield "group", question.group or "", name_fault
    yield "source", question.source or "", name_fault
    yield from (("the document", name, name_fault) for name in _documents(question))


def _documents(question: Question) -> dict[str, None]:
    references = [*question.distractors, *(ref for need in question.supporting for ref in need)]
    named = (reference.document for reference in references)
    return dict.fromkeys([*question.expected, *question.forbidden, *question.grades, *named])


def _texts(question: Question) -> Iterator[tuple[str, str]]:
    yield "question", question.text
    yield from (("history", text) for text in question.history)
    yield "gist", question.gist or ""
    yield "notes", question.notes or ""
