"""YAML and JSON text as nodes that know their line; every value is still the text as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from rageval.errors import InputError
from rageval.files.limits import LimitError, limits

Node = yaml.Node  # `value` is text, a list of nodes, or a list of pairs of nodes

_LOADER: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # libyaml where PyYAML was built with it
_KINDS = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:null": "nothing (null)",
    "tag:yaml.org,2002:bool": "true or false",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:seq": "a list",
    "tag:yaml.org,2002:map": "a mapping",
}
_LONGEST_NUMBER = 4000  # digits; Python refuses to read 4,301
_NUMBER_ELSEWHERE = re.compile(r"[-+]?(\d[\d.]*[eE][-+]?\d+|0o[0-7]+)")  # a number to YAML 1.2
_JSON_TOKEN = re.compile(r'[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+')


def compose_yaml(text: str, path: Path, first_line: int = 1) -> Node | None:
    """Return the one document of a YAML text as a node, or None if it is empty.

    Raises
    ------
    InputError
        If it is not YAML; `first_line` is the line of the file on which the text begins.
    """
    refused = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if refused:
        line = first_line + text.count("\n", 0, refused.start())
        told = f"it holds the control character {refused.group()!r}"
        raise InputError(f"{path}:{line}: not YAML: {told}")
    try:
        node: Node | None = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = first_line + (mark.line if mark else 0)
        raise InputError(f"{path}:{line}: not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}:{first_line}: not YAML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path}:{first_line}: not read: it is nested too deeply") from error
    if node is not None:
        _require_limits(node, f"{path}:{first_line}")
    return node


def plain_yaml(text: str, path: Path) -> Any:  # noqa: ANN401  any YAML value of plain types
    """Return the value of a YAML text: texts, numbers, dates, lists and mappings with text keys.

    Raises
    ------
    InputError
        If it is not YAML, beyond the limits, or holds a value of another type.
    """
    node = compose_yaml(text, path)
    if node is None:
        return None
    for inner in _every(node):
        if inner.tag not in _KINDS:
            raise InputError(f"{path}:{line_of(inner)}: {kind_of(inner)} is not read")
        keys = (key for key, _ in inner.value) if isinstance(inner, yaml.MappingNode) else ()
        if any(not isinstance(key, yaml.ScalarNode) for key in keys):
            raise InputError(f"{path}:{line_of(inner)}: a key is no text")
    try:
        return yaml.SafeLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError) as error:  # an impossible date
        raise InputError(f"{path}: not read: {error}") from error


def _every(node: Node) -> Iterator[Node]:
    """Yield each node once, however many aliases it has."""
    seen, left = {id(node)}, [node]
    while left:
        found = left.pop()
        yield found
        for inner in _children(found):
            if id(inner) not in seen:
                seen.add(id(inner))
                left.append(inner)


def _children(node: Node) -> Iterable[Node]:
    if isinstance(node, yaml.MappingNode):
        return chain.from_iterable(node.value)
    return node.value if isinstance(node, yaml.SequenceNode) else ()


def _require_limits(root: Node, where: str) -> None:
    """Make sure that a document is neither too deep nor blown up by its aliases.

    A node that several aliases name is one object; how often each would be written without them
    is counted from the leaves up, so the work is that of the text as it is written.
    """
    allowed = limits()
    size: dict[int, tuple[int, int]] = {}  # id of a node → values and depth with everything in it
    open_nodes: set[int] = set()
    left = [(root, False)]
    while left:
        node, done = left.pop()
        key = id(node)
        if done:
            inner = [size[id(child)] for child in _children(node)]
            values, depths = 1 + sum(n for n, _ in inner), [d for _, d in inner]
            size[key] = (values, 1 + max(depths, default=0))
            open_nodes.discard(key)
        elif key in open_nodes:
            raise LimitError(f"{where}: not read: an alias is inside what it names")
        elif key not in size:
            open_nodes.add(key)
            left.append((node, True))
            left += [(child, False) for child in _children(node)]
    values, depth = size[id(root)]
    if depth - 1 > allowed.yaml_depth:
        raise LimitError(
            f"{where}: not read: {depth - 1} lists and mappings within each other, up to "
            f"{allowed.yaml_depth} are read (limits.yaml_depth)"
        )
    if values - len(size) > allowed.yaml_copies:
        raise LimitError(
            f"{where}: not read: its aliases add {values - len(size):,} values, up to "
            f"{allowed.yaml_copies:,} are read (limits.yaml_copies)"
        )


def load_json(text: str, path: Path, first_line: int = 1) -> Any:  # noqa: ANN401  any JSON value
    """Return the value of a JSON text; a number too long to be one is kept as its digits.

    Raises
    ------
    InputError
        If it is not JSON; `first_line` is the line of the file on which the text begins.
    """
    try:
        return json.loads(text, parse_int=whole_number)
    except json.JSONDecodeError as error:
        line = first_line - 1 + error.lineno
        raise InputError(f"{path}:{line}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InputError(f"{path}:{first_line}: not read: it is nested too deeply") from error


def whole_number(digits: str) -> int | str:
    """Return the number that digits say, or the digits where Python reads no number so long."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else digits


