"""The fields of one mapping in a golden file, each checked as it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date

import yaml

from rageval.files.errors import listed, near_names
from rageval.files.nodes import Node, kind_of
from rageval.schema.names import shortened

Tell = Callable[[Node, str], None]  # notes a fault at a node

_INTEGER = re.compile(r"[-+]?(0|[1-9]\d{0,8})")  # below a milliard: it fits 32 bits
_SHOWN = 60  # characters of a refused value
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Fields:
    """One mapping, read field by field; a fault is reported, and the field is read as absent."""

    def __init__(self, node: Node, known: Collection[str], tell: Tell) -> None:
        self.node = node
        self._tell = tell
        self._values: dict[str, Node] = {}
        for key, value in _pairs(node, tell):
            if key.value in self._values:
                tell(key, f"the key {key.value!r} occurs twice")
            elif key.value in known:
                self._values[key.value] = value
            else:
                near = near_names([key.value], known)[key.value]
                tell(key, f"unknown key {key.value!r}{near}; known are {listed(known)}")

    def get(self, key: str) -> Node | None:
        """Return the node of a field, or None if it is not given."""
        return self._values.get(key)

    def required(self, key: str) -> Node | None:
        """Return the node of a field that must be given."""
        if key not in self._values:
            self._tell(self.node, f"the key {key!r} is missing")
        return self._values.get(key)

    def name(self, key: str) -> str | None:
        """Return an id or a label: text without blanks around it."""
        node = self.get(key)
        return None if node is None else read_name(node, key, self._tell)

    def text(self, key: str) -> str | None:
        """Return text that is not blank."""
        node = self.get(key)
        return None if node is None else read_text(node, key, self._tell)

    def names(self, key: str) -> tuple[str, ...]:
        """Return a list of ids or labels of which none occurs twice."""
        found: dict[str, None] = {}
        for node in self.items(key):
            name = read_name(node, f"an item of {key}", self._tell)
            if name in found:
                self._tell(node, f"{key} names {name!r} twice")
            elif name is not None:
                found[name] = None
        return tuple(found)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts that are not blank."""
        read = [read_text(node, f"an item of {key}", self._tell) for node in self.items(key)]
        return tuple(text for text in read if text is not None)

    def items(self, key: str) -> list[Node]:
        """Return the nodes of a list."""
        node = self.get(key)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self._tell(node, f"{key} is {kind_of(node)}, a list is needed")
            del self._values[key]  # told once, however often it is asked for
            return []
        return list(node.value)

    def choice(self, key: str, allowed: Collection[str]) -> str | None:
        """Return one of a few words."""
        name = self.name(key)
        if name is None or name in allowed:
            return name
        self._tell(self._values[key], f"{key} is {name!r}, allowed are {listed(allowed)}")
        return None

    def day(self, key: str) -> str | None:
        """Return an ISO date, in quotes or not."""
        node = self.get(key)
        if node is None:
            return None
        try:
            return date.fromisoformat(node.value).isoformat()
        except (ValueError, TypeError):
            self._tell(node, f"{key} is {shown(node)}, a date like 2024-05-31 is needed")
            return None

    def integers(self, key: str) -> dict[str, int]:
        """Return a mapping of ids to whole numbers."""
        node = self.get(key)
        found: dict[str, int] = {}
        for name_node, value in _pairs(node, self._tell) if node is not None else ():
            number = read_integer(value, f"{key} of {name_node.value!r}", self._tell)
            if name_node.value in found:
                self._tell(name_node, f"{key} names {name_node.value!r} twice")
            elif number is not None and read_name(name_node, f"a key of {key}", self._tell):
                found[name_node.value] = number
        return found


def read_text(node: Node, label: str, tell: Tell) -> str | None:
    """Return a node's text, or tell why it is none."""
    if kind_of(node) != "text":
        quote = ": write it in quotes" if isinstance(node, yaml.ScalarNode) and node.value else ""
        tell(node, f"{label} is {shown(node)}, text is needed{quote}")
        return None
    text: str = node.value
    if not text.strip():
        tell(node, f"{label} is empty or blank")
        return None
    if _SURROGATE.search(text):
        tell(node, f"{label} holds half of a surrogate pair")
        return None
    return text


def read_name(node: Node, label: str, tell: Tell) -> str | None:
    """Return a node's text without blanks around it, or tell why it is none."""
    text = read_text(node, label, tell)
    if text is not None and text != text.strip():
        tell(node, f"{label} is {shortened(text)}, it must not begin or end with blanks")
        return None
    return text


def read_integer(node: Node, label: str, tell: Tell) -> int | None:
    """Return a node's whole number, or tell why it is none."""
    number = kind_of(node) == "a number" and isinstance(node.value, str)
    if number and _INTEGER.fullmatch(node.value):
        return int(node.value)
    tell(node, f"{label} is {shown(node)}, a whole number of at most 9 digits is needed")
    return None


def shown(node: Node) -> str:
    """Return what was written and what it is read as."""
    if not isinstance(node, yaml.ScalarNode):
        return kind_of(node)
    kind = kind_of(node)
    if kind == "text":
        return shortened(node.value)
    if not node.value:
        return "empty"
    cut = node.value if len(node.value) <= _SHOWN else f"{node.value[:_SHOWN]}…"
    return f"{cut}, read as {kind}"


def _pairs(node: Node, tell: Tell) -> Iterator[tuple[Node, Node]]:
    """Yield the pairs whose key is a scalar; a node that is no mapping has none."""
    if not isinstance(node, yaml.MappingNode):
        what = shown(node) if kind_of(node) == "text" else kind_of(node)
        tell(node, f"{what} stands here, keys with values are needed")
        return
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            yield key, value
        else:
            tell(key, f"a key is {kind_of(key)}, text is needed")
