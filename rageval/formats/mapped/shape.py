"""What a file looks like: its rows, and the places in a row with the values they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_LOOKED_AT = 200  # rows: enough to see what a column holds
_DEPTH = 4  # keys inside keys
_MAPS = ({"queries", "questions"}, {"relevant_docs", "qrels", "relevant"})  # joined by ids

Row = Mapping[str, Any]


def entries(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the values of a mapping as rows, with its keys as `id`."""
    return [
        {"id": key, **item} if isinstance(item, dict) else {"id": key, "value": item}
        for key, item in value.items()
    ]


@dataclass(frozen=True)
class Place:
    """One place of a row: a path as JMESPath, and what the rows hold there."""

    path: str  # `a`, `a.b`, `a[].b`
    values: tuple[Any, ...]  # texts, numbers, true, false; those of lists one by one
    rows: int  # rows that hold something there

    @property
    def name(self) -> str:
        """Return the words of the path in lower case, for its last part means most."""
        return self.path.replace("[]", "").replace('"', "").lower()

    @property
    def texts(self) -> list[str]:
        """Return the texts of the values."""
        return [value.strip() for value in self.values if isinstance(value, str) and value.strip()]


@dataclass(frozen=True)
class Shape:
    """Where the rows are, some of them, and their places."""

    rows: str | None  # JMESPath; None = the file is a list
    sample: tuple[Row, ...]
    count: int

    def places(self) -> list[Place]:
        """Return every place of the rows that holds a text, a number, true or false."""
        found: dict[str, list[Any]] = {}
        rows: dict[str, int] = {}
        for row in self.sample:
            here: dict[str, list[Any]] = {}
            for path, value in _leaves(row, ""):
                here.setdefault(path, []).append(value)
            for path, values in here.items():
                held = [value for value in values if value is not None and value != ""]
                found.setdefault(path, []).extend(held)
                rows[path] = rows.get(path, 0) + bool(held)
        return [Place(path, tuple(values), rows[path]) for path, values in found.items()]

    def maps(self) -> list[str]:
        """Return the places that hold mappings of names to numbers, such as grades."""
        return [
            _step("", key)
            for key in dict.fromkeys(key for row in self.sample for key in row)
            if any(_is_graded(row.get(key)) for row in self.sample)
        ]


def shape_of(value: Any) -> Shape | None:  # noqa: ANN401  any JSON value
    """Return where a file has its rows, or None if no list of mappings is there."""
    if isinstance(value, list):
        return _shape(None, value)
    if not isinstance(value, dict):
        return None
    if maps := _joined_maps(value):
        return maps
    several = [item for item in value.values() if _holds_rows(item)]
    if len(several) > 1 and len(several) == len(value):
        return _shape("values(@)[]", [row for item in several for row in item])
    options = [found for path, items in _lists(value, "") if (found := _shape(path, items))]
    if options:
        return max(options, key=lambda shape: shape.count)
    return _shape("entries(@)", entries(value)) if _is_alike(value) else None


def _holds_rows(value: Any) -> bool:  # noqa: ANN401  any JSON value
    return isinstance(value, list) and any(isinstance(row, dict) for row in value)


def _is_alike(value: Mapping[str, Any]) -> bool:
    """Say whether the values of a mapping are all of one kind, as those of rows by id are."""
    kinds = {type(item) for item in value.values()}
    return len(value) > 1 and (kinds == {dict} or kinds <= {list, str})


def _shape(path: str | None, rows: list[Any]) -> Shape | None:
    sample = tuple(row for row in rows[:_LOOKED_AT] if isinstance(row, dict))
    return Shape(path, sample, len(rows)) if sample else None


def _joined_maps(value: Mapping[str, Any]) -> Shape | None:
    asked = next((key for key in value if key.lower() in _MAPS[0]), None)
    right = next((key for key in value if key.lower() in _MAPS[1]), None)
    if asked is None or right is None:
        return None
    questions, documents = value[asked], value[right]
    if not isinstance(questions, dict) or not isinstance(documents, dict):
        return None
    rows = [
        {"id": key, "question": text, "expected": documents.get(key)}
        for key, text in questions.items()
    ]
    path = f"by_id({{question: {_step('', asked)}, expected: {_step('', right)}}})"
    return _shape(path, rows)


def _lists(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of mappings in a mapping, and in those inside it."""
    for key, item in value.items():
        here = _step(path, key)
        if _holds_rows(item):
            yield here, item
        elif isinstance(item, dict) and path.count(".") < 1:
            yield from _lists(item, here)


def _leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON value
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        if _is_graded(value) and path:
            return
        for key, item in value.items():
            yield from _leaves(item, _step(path, str(key)), depth + 1)
    elif isinstance(value, list):
        for item in value:
            inner = path if not isinstance(item, dict) else f"{path}[]"
            yield from _leaves(item, inner, depth + 1)
    elif path:
        yield path, value


def _is_graded(value: Any) -> bool:  # noqa: ANN401  any JSON value
    """Say whether a value is a mapping of names to numbers."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value.values())
    )


def _step(path: str, key: str) -> str:
    plain = key.replace("_", "a").isalnum() and key.isascii() and not key[0].isdigit()
    name = key if plain else '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{path}.{name}" if path else name