def compose_json(text: str, path: Path, first_line: int = 1) -> Node:
    """Return a JSON text as a node; the text begins on `first_line` of the file.

    Raises
    ------
    InputError
        If it is not JSON.
    """
    load_json(text, path, first_line)
    try:
        return _node(_tokens(text, first_line - 1))
    except RecursionError as error:
        raise InputError(f"{path}:{first_line}: not read: it is nested too deeply") from error


def line_of(node: Node) -> int:
    """Return the line on which a node begins: 1, 2, …."""
    return int(node.start_mark.line) + 1


def kind_of(node: Node) -> str:
    """Return what YAML reads a node as, in words.

    A plain `1e3` is text to PyYAML and a number to YAML 1.2, so it is called a number.

    Examples
    --------
    >>> [kind_of(compose_yaml(text, Path("x"))) for text in ("no", "'no'", "1e3", "2024-01-01")]
    ['true or false', 'text', 'a number', 'a date']
    """
    kind = _KINDS.get(node.tag, f"a value of the tag {node.tag}")
    if kind == "text" and _plain(node) and _NUMBER_ELSEWHERE.fullmatch(node.value):
        return "a number"
    return kind


def _plain(node: Node) -> bool:
    return getattr(node, "style", None) not in ("'", '"', "|", ">")


def text_node(text: str, line: int) -> Node:
    """Return text as a node of a line."""
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, _mark(line), style='"')


def word_node(word: str, line: int) -> Node:
    """Return what JSON would read an unquoted word as: a number, true, false, null; or text."""
    plain = word in ("true", "false", "null") or re.fullmatch(r"-?\d+(\.\d+)?", word)
    return _scalar(word, _mark(line)) if plain else text_node(word, line)


def list_node(items: Iterable[Node], line: int) -> Node:
    """Return a list as a node of a line."""
    return yaml.SequenceNode("tag:yaml.org,2002:seq", list(items), _mark(line))


def mapping_node(fields: Mapping[str, Node], line: int) -> Node:
    """Return keys with values as a node of a line."""
    pairs = [(text_node(key, line), value) for key, value in fields.items()]
    return yaml.MappingNode("tag:yaml.org,2002:map", pairs, _mark(line))


def _mark(line: int) -> yaml.Mark:
    return yaml.Mark("", 0, line - 1, 0, None, 0)


_Token = tuple[str, int]  # text, line counted from 0


def _tokens(text: str, line: int) -> Iterator[_Token]:
    seen = 0
    for match in _JSON_TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield match.group(), line


def _node(tokens: Iterator[_Token]) -> Node:
    """Build the next value of a text that is known to be JSON."""
    token, line = next(tokens)
    mark = yaml.Mark("", 0, line, 0, None, 0)
    if token == "[":
        return yaml.SequenceNode("tag:yaml.org,2002:seq", list(_items(tokens)), mark)
    if token == "{":
        pairs = list(_pairs(tokens))
        return yaml.MappingNode("tag:yaml.org,2002:map", pairs, mark)
    return _scalar(token, mark)


def _items(tokens: Iterator[_Token]) -> Iterator[Node]:
    for token in tokens:
        if token[0] == "]":
            return
        if token[0] != ",":
            yield _node(chain([token], tokens))


def _pairs(tokens: Iterator[_Token]) -> Iterator[tuple[Node, Node]]:
    for token in tokens:
        if token[0] == "}":
            return
        if token[0] != ",":
            key = _node(chain([token], tokens))
            next(tokens)  # the colon
            yield key, _node(tokens)


def _scalar(token: str, mark: yaml.Mark) -> yaml.ScalarNode:
    if token[0] == '"':
        return yaml.ScalarNode("tag:yaml.org,2002:str", json.loads(token), mark, style='"')
    words = {"true": "bool", "false": "bool", "null": "null"}
    number = "int" if re.fullmatch(r"-?\d+", token) else "float"
    return yaml.ScalarNode(f"tag:yaml.org,2002:{words.get(token, number)}", token, mark)
