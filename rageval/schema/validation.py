"""Pydantic's findings as sentences: where, what was got, what is allowed."""

from __future__ import annotations

import dataclasses
import difflib
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_PLAIN = (type(None), bool, int, float, str, list, tuple)  # values that are told as they are
_SHOWN = 60  # characters of a refused value


def sentences(fault: ValidationError, where: str, model: type) -> list[str]:
    r"""Return one sentence a fault; `where` is the path of what was checked, `model` its class.

    Examples
    --------
    >>> class Window(BaseModel, extra="forbid"):
    ...     k: int
    >>> try:
    ...     Window(k="six", size=3)
    ... except ValidationError as fault:
    ...     print(*sentences(fault, "window", Window), sep="\n")
    window.k: should be a valid integer, unable to parse string as an integer, got 'six'
    window.size: unknown key; known: k
    """
    return [_sentence(error, where, model) for error in fault.errors()]


def _sentence(error: ErrorDetails, where: str, model: type) -> str:
    place = ".".join(filter(None, [where, *map(str, _keys(error))]))
    if error["type"] in _UNKNOWN:
        known = _fields(model, error["loc"][:-1])
        near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}"
        return f"{place}: unknown key; {hint}"
    if error["type"] in {"missing", "missing_argument"}:
        return f"{place}: must be given"
    rule = error["msg"].removeprefix("Input ").removeprefix("Value error, ")
    if not isinstance(error["input"], _PLAIN) or "got " in rule:
        return f"{place}: {rule}" if place else rule
    return f"{place}: {rule}, got {_short(error['input'])}"


def _keys(error: ErrorDetails) -> list[str | int]:
    """Return the keys of a fault's place, without the names of a union's branches."""
    return [key for key in error["loc"] if not (isinstance(key, str) and "[" in key)]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _fields(model: type, path: tuple[int | str, ...]) -> list[str]:
    """Return the keys of the record at a path below a model."""
    for key in path:
        found = getattr(model, "model_fields", {}).get(key)
        if found is None:
            return []
        model = _record(found.annotation)
    if dataclasses.is_dataclass(model):
        return [field.name for field in dataclasses.fields(model)]
    return list(getattr(model, "model_fields", {}))


def _record(annotation: object) -> type:
    """Return the record of an annotation, or of an optional one."""
    options = (annotation, *get_args(annotation))
    records = [o for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
    return records[0] if records else object
