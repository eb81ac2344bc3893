"""One question of a golden file."""

from __future__ import annotations

from rageval.files.nodes import Node, kind_of, line_of
from rageval.formats.canonical.form import FIELDS
from rageval.formats.canonical.references import read_reference, read_requirement
from rageval.golden.consistency import contradictions
from rageval.golden.mapping import Fields, Tell, shown
from rageval.golden.names import unfit_names
from rageval.golden.question import Answerable, Question, Reference, Requirement

KEYS = tuple(FIELDS)
_YES = frozenset({"true", "yes", "on"})

Fault = tuple[int, str]  # line, sentence


def read_question(node: Node, where: str) -> tuple[Question, list[Fault]]:
    """Return the question that a node describes, and all that is wrong with it.

    The question of a node at fault is not to be used, but its id names it in messages.
    """
    faults: list[Fault] = []

    def tell(place: Node, sentence: str) -> None:
        faults.append((line_of(place), sentence))

    question = _question(Fields(node, KEYS, tell), tell, where)
    if not faults:  # a field at fault reads as absent and would seem to contradict others
        faults = [(line_of(node), sentence) for sentence in contradictions(question)]
    faults += [(line_of(node), sentence) for sentence in unfit_names(question)]
    return question, faults


def _question(fields: Fields, tell: Tell, where: str) -> Question:
    fields.required("id")
    fields.required("question")
    return Question(
        id=fields.name("id") or "",
        text=fields.text("question") or "",
        form=fields.choice("form", ("MATCH", "GAP")),
        hard_class=fields.name("hard_class"),
        tags=fields.names("tags"),
        asker=fields.name("asker"),
        history=fields.texts("history"),
        expected=fields.names("expected"),
        supporting=_requirements(fields, tell),
        distractors=_distractors(fields, tell),
        answerable=_answerable(fields, tell),
        forbidden=fields.names("forbidden"),
        grades=fields.integers("grades"),
        group=fields.name("group"),
        split=fields.choice("split", ("dev", "holdout")),
        draft=_draft(fields, tell),
        source=fields.name("source"),
        added=fields.day("added"),
        gist=fields.text("gist"),
        notes=fields.text("notes"),
        where=where,
    )


def _requirements(fields: Fields, tell: Tell) -> tuple[Requirement, ...]:
    read = [read_requirement(item, tell) for item in fields.items("supporting")]
    return tuple(requirement for requirement in read if requirement is not None)


def _distractors(fields: Fields, tell: Tell) -> tuple[Reference, ...]:
    read = [read_reference(item, tell) for item in fields.items("distractors")]
    return tuple(reference for reference in read if reference is not None)


def _draft(fields: Fields, tell: Tell) -> bool:
    node = fields.get("draft")
    if node is None:
        return False
    if kind_of(node) != "true or false":
        tell(node, f"draft is {shown(node)}, true or false is needed")
        return False
    return str(node.value).lower() in _YES


def _answerable(fields: Fields, tell: Tell) -> Answerable:
    node = fields.get("answerable")
    if node is None:
        return Answerable.YES
    kind = kind_of(node)
    if kind == "true or false":
        return Answerable.YES if node.value.lower() in _YES else Answerable.NO
    if kind == "text" and node.value == Answerable.DENIED.value:
        return Answerable.DENIED
    tell(node, f"answerable is {shown(node)}, allowed are true, false and denied")
    return Answerable.YES
