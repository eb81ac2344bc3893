"""JMESPath expressions, with functions of our own that reshape what a file holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jmespath
from jmespath import functions
from jmespath.exceptions import JMESPathError

from rageval.errors import InputError
from rageval.formats.mapped.shape import entries
from rageval.schema.fingerprint import digest

_DIGITS = 10  # hexadecimal, of a hash
_ANY: Any = {"types": []}  # jmespath checks nothing then


class _Functions(functions.Functions):
    """What a mapping can call beside JMESPath's own functions; null stays null."""

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_split(self, value: Any, separator: str) -> Any:  # noqa: ANN401  any JSON value
        """Split a text, or each text of a list, at a separator; blanks around items are dropped."""
        parts = [part.strip() for text in _texts(value) for part in text.split(separator)]
        return None if value is None else [part for part in parts if part]

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_split_at(self, value: Any, pattern: str) -> Any:  # noqa: ANN401  any JSON value
        """Split a text at every match of a regular expression."""
        parts = [part.strip() for text in _texts(value) for part in re.split(pattern, text)]
        return None if value is None else [part for part in parts if part]

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_find_all(self, value: Any, pattern: str) -> Any:  # noqa: ANN401  any JSON value
        """Return every match of a regular expression, or of its group."""
        found = [match for text in _texts(value) for match in re.findall(pattern, text)]
        return None if value is None else found

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_strip_suffix(self, value: Any, suffix: str) -> Any:  # noqa: ANN401  any JSON value
        """Take an ending away where it is there."""
        return _each(value, lambda text: text.removesuffix(suffix))

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_strip_prefix(self, value: Any, prefix: str) -> Any:  # noqa: ANN401  any JSON value
        """Take a beginning away where it is there."""
        return _each(value, lambda text: text.removeprefix(prefix))

    @functions.signature(_ANY, {"types": ["object"]})
    def _func_map_values(self, value: Any, names: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON value
        """Replace values that a mapping has by what it has for them."""
        if isinstance(value, list):
            return [names.get(str(item), item) for item in value]
        return value if value is None else names.get(str(value), value)

    @functions.signature(_ANY)
    def _func_short_hash(self, value: Any) -> Any:  # noqa: ANN401  any JSON value
        """Return what names a text in a few characters."""
        return None if value is None else digest(" ".join(str(value).split()))[:_DIGITS]

    @functions.signature(_ANY, _ANY)
    def _func_zip(self, one: Any, other: Any) -> Any:  # noqa: ANN401  any JSON values
        """Return the pairs of two lists."""
        if not isinstance(one, list) or not isinstance(other, list):
            return None
        return [list(pair) for pair in zip(one, other, strict=False)]

    @functions.signature({"types": ["object"]})
    def _func_entries(self, value: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON value
        """Return the values of a mapping as rows, with its keys as `id`."""
        return entries(value)

    @functions.signature({"types": ["object"]})
    def _func_by_id(self, value: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON value
        """Join several mappings of ids: `by_id({question: queries, expected: relevant_docs})`."""
        maps = {name: items for name, items in value.items() if isinstance(items, dict)}
        ids = dict.fromkeys(key for items in maps.values() for key in items)
        return [
            {"id": key, **{name: items.get(key) for name, items in maps.items()}} for key in ids
        ]

    @functions.signature(_ANY, {"types": ["string"]})
    def _func_unnest(self, value: Any, key: str) -> Any:  # noqa: ANN401  any JSON value
        """Return the rows in a list of each row, with the outer row as `parent`."""
        rows = value if isinstance(value, list) else [value]
        return [
            {**inner, "parent": {name: item for name, item in row.items() if name != key}}
            for row in rows
            if isinstance(row, dict)
            for inner in row.get(key) or ()
            if isinstance(inner, dict)
        ]


_OPTIONS = jmespath.Options(custom_functions=_Functions())


def search(expression: str, value: Any) -> Any:  # noqa: ANN401  any JSON value
    """Return what an expression finds; the name of a key as it is written means that key.

    Raises
    ------
    InputError
        If it is no JMESPath, or cannot be evaluated on this value.

    Examples
    --------
    >>> search("Relevant docs", {"Relevant docs": "a;b"}), search("split(x, ';')", {"x": "a;b"})
    ('a;b', ['a', 'b'])
    """
    if isinstance(value, dict) and expression in value:
        return value[expression]
    try:
        return jmespath.search(expression, value, _OPTIONS)
    except JMESPathError as error:
        told = str(error).splitlines()[0].partition(", for expression")[0]
        known = f"; keys are: {', '.join(map(str, value))}" if isinstance(value, dict) else ""
        raise InputError(
            f"{expression!r} is no key and no JMESPath that can be read here: {told}{known}"
        ) from error


def _texts(value: Any) -> list[str]:  # noqa: ANN401  any JSON value
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if item is not None]


def _each(value: Any, change: Any) -> Any:  # noqa: ANN401  any JSON value
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    return change(value) if isinstance(value, str) else value
