"""The YAML block at the head of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from rageval.corpus.groups import group_fault
from rageval.errors import InputError
from rageval.nodes import Node, compose_yaml, kind_of, line_of

_OPEN = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"(?:^|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file without its front matter."""

    text: str  # exactly as written
    groups: frozenset[str]  # who may see it; empty = everybody


def read_page(text: str, path: Path) -> Page:
    r"""Split off the front matter, which begins on the first line and of which `groups` is read.

    Raises
    ------
    InputError
        If the block is never closed, is no YAML mapping, or its groups are no list of names.

    Examples
    --------
    >>> read_page("---\ngroups: [hr]\n---\n# Pay\n", Path("pay.md"))
    Page(text='# Pay\n', groups=frozenset({'hr'}))
    """
    opening = _OPEN.match(text)
    if opening is None:
        return Page(text, frozenset())
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise InputError(f"{path}:1: the front matter opened by '---' is never closed by '---'")
    block = text[opening.end() : closing.start()]
    return Page(text[closing.end() :], _groups(compose_yaml(block, path, 2), path))


def _groups(node: Node | None, path: Path) -> frozenset[str]:
    if node is None:
        return frozenset()
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{path}:2: the front matter is {kind_of(node)}, not keys with values")
    found = [(key, value) for key, value in node.value if key.value == "groups"]
    if len(found) > 1:
        raise InputError(f"{path}:{line_of(found[1][0]) + 1}: the key 'groups' occurs twice")
    return _names(found[0][1], path) if found else frozenset()


def _names(node: Node, path: Path) -> frozenset[str]:
    line = line_of(node) + 1
    if not isinstance(node, yaml.SequenceNode):
        raise InputError(f"{path}:{line}: groups is {kind_of(node)}, a list of names is needed")
    for item in node.value:
        if kind_of(item) != "text":
            raise InputError(
                f"{path}:{line_of(item) + 1}: groups holds {kind_of(item)}, "
                f"write the name in quotes if it is one"
            )
    names = [item.value for item in node.value]
    fault = group_fault(names)
    if fault:
        raise InputError(f"{path}:{line}: groups: {fault}")
    return frozenset(names)
