"""References in a golden file: a document, or a heading, a quote or a span of it."""

from __future__ import annotations

from rageval.files.nodes import Node
from rageval.golden.mapping import Fields, Tell, read_integer
from rageval.golden.question import Reference, Requirement

_PLACES = ("heading", "quote", "span")  # at most one of these
_KEYS = ("document", *_PLACES)


def read_requirement(node: Node, tell: Tell) -> Requirement | None:
    """Return one item of `supporting`: a reference, or several under `any_of`."""
    if not _has_key(node, "any_of"):
        reference = read_reference(node, tell)
        return None if reference is None else (reference,)
    items = Fields(node, ("any_of",), tell).items("any_of")
    if not items:
        tell(node, "any_of names nothing")
    read = [read_reference(item, tell) for item in items]
    return tuple(reference for reference in read if reference is not None) or None


def read_reference(node: Node, tell: Tell) -> Reference | None:
    """Return one reference, or tell what is wrong with it."""
    fields = Fields(node, _KEYS, tell)
    if not isinstance(node.value, list):
        return None
    fields.required("document")
    document = fields.name("document")
    given = [key for key in _PLACES if fields.get(key) is not None]
    if len(given) > 1:
        tell(node, f"{' and '.join(given)} are given, at most one of them is allowed")
    for key in ("heading", "span"):
        value = fields.get(key)
        if value is not None and value.value == []:
            tell(node, f"{key} names nothing")
    if document is None:
        return None
    quote = fields.text("quote") or ""
    return Reference(document, fields.texts("heading"), quote, _span(fields, tell))


def _span(fields: Fields, tell: Tell) -> tuple[int, int] | None:
    items = fields.items("span")
    if not items:
        return None
    numbers = [read_integer(item, "an end of span", tell) for item in items]
    ends = [number for number in numbers if number is not None]
    if len(ends) < len(numbers):
        return None
    if len(ends) != 2 or not 0 <= ends[0] < ends[1]:
        tell(items[0], f"span is {ends}, two numbers with 0 ≤ start < end are needed")
        return None
    return ends[0], ends[1]


def _has_key(node: Node, key: str) -> bool:
    pairs = node.value if isinstance(node.value, list) else []
    return any(isinstance(pair, tuple) and pair[0].value == key for pair in pairs)
