"""Labels of one question that contradict each other, whatever format they came in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rageval.golden.question import Answerable, Question


def contradictions(question: Question) -> list[str]:
    """Return a sentence for each contradiction.

    Examples
    --------
    >>> contradictions(Question("q1", "Why?"))
    ['nothing is expected or supporting: name what is to be found, or say answerable: false']
    """
    return [*_targets(question), *_forbidden(question), *_repeated(question), *_both(question)]


def _targets(question: Question) -> Iterator[str]:
    answerable = question.answerable
    if answerable is Answerable.YES:
        if not question.targets:
            yield (
                "nothing is expected or supporting: "
                "name what is to be found, or say answerable: false"
            )
        return
    if question.targets:
        yield f"answerable is {answerable.value}, but {question.targets[0]!r} is to be found"
    elif any(grade > 0 for grade in question.grades.values()):
        yield f"answerable is {answerable.value}, but a document has a grade above 0"


def _forbidden(question: Question) -> Iterator[str]:
    denied = question.answerable is Answerable.DENIED
    if denied and not question.forbidden:
        yield "answerable is denied, but no document is forbidden: name those that would answer it"
    if question.forbidden and not denied:
        yield "documents are forbidden, which needs answerable: denied"


def _repeated(question: Question) -> Iterator[str]:
    wanted: list[tuple[str, Sequence[object]]] = [
        ("expected", question.expected),
        ("forbidden", question.forbidden),
        ("supporting", question.supporting),
        ("distractors", question.distractors),
        *(("any_of", requirement) for requirement in question.supporting),
    ]
    for label, items in wanted:
        if len(set(items)) < len(items):
            twice = next(item for item in items if items.count(item) > 1)
            yield f"{label} lists {_shown(twice)} twice"


def _both(question: Question) -> Iterator[str]:
    supporting = {reference for need in question.supporting for reference in need}
    for reference in question.distractors:
        whole = str(reference) == reference.document
        if reference in supporting:
            yield f"{reference} is both supporting and a distractor"
        elif whole and reference.document in question.targets:
            yield f"document {reference.document!r} is both to be found and a distractor"


def _shown(item: object) -> str:
    return " or ".join(map(str, item)) if isinstance(item, tuple) else str(item)
