"""Which column means what, and the rows of a source read as questions."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.files.errors import ErrorCollector, listed
from rageval.mining.questionlog.asked import Asked, Log, Source
from rageval.schema.fields import Name, Record
from rageval.schema.names import shortened

_MILLISECONDS = 1e11  # as seconds this would be in the year 5138
_TOLD = 20  # faults of one column
_EPOCH = re.compile(r"\d{9,}(\.\d*)?")  # eight digits are a date: 20261130
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Columns(Record):
    """The log's own names for what is read of it; null = the log does not tell."""

    question: Name
    asked_at: Name | None  # a date and time; without a zone it is UTC; a number counts from 1970
    top_score: Name | None
    result_count: Name | None
    feedback: Name | None
    helpful: tuple[str, ...]  # values of the feedback that praise
    unhelpful: tuple[str, ...]  # and those that complain; any other says nothing
    answered: Name | None  # true or false
    asker: Name | None
    documents: Name | None  # ids: a list, JSON, or text with | between

    @property
    def named(self) -> dict[str, str]:
        """Return the columns that the log must have: what they mean → their names."""
        kept = self.model_dump(exclude={"helpful", "unhelpful"})
        return {key: name for key, name in kept.items() if name is not None}


def read_log(source: Source, columns: Columns) -> Log:
    """Read every row of a source; rows without a question are counted and left out.

    Raises
    ------
    InputError
        With the faults: a missing column, a value that is no number, date or truth; of one column
        the first twenty, since in a wrong one every row is at fault.
    UnreachableError
        If a database does not answer.
    """
    faults, place = ErrorCollector(), Path(source.place)
    found: list[Asked] = []
    seen: dict[str, None] = {}  # columns, in the order of their first row
    blank = 0
    unheard: dict[str, None] = {}
    wrong: Counter[str] = Counter()  # column → faults

    def tell(at: int, name: str, told: str) -> None:
        wrong[name] += 1
        if wrong[name] <= _TOLD:
            faults.add(place, at, f"{name} {told}")

    for row, values in source.rows(faults):
        seen |= dict.fromkeys(values)
        asked = _asked(row, values, columns, tell)
        found += [] if asked is None else [asked]
        blank += asked is None
        if asked is not None and asked.helpful is None and len(unheard) < _TOLD:
            unheard |= dict.fromkeys(_unheard(values, columns))
    for name, count in wrong.items():
        if count > _TOLD:
            faults.add(place, 0, f"{name} cannot be read in {count:,} rows; the first {_TOLD}:")
    if seen:
        _require(columns, seen, source.place)
    faults.raise_if_any()
    return Log(source.place, tuple(found), blank, tuple(unheard))


def _unheard(values: Mapping[str, Any], columns: Columns) -> list[str]:
    value = None if columns.feedback is None else values.get(columns.feedback)
    return [] if _absent(value) else [shortened(str(value).strip())]


def _require(columns: Columns, values: Collection[str], place: str) -> None:
    missing = [
        f"{place}: there is no column {name!r} (columns.{key}); there are: {listed(values)}"
        + ("" if key == "question" else f"; columns.{key}=null does without")
        for key, name in columns.named.items()
        if name not in values
    ]
    if missing:
        raise InputError.of(missing)


def _asked(
    row: int, values: Mapping[str, Any], columns: Columns, tell: Callable[[int, str, str], None]
) -> Asked | None:
    """Return a row as a question, None if it holds none; what cannot be read is reported."""

    def take(key: str, read: Callable[[Any], Any]) -> Any:  # noqa: ANN401  what `read` returns
        name = columns.named.get(key)
        value = None if name is None else values.get(name)
        if _absent(value):
            return None
        try:
            return read(value)
        except (ValueError, TypeError, OverflowError) as fault:
            tell(row, str(name), f"is {shortened(str(value))}: {fault}")
            return None

    text = take("question", _text)
    if text is None:
        return None
    return Asked(
        text=text,
        row=row,
        when=take("asked_at", _moment),
        top_score=take("top_score", _number),
        results=take("result_count", _count),
        helpful=take("feedback", lambda value: _opinion(value, columns)),
        answered=take("answered", _truth),
        asker=take("asker", _text),
        documents=take("documents", _names) or (),
    )


def _absent(value: object) -> bool:
    """Say whether a cell is empty: null, blank, or the NaN that tables of numbers have for it."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(value: object) -> str:
    if isinstance(value, bool | bytes | list | tuple | dict):
        raise ValueError("a text is needed")
    return str(value).strip()


def _moment(value: object) -> datetime:
    """Return a moment with its zone.

    Examples
    --------
    >>> _moment("2026-11-30T12:00:00+01:00").astimezone(UTC).hour, _moment(1e9).isoformat()
    (11, '2001-09-09T01:46:40+00:00')
    >>> _moment("1764500000").isoformat()  # a table has its numbers as text
    '2025-11-30T10:53:20+00:00'
    """
    if isinstance(value, bool):
        raise ValueError("a date and time is needed")
    if isinstance(value, str) and _EPOCH.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise ValueError("a date and time like 2026-11-30T12:00:00Z is needed") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        raise ValueError("a date and time is needed")
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _number(value: Any) -> float:  # noqa: ANN401  a cell; decimals of databases, too
    try:
        found = float(value)
    except (ValueError, TypeError):
        raise ValueError("a number is needed") from None
    if isinstance(value, bool) or not math.isfinite(found):
        raise ValueError("a finite number is needed")
    return found


def _count(value: Any) -> int:  # noqa: ANN401  a cell
    found = _number(value)
    if found < 0 or found != int(found):
        raise ValueError("a whole number from 0 is needed")
    return int(found)


def _truth(value: object) -> bool:
    found = _WORDS.get(str(value).strip().lower())
    if found is None:
        raise ValueError("true or false is needed")
    return found


def _opinion(value: object, columns: Columns) -> bool | None:
    """Return what a feedback says; words are compared as the log has them, truths in lower case."""
    word = str(value).lower() if isinstance(value, bool) else str(value).strip()
    if word in columns.unhelpful:
        return False
    return True if word in columns.helpful else None


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = json.loads(value) if value.lstrip().startswith("[") else value.split("|")
    if not isinstance(value, list | tuple):
        raise ValueError("a list of ids is needed")
    return tuple(str(name).strip() for name in value if str(name).strip())
