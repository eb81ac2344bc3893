"""The YAML block at the head of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from rageval.corpus.groups import group_fault, is_misspelt
from rageval.errors import InputError
from rageval.files.limits import LimitError
from rageval.files.nodes import Node, compose_yaml, kind_of, line_of
from rageval.formats.markdown.misplaced import stray_groups

_OPEN = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"(?:^|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file without its front matter."""

    text: str  # exactly as written
    groups: frozenset[str]  # who may see it; empty = everybody
    title: str = ""  # that stands in the front matter


def read_page(text: str, path: Path) -> Page:
    r"""Split off the front matter, of which `groups` and `title` are read.

    Front matter is what lies between a first line `---` and the next `---`, if it is a YAML mapping
    or nothing. Anything else is text, so a page may begin with a rule. What seems to say who may
    see the page and is not read is refused: no page is public by a slip.

    Raises
    ------
    InputError
        If groups are misspelt, out of place or no list of names.

    Examples
    --------
    >>> read_page("---\ngroups: [hr]\ntitle: Bands\n---\n# Pay\n", Path("pay.md"))
    Page(text='# Pay\n', groups=frozenset({'hr'}), title='Bands')
    >>> read_page("---\nA rule, then text.\n", Path("pay.md"))
    Page(text='---\nA rule, then text.\n', groups=frozenset(), title='')
    """
    opening = _OPEN.match(text)
    closing = opening and _CLOSE.search(text, opening.end())
    if opening and closing:
        block = _mapping(text[opening.end() : closing.start()], path)
        if block is not None:
            return _page(text, closing.end(), block, path)
    stray = stray_groups(text)
    if stray:
        raise InputError(f"{path}:{stray[0]}: {stray[1]}")
    return Page(text, frozenset())


def _mapping(block: str, path: Path) -> yaml.MappingNode | None:
    """Return a block as front matter, or None if it is text."""
    try:
        node = compose_yaml(block, path, 2)
    except LimitError:
        raise  # it is YAML
    except InputError:
        return None
    if node is None:
        return yaml.MappingNode("tag:yaml.org,2002:map", [])
    return node if isinstance(node, yaml.MappingNode) else None


def _page(text: str, end: int, block: yaml.MappingNode, path: Path) -> Page:
    found = [(key, value) for key, value in block.value if key.value == "groups"]
    if len(found) > 1:
        raise InputError(f"{path}:{line_of(found[1][0]) + 1}: the key 'groups' occurs twice")
    _refuse_slips(block, bool(found), path)
    body = text[end:]
    if found:
        return Page(body, _names(found[0][1], path), _title(block))
    stray = stray_groups(body, head=False)
    if stray:
        line = len(_LINE_END.findall(text, 0, end)) + stray[0]
        raise InputError(f"{path}:{line}: {stray[1]}")
    return Page(body, frozenset(), _title(block))


def _title(block: yaml.MappingNode) -> str:
    titles = [value for key, value in block.value if key.value == "title"]
    if not titles or not isinstance(titles[0], yaml.ScalarNode):
        return ""
    return "" if kind_of(titles[0]) == "nothing (null)" else in_one_line(titles[0].value)


def in_one_line(title: object) -> str:
    """Return a title without line breaks and doubled blanks; nothing is empty."""
    return "" if title is None else " ".join(str(title).split())


def _refuse_slips(block: yaml.MappingNode, given: bool, path: Path) -> None:
    """Refuse keys that mean `groups`; where it is given only those that differ in case."""
    for key, inside in _keys(block):
        name, line = str(key.value), line_of(key) + 1
        other_case = name != "groups" and name.casefold() == "groups"
        if other_case or (not given and not inside and is_misspelt(name)):
            raise InputError(
                f"{path}:{line}: {name!r} says nothing about access, did you mean 'groups'? "
                f"if not, say groups: [] as well"
            )
        if inside and not given and name == "groups":
            raise InputError(
                f"{path}:{line}: groups stands below another key, it is read at the top alone; "
                f"write it there, or groups: [] if the page is public"
            )


def _keys(block: yaml.MappingNode) -> Iterator[tuple[Node, bool]]:
    """Yield all keys of a mapping and of what is in it, with whether they are deeper inside."""
    nodes: list[Node] = [block]
    seen: set[int] = set()  # an alias may lead back to what it stands in
    while nodes:
        node = nodes.pop()
        if id(node) in seen or not isinstance(node.value, list):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield from ((key, node is not block) for key, _ in node.value)
            nodes += [value for _, value in node.value]
        else:
            nodes += node.value


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
