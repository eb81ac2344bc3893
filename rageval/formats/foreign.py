"""Files of other tools: their rows checked, and turned into questions of the one format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import (
    Node,
    compose_json,
    kind_of,
    line_of,
    list_node,
    mapping_node,
    text_node,
    whole_number,
    word_node,
)
from rageval.files.text import read_text
from rageval.formats.canonical.golden import read_golden
from rageval.formats.cells import structured
from rageval.formats.table.rows import json_rows, read_table
from rageval.golden.question import GoldenSet
from rageval.golden.source import name_from
from rageval.schema.names import set_fault
from rageval.schema.validation import sentences


class ForeignRecord(BaseModel):
    """A record of another tool's file: types as they are, keys that we do not read are passed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


M = TypeVar("M", bound=ForeignRecord)
Draft = Mapping[str, Any]  # the fields of a question as plain values; None and [] are no field


def read_records(path: Path, model: type[M], faults: ErrorCollector) -> list[tuple[int, M]]:
    """Return the records of a JSON list, of JSON Lines or of a CSV table, with their lines.

    A cell of a field that holds a list may be that list as JSON or as Python writes it.
    """
    if is_table(path):
        return _validated(path, _table_rows(path, model, faults), model, faults)
    return checked(path, _rows(path, faults), model, faults)


def is_table(path: Path) -> bool:
    """Say whether a file is a CSV table, by its name."""
    return path.name.removesuffix(".gz").lower().endswith(".csv")


def _table_rows(path: Path, model: type[M], faults: ErrorCollector) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a table as plain values; an empty cell is no field."""
    lists = set(_list_fields(model))
    head: list[str] = []
    for line, cells in read_table(read_text(path), path, faults):
        if not head:
            head = cells
        elif len(cells) != len(head):
            faults.add(path, line, f"{len(cells)} cells, the head of the table has {len(head)}")
        else:
            pairs = ((name, cell) for name, cell in zip(head, cells, strict=True) if cell.strip())
            yield line, {n: structured(cell) if n in lists else cell for n, cell in pairs if n}


def _list_fields(model: type[M]) -> Iterator[str]:
    """Yield the names under which a record's lists may stand in a file."""
    for name, field in model.model_fields.items():
        if "list" in str(field.annotation):
            alias = field.validation_alias
            yield from map(str, alias.choices) if isinstance(alias, AliasChoices) else (name,)


def read_record(path: Path, model: type[M]) -> M:
    """Return the one record that a JSON file is.

    Raises
    ------
    InputError
        If it is not JSON or not such a record; the message has a line for each fault.
    """
    faults = ErrorCollector()
    found = checked(path, [compose_json(read_text(path), path)], model, faults)
    faults.raise_if_any()
    return found[0][1]


def checked(
    path: Path, nodes: Iterable[Node], model: type[M], faults: ErrorCollector
) -> list[tuple[int, M]]:
    """Return the nodes as records with their lines; one at fault is noted instead."""
    return _validated(path, ((line_of(node), plain(node)) for node in nodes), model, faults)


def _validated(
    path: Path, rows: Iterable[tuple[int, Any]], model: type[M], faults: ErrorCollector
) -> list[tuple[int, M]]:
    found: list[tuple[int, M]] = []
    for line, row in rows:
        try:
            found.append((line, model.model_validate(row)))
        except ValidationError as fault:
            for sentence in sentences(fault, "", model):
                faults.add(path, line, sentence)
    return found


def golden_of(
    name: str | None, path: Path, drafts: Iterable[tuple[int, Draft]], faults: ErrorCollector
) -> GoldenSet:
    """Return drafts as a golden set under all the rules of the one format.

    Without a name the set is called after its file.

    Raises
    ------
    InputError
        With every fault noted so far and those of the drafts.
    """
    if name is not None and set_fault(name):
        raise InputError(str(set_fault(name)))
    questions = list_node((_node(draft, line) for line, draft in drafts), 1)
    whole = mapping_node({"set": text_node(name or name_from(path), 1), "questions": questions}, 1)
    golden = read_golden(whole, path, faults)
    faults.raise_if_any()
    return golden


def plain(node: Node) -> Any:  # noqa: ANN401  any JSON value
    """Return a JSON node as a plain value."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    kind = kind_of(node)
    if kind == "a number":
        return float(node.value) if node.tag.endswith("float") else whole_number(node.value)
    return (
        {"true": True, "false": False, "null": None}[node.value] if kind != "text" else node.value
    )


def _rows(path: Path, faults: ErrorCollector) -> Iterator[Node]:
    text = read_text(path)
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        yield from json_rows(text, path, faults)
        return
    node = compose_json(text, path)
    if isinstance(node, yaml.SequenceNode):
        yield from node.value
    else:
        faults.add(path, line_of(node), f"{kind_of(node)} stands here, a list is needed")


def _node(value: object, line: int) -> Node:
    if isinstance(value, str):
        return text_node(value, line)
    if isinstance(value, Mapping):
        fields = {k: _node(v, line) for k, v in value.items() if v is not None and v != []}
        return mapping_node(fields, line)
    if isinstance(value, list | tuple):
        return list_node((_node(item, line) for item in value), line)
    return word_node(str(value).lower(), line)
