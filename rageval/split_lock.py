"""The file that keeps the side of every question, one line each, so that its diffs are small."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import yaml

from rageval.faults import Faults
from rageval.nodes import Node, compose_json, kind_of, line_of
from rageval.source import read_text

LOCK = "split.lock"  # its name beside a golden set
_SIDES = ("dev", "holdout")


def read_lock(path: Path) -> dict[str, str]:
    """Return the side of every locked question; no file locks nothing.

    Raises
    ------
    InputError
        If the file is not a JSON object of question ids and sides, each once.
    """
    if not path.exists():
        return {}
    node = compose_json(read_text(path), path)
    faults = Faults()
    sides: dict[str, str] = {}
    for key, value in _pairs(node, path, faults):
        if value.value not in _SIDES:
            faults.add(path, line_of(value), f"the side of {key!r} must be dev or holdout")
        if key in sides:
            faults.add(path, line_of(value), f"{key!r} occurs twice, keep one of the lines")
        sides[key] = str(value.value)
    faults.settle()
    return sides


def write_lock(path: Path, sides: Mapping[str, str]) -> None:
    """Replace the file in one step, sorted by question id."""
    text = json.dumps(dict(sides), sort_keys=True, indent=0, ensure_ascii=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


def _pairs(node: Node, path: Path, faults: Faults) -> list[tuple[str, Node]]:
    if not isinstance(node, yaml.MappingNode):
        faults.add(path, line_of(node), f"{kind_of(node)} stands here, question ids are needed")
        return []
    return [(key.value, value) for key, value in node.value]
