"""The file that keeps the side of every question, one line each, so that its diffs are small.

It belongs to one golden set, whose identity and file it names. A lock of version 0.1.0 holds the
sides alone; it is read as it is, and gets the rest when a new question is added to it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import Node, compose_json, kind_of, line_of
from rageval.files.text import read_text

LOCK = "split.lock"  # its name beside a golden set
SCHEMA = 2  # 1 was the sides alone
_SIDES = ("dev", "holdout")


@dataclass(frozen=True)
class Lock:
    """What a lock file holds."""

    sides: Mapping[str, str] = field(default_factory=dict)  # question id → dev | holdout
    identity: str = ""  # of the set; empty in a lock of version 0.1.0
    file: str = ""  # name of the golden file or folder that it belongs to; empty as above
    held_out: frozenset[str] = frozenset()  # digests of the texts of held-out questions

    def belongs_to(self, file: str, ids: Iterable[str], texts: Iterable[str]) -> bool:
        """Say whether it is the lock of a golden set, under whatever name.

        `ids` are those of the set's questions and `texts` the digests of their texts. A lock of
        another file is this set's as well if it holds out any of its questions: a copy is no other
        set. One of version 0.1.0, which names no file, is if it knows most of the set's ids.
        """
        if self.file:
            return self.file == file or not self.held_out.isdisjoint(texts)
        names = list(ids)
        return 2 * sum(name in self.sides for name in names) > len(names)


def read_lock(path: Path) -> Lock:
    """Return what a lock file holds; no file locks nothing.

    Raises
    ------
    InputError
        If the file is not a JSON object of question ids and sides, each once, or was written by a
        later version.
    """
    if not path.exists():
        return Lock()
    faults = ErrorCollector()
    whole = dict(_pairs(compose_json(read_text(path), path), path, faults))
    node = whole.get("questions")
    if not isinstance(node, yaml.MappingNode):
        sides = _sides(compose_json(read_text(path), path), path, faults)
        faults.raise_if_any()
        return Lock(sides)
    _require_known(whole, path)
    sides = _sides(node, path, faults)
    faults.raise_if_any()
    listed = whole.get("held_out")
    items = listed.value if isinstance(listed, yaml.SequenceNode) else []
    return Lock(
        sides, _text(whole, "set"), _text(whole, "file"), frozenset(str(i.value) for i in items)
    )


def write_lock(path: Path, lock: Lock) -> None:
    """Replace the file in one step, sorted by question id."""
    whole = {
        "schema": SCHEMA,
        "set": lock.identity,
        "file": lock.file,
        "questions": dict(sorted(lock.sides.items())),
        "held_out": sorted(lock.held_out),
    }
    text = json.dumps(whole, indent=0, ensure_ascii=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


def _require_known(whole: Mapping[str, Node], path: Path) -> None:
    number = _text(whole, "schema")
    if number != str(SCHEMA):
        raise InputError(
            f"{path}: its schema is {number or 'missing'}, this version of rageval reads {SCHEMA}: "
            "it was written by a later version"
        )


def _text(whole: Mapping[str, Node], key: str) -> str:
    node = whole.get(key)
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _sides(node: Node, path: Path, faults: ErrorCollector) -> dict[str, str]:
    sides: dict[str, str] = {}
    for key, value in _pairs(node, path, faults):
        if value.value not in _SIDES:
            faults.add(path, line_of(value), f"the side of {key!r} must be dev or holdout")
        if key in sides:
            faults.add(path, line_of(value), f"{key!r} occurs twice, keep one of the lines")
        sides[key] = str(value.value)
    return sides


def _pairs(node: Node, path: Path, faults: ErrorCollector) -> list[tuple[str, Node]]:
    if not isinstance(node, yaml.MappingNode):
        faults.add(path, line_of(node), f"{kind_of(node)} stands here, question ids are needed")
        return []
    return [(key.value, value) for key, value in node.value]
