"""rageval's own golden format, in YAML, JSON, JSON Lines or CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import Node, compose_json, compose_yaml, line_of
from rageval.files.text import read_text
from rageval.formats.canonical.entry import read_question
from rageval.formats.table.rows import rows_of_csv, rows_of_json
from rageval.golden.faulty import FaultyQuestionsError
from rageval.golden.mapping import Fields, Tell
from rageval.golden.question import GoldenSet, Question
from rageval.schema.fields import Name, component
from rageval.schema.names import set_fault, shortened

_ANOTHER_SHAPE = (
    "no row has an id and a question, so the file seems to have another shape: "
    "`check dataset=mapped` with the same path and questions proposes how to read it"
)


@component
class GoldenFile:
    """A golden set in a .yaml, .yml, .json, .jsonl or .csv file.

    YAML and JSON hold `set`, the identifier, and a list `questions`. A row of JSON Lines is a
    question, but for a first row with the key `set` alone; a row of CSV is a question, its columns
    are the fields. A set that is not named is named after its file. Nothing is skipped or repaired:
    every fault of the file is reported, with line and question.
    """

    path: Name

    def load(self, corpus: Corpus) -> GoldenSet:  # labels meet the corpus later, in one place
        """Read the file; its faults are raised together."""
        path = Path(self.path)
        faults = ErrorCollector()
        golden = read_golden(_compose(path, faults), path, faults)
        known = any(question.id and question.text for question in golden)
        if not known and faults.says("unknown key"):
            faults.add(path, 0, _ANOTHER_SHAPE)
        try:
            faults.raise_if_any()
        except InputError as fault:
            wrong = faults.about
            sound = tuple(q for q in golden if q.id and q.text and _about(q) not in wrong)
            raise FaultyQuestionsError(fault, replace(golden, questions=sound)) from fault
        return golden


def _about(question: Question) -> str:
    """Return what faults of a question are said to be about."""
    return f"question {shortened(question.id)}"


def read_golden(node: Node, path: Path, faults: ErrorCollector) -> GoldenSet:
    """Return the golden set that a node with `set` and `questions` describes; faults are noted."""

    def tell(place: Node, sentence: str) -> None:
        faults.add(path, line_of(place), sentence)

    fields = Fields(node, ("set", "questions"), tell)
    return GoldenSet(_set_name(fields, tell), _questions(fields, path, faults))


def _compose(path: Path, faults: ErrorCollector) -> Node:
    if path.suffix == ".json":
        return compose_json(read_text(path), path)
    if path.suffix == ".jsonl":
        return rows_of_json(read_text(path), path, faults)
    if path.suffix == ".csv":
        return rows_of_csv(read_text(path), path, faults)
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"{path}: a golden file is .yaml, .yml, .json, .jsonl or .csv")
    node = compose_yaml(read_text(path), path)
    if node is None:
        raise InputError(f"{path}: the file is empty, the keys set and questions are needed")
    return node


def _set_name(fields: Fields, tell: Tell) -> str:
    node = fields.required("set")
    name = fields.name("set") or ""
    fault = set_fault(name) if name else None
    if node is not None and fault:
        tell(node, fault)
    return name


def _questions(fields: Fields, path: Path, faults: ErrorCollector) -> tuple[Question, ...]:
    node = fields.required("questions")
    items = fields.items("questions")
    if node is not None and node.value == [] and not faults:
        faults.add(path, line_of(node), "the set holds no question")
    found: list[Question] = []
    first: dict[str, int] = {}
    for number, item in enumerate(items, start=1):
        line = line_of(item)
        question, wrong = read_question(item, f"{path}:{line}")
        if question.id in first:
            wrong.append((line, f"the id is taken by the question on line {first[question.id]}"))
        elif question.id:
            first[question.id] = line
        about = _about(question) if question.id else f"question number {number}"
        for place, sentence in wrong:
            faults.add(path, place, sentence, about)
        found.append(question)
    return tuple(found)
