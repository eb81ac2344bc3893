"""The space that a search looks through, as it is typed in Hydra's override grammar."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep

from rageval.errors import InputError
from rageval.sweep.size import require_few

Value = str | int | float
Drawn = Mapping[str, Value]  # key as typed, with its plus → value
_LOG = "log"


@dataclass(frozen=True)
class Choice:
    """One of several texts; numbers among them have no order."""

    of: tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """A number of a range, both ends included."""

    low: float
    high: float
    step: float | None  # None = any number between
    whole: bool  # only whole numbers
    log: bool  # drawn evenly by its order of magnitude


Dimension = Choice | Span


@dataclass(frozen=True)
class Space:
    """What is searched, and what every trial has."""

    dimensions: Mapping[str, Dimension]  # by key as typed
    typed: Mapping[str, str]  # the same as it was typed
    fixed: tuple[str, ...]  # words

    @classmethod
    def of(cls, overrides: Iterable[Override]) -> Space:
        """Sort what was typed; of a key that is given twice the last counts.

        Raises
        ------
        InputError
            If nothing is left to be searched, or a tag or an interval means nothing.
        """
        last = {override.get_key_element(): override for override in overrides}
        dimensions, fixed = {}, []
        for key, override in last.items():
            found = _dimension(key, override)
            if isinstance(found, str):
                fixed.append(f"{key}={found}")
            else:
                dimensions[key] = found
        if not dimensions:
            raise InputError(
                "nothing to search: give values with commas, range(1,9), interval(0,1), "
                "int(interval(1,9)) or tag(log, interval(0.01,1))"
            )
        typed = {key: str(last[key].input_line).partition("=")[2] for key in dimensions}
        return cls(dimensions, typed, tuple(fixed))

    def words(self, drawn: Drawn) -> tuple[str, ...]:
        """Return the words of a trial.

        Examples
        --------
        >>> Space({}, {}, ("retriever=bm25",)).words({"+window.k": 3, "window.min_score": 0.5})
        ('retriever=bm25', '+window.k=3', 'window.min_score=0.5')
        """
        return (*self.fixed, *(f"{key}={value}" for key, value in drawn.items()))

    def holds(self, drawn: Drawn) -> bool:
        """Say whether values are of this space, as those of an earlier search may not be."""
        return set(drawn) == set(self.dimensions)

    def corners(self, varied: Callable[[str], bool]) -> Iterator[Drawn]:
        """Yield trials with every combination of the keys to be varied, the others at their first.

        Examples
        --------
        >>> space = Space({"a": Choice(("x", "y")), "b": Span(1, 8, 1, True, False)}, {}, ())
        >>> list(space.corners(lambda key: key == "a"))
        [{'a': 'x', 'b': 1}, {'a': 'y', 'b': 1}]
        """
        values = [
            _values(dimension) if varied(key) else _values(dimension)[:1]
            for key, dimension in self.dimensions.items()
        ]
        for drawn in itertools.product(*values):
            yield dict(zip(self.dimensions, drawn, strict=True))

    @property
    def size(self) -> float:
        """Return how many different trials there are; infinite with an interval."""
        total = 1.0
        for dimension in self.dimensions.values():
            total *= _size(dimension)
        return total


def _values(dimension: Dimension) -> Sequence[Value]:
    """Return the values of a choice, the lowest of a span."""
    return dimension.of if isinstance(dimension, Choice) else (dimension.low,)


def _size(dimension: Dimension) -> float:
    """Return how many values there are.

    Examples
    --------
    >>> _size(Choice(("a", "b"))), _size(Span(1, 7, 2, True, False))
    (2, 4)
    """
    if isinstance(dimension, Choice):
        return len(dimension.of)
    if dimension.step is None:
        return float("inf")
    return round((dimension.high - dimension.low) / dimension.step) + 1


def _dimension(key: str, override: Override) -> Dimension | str:
    """Return what may be drawn for a key; where that is one value, the value as it is typed."""
    if not override.is_sweep_override():
        return str(override.get_value_element_as_str())
    value = override.value()
    if isinstance(value, IntervalSweep):
        return _interval(key, value)
    if isinstance(value, RangeSweep):
        _only_log(key, value.tags, set())
        require_few([override], None)
        values = list(value.range())
        whole = all(isinstance(number, int) for number in values)
        if len(values) > 1:
            low, high = min(values), max(values)
            return Span(low, high, (high - low) / (len(values) - 1), whole, log=False)
        return _one_or_more(key, [str(number) for number in values])
    return _one_or_more(key, [str(text) for text in override.sweep_string_iterator()])


def _one_or_more(key: str, texts: Sequence[str]) -> Choice | str:
    if not texts:
        raise InputError(f"{key}: there is no value in it")
    different = tuple(dict.fromkeys(texts))
    return Choice(different) if len(different) > 1 else different[0]


def _interval(key: str, value: IntervalSweep) -> Span:
    low, high, log = value.start, value.end, _LOG in value.tags
    _only_log(key, value.tags, {_LOG})
    if low is None or high is None or not low < high:
        raise InputError(f"{key}: interval({low},{high}) must go from a number to a larger one")
    if log and low <= 0:
        raise InputError(f"{key}: tag(log, …) is for numbers above 0, got interval({low},{high})")
    whole = isinstance(low, int) and isinstance(high, int)
    return Span(low, high, 1 if whole else None, whole, log)


def _only_log(key: str, tags: Iterable[str], known: set[str]) -> None:
    unknown = sorted(set(tags) - known)
    if unknown:
        raise InputError(f"{key}: tag {unknown[0]!r} means nothing here; an interval may have: log")
