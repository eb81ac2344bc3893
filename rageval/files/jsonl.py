"""JSON Lines files as rows that know their line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rageval.files.errors import ErrorCollector
from rageval.files.nodes import whole_number
from rageval.files.text import read_bytes


class Row(NamedTuple):
    """One JSON object of the file."""

    line: int  # 1, 2, …
    fields: dict[str, Any]


def read_rows(path: Path, faults: ErrorCollector) -> Iterator[Row]:
    """Yield the rows of a .jsonl file, or of its .gz sibling; a row at fault is noted instead.

    A byte order mark, CRLF line ends and blank lines are accepted.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    packed = path.with_name(path.name + ".gz")
    content = read_bytes(packed if packed.is_file() and not path.exists() else path)
    for line, raw in enumerate(content.split(b"\n"), start=1):
        if not raw or raw.isspace():
            continue
        try:
            fields = _object(raw)
        except (ValueError, RecursionError) as error:
            faults.add(path, line, f"not a JSON object: {_reason(error)}")
        else:
            yield Row(line, fields)


def _object(raw: bytes) -> dict[str, Any]:
    text = raw.decode("utf-8")
    value = _plain(text)
    if value is None:
        value = _STRICT.decode(text)
    if not isinstance(value, dict):
        raise ValueError(f"it holds {type(value).__name__}, not an object")
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode(
            "utf-8"
        )  # half a surrogate pair cannot be kept
    return value


def _plain(text: str) -> dict[str, Any] | None:
    """Return an object that the fast scanner can be trusted with, None for the strict one.

    It keeps the last of equal keys and takes NaN, so the keys that a text can hold at most are
    counted against those that were read, and what may be a constant is left to the strict one.
    """
    if "NaN" in text or "Infinity" in text:
        return None
    try:
        value, end = _scan(text, 0)
    except (StopIteration, ValueError):
        return None
    if end < len(text.rstrip()) or type(value) is not dict:
        return None
    keys = len(value)
    for item in value.values():
        if type(item) is dict:
            keys += len(item)
    return value if len(_KEY.findall(text)) == keys else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON value")


_KEY = re.compile(r'"\s*:')  # the end of every key, and of nothing else but in strings
_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=whole_number
)
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # documented nowhere, there since 2.6


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return "it holds half of a surrogate pair"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error)
