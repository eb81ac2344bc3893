"""Judged candidates: read with the checks of every golden set, and added to one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import yaml

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import Node, compose_yaml, line_of, list_node, mapping_node
from rageval.files.text import read_text
from rageval.formats.canonical.export import as_yaml
from rageval.formats.canonical.golden import read_golden
from rageval.golden.question import GoldenSet, Question, scored_fields
from rageval.mining.cases import UNJUDGED, Case, Cases, unjudged


@dataclass(frozen=True)
class Judged:
    """The cases of a file that somebody judged."""

    questions: tuple[Question, ...]
    cases: tuple[Case, ...]  # one a question, as they were written


def judged(cases: Cases) -> Judged:
    """Return the judged cases of a file.

    Raises
    ------
    InputError
        With every fault of them, by file and line.
    """
    if not cases.cases:
        return Judged((), ())
    faults = ErrorCollector()
    node = compose_yaml(read_text(cases.path), cases.path)
    rows = [row for row in _value(node, "questions").value if not _todo(row)]
    whole = mapping_node({"set": _value(node, "set"), "questions": list_node(rows, 1)}, 1)
    golden = read_golden(whole, cases.path, faults) if rows else GoldenSet(cases.name, ())
    faults.raise_if_any()
    kept = [case for case in cases.cases if not unjudged(case)]
    return Judged(golden.questions, tuple(kept))


def read_case(case: Case, path: Path) -> Question:
    """Return one case as the question that it says.

    Raises
    ------
    InputError
        With all that is wrong with it.
    """
    faults = ErrorCollector()
    text = as_yaml({"set": "one", "questions": [case]})
    golden = read_golden(compose_yaml(text, path) or list_node([], 1), path, faults)
    faults.raise_if_any()
    return golden.questions[0]


def _value(node: Node | None, key: str) -> Node:
    pairs: list[tuple[Node, Node]] = [] if node is None else node.value
    return next(value for name, value in pairs if name.value == key)


def _todo(row: Node) -> bool:
    return any(key.value == "answerable" and value.value == UNJUDGED for key, value in row.value)


def apart(found: Judged, golden: GoldenSet, path: Path) -> Judged:
    """Return those that the set does not have yet; what it has, letter for letter, is left out.

    Raises
    ------
    InputError
        If an id is taken by another question of the set.
    """
    known = {question.id: question for question in golden}
    taken = [
        f"{question.where}: question {question.id!r}: the id is taken by another question of {path}"
        for question in found.questions
        if question.id in known and scored_fields(known[question.id]) != scored_fields(question)
    ]
    if taken:
        raise InputError.of(taken)
    new = [
        pair for pair in zip(found.questions, found.cases, strict=True) if pair[0].id not in known
    ]
    return Judged(tuple(question for question, _ in new), tuple(case for _, case in new))


def extended(path: Path, cases: Sequence[Case]) -> str:
    """Return the text of a golden file with cases at its end; what is there stays as it is.

    Raises
    ------
    InputError
        If the file is of a form that nothing can be added to without changing the rest.
    """
    text = read_text(path)
    text = text if text.endswith("\n") else text + "\n"
    if path.suffix == ".jsonl":
        return text + "".join(json.dumps(_plain(c), ensure_ascii=False) + "\n" for c in cases)
    if path.suffix == ".json":
        content = json.loads(text)
        content["questions"] += [_plain(case) for case in cases]
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(
            f"{path}: cases are added to .yaml, .json and .jsonl; write it again in one of them: "
            "check export=canonical export.path=golden.yaml"
        )
    whole = text + _block(compose_yaml(text, path), path, cases)
    try:
        compose_yaml(whole, path)
    except InputError as fault:
        raise InputError(
            f"{path}: nothing can be added to its end; does it end with `...`? Take that out"
        ) from fault
    return whole


def _plain(case: Case) -> Case:
    """Return a case without the dates that YAML reads and JSON has none of."""
    return {key: str(value) if isinstance(value, date) else value for key, value in case.items()}


def _block(node: Node | None, path: Path, cases: Sequence[Case]) -> str:
    """Return cases as YAML that goes on with the list of questions, indented as that is."""
    pairs: list[tuple[Node, Node]] = node.value if isinstance(node, yaml.MappingNode) else []
    rows = pairs[-1][1] if pairs and pairs[-1][0].value == "questions" else None
    if not isinstance(rows, yaml.SequenceNode) or rows.flow_style:
        where = f"{path}:{line_of(node)}" if node is not None else f"{path}"
        raise InputError(
            f"{where}: cases are added below `questions:` if that is the last key and its list has "
            "a line for each `-`"
        )
    margin = " " * int(rows.start_mark.column)
    lines = as_yaml(list(cases)).splitlines()
    return "\n" + "".join(f"{margin}{line}\n" for line in lines)
