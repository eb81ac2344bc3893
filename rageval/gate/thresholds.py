"""What a gate holds a candidate against; committed, and changed deliberately."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from rageval.gate.evidence import Evidence, Standard
from rageval.measures.catalogue import comparable_across_chunkings, is_measure, kind_and_cutoff
from rageval.schema.fields import Natural, Record, Share

# Up to one half: with a higher chance of a false alarm a coin would judge as well.
Level = Annotated[float, Field(strict=True, gt=0, le=0.5, allow_inf_nan=False)]


def flattened(limits: object) -> object:
    """Return subset → measure → limit, whether a subset is written with dots or as nested mappings.

    Where both are given the nested one counts, since that is how a limit is typed.

    Examples
    --------
    >>> flattened({"tag": {"negation": {"recall": 0.7}}, "tag.negation": {"recall": 0.6, "mrr": 0}})
    {'tag.negation': {'recall': 0.7, 'mrr': 0}}
    """
    if not isinstance(limits, Mapping):
        return limits
    found: dict[str, dict[str, object]] = {}
    for path, limit in sorted(_leaves(limits), key=lambda leaf: len(leaf[0])):
        found.setdefault(".".join(path[:-1]), {})[path[-1]] = limit
    if "" in found:
        raise ValueError(f"write SUBSET.MEASURE, e.g. all.recall; got {', '.join(found[''])}")
    return {subset: found[subset] for subset in dict.fromkeys(_subsets(limits))}


def _leaves(node: Mapping[Any, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, object]]:
    for key, value in node.items():
        here = (*path, str(key))
        if isinstance(value, Mapping):
            yield from _leaves(value, here)
        else:
            yield here, value


def _subsets(limits: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the subsets in the order in which they are written."""
    for path, _ in _leaves(limits):
        yield ".".join(path[:-1])


Limits = Annotated[
    Mapping[str, Mapping[str, Share]], BeforeValidator(flattened)
]  # subset → measure → limit


@dataclass(frozen=True, slots=True)
class Absent:
    """A limit that a set has no questions for."""

    path: str  # threshold.floors.tag.negation.recall
    subset: str
    measure: str  # empty: a limit of `no_tolerance`
    why: str  # what is not there, and what is nearest


def nearest(name: str, known: Collection[str]) -> str:
    """Return the question whether the nearest name is meant, or all names if none is near.

    Examples
    --------
    >>> nearest("tag.negatoin", ["all", "tag.negation"]), nearest("x", ["all"])
    ("did you mean 'tag.negation'?", 'there are: all')
    """
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"


def _not_taken(measure: str, measures: Collection[str]) -> str:
    cut = kind_and_cutoff(measure)
    if cut is None:
        return f"no such measure; {nearest(measure, measures)}"
    kind = cut[0]
    taken = [name for name in measures if (kind_and_cutoff(name) or ("",))[0] == kind]
    key = "measures.ndcg_at" if kind == "ndcg" else "measures.hit_at"
    return (
        f"this cutoff is not measured, only {', '.join(taken)}; change {key} or leave the limit out"
    )


class GateThresholds(Record):
    """The limits of one set. Errors and leaks are always held at zero."""

    floors: Limits = {}  # the least that a value may be; equal passes
    max_drop: Limits = {}  # the most that it may fall below the baseline; equal passes
    no_tolerance: tuple[str, ...] = ()  # subsets in which no question may be lost
    new_distractors: Natural | None = None  # questions that may newly have one above the answer
    evidence: Literal["counts", "significant", "non_inferior", "either"] = "counts"  # of a drop
    level: Level = 0.05  # the chance of a false alarm in the whole family of tests
    negligible: Share = 0.0  # with `either`: a drop up to this never fails, however significant

    @property
    def standard(self) -> Standard:
        """Return how much is asked of the evidence for a drop."""
        return Standard(Evidence(self.evidence), self.level, decimal(self.negligible))

    def require_known(self, measures: Collection[str]) -> None:
        """Make sure that every limit is of a measure; it may be one that is not taken.

        `measures` are those that are; the nearest of them is named.

        Raises
        ------
        ValueError
            If one is not; the nearest measure is named.
        """
        for path, (_, measure) in self.paths():
            if not is_measure(measure):
                raise ValueError(f"{path}: no such measure; {nearest(measure, measures)}")

    def not_in(self, subsets: Collection[str], measures: Collection[str]) -> list[Absent]:
        """Return the limits of subsets, measures and cutoffs that a set does not have."""
        found = []
        for path, (subset, measure) in self.paths():
            if subset not in subsets:
                why = f"the set has no subset {subset!r}; {nearest(subset, subsets)}"
                found.append(Absent(path, subset, measure, why))
            elif measure not in measures:
                found.append(Absent(path, subset, measure, _not_taken(measure, measures)))
        for subset in self.no_tolerance:
            if subset not in subsets:
                why = f"the set has no subset {subset!r}; {nearest(subset, subsets)}"
                found.append(Absent("threshold.no_tolerance", subset, "", why))
        return found

    def paths(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield each limit of a measure: its path, and its subset and measure."""
        for kind, limits in (("floors", self.floors), ("max_drop", self.max_drop)):
            for subset, names in limits.items():
                for measure in names:
                    yield f"threshold.{kind}.{subset}.{measure}", (subset, measure)

    @property
    def subsets(self) -> set[str]:
        """Return the subsets that a limit names."""
        return {*self.floors, *self.max_drop, *self.no_tolerance}

    def across_chunkings(self) -> GateThresholds:
        """Return the limits without the measures that depend on how documents are cut."""
        return self.model_copy(
            update={
                "floors": _comparable(self.floors),
                "max_drop": _comparable(self.max_drop),
                "new_distractors": None,
            }
        )

    @property
    def named(self) -> tuple[str, ...]:
        """Return every limit by its path, `no_tolerance` apart.

        Examples
        --------
        >>> GateThresholds(floors={"all": {"recall": 0.8}}, new_distractors=0).named
        ('floors.all.recall', 'new_distractors')
        """
        paths = [
            f"{kind}.{subset}.{measure}"
            for kind, limits in (("floors", self.floors), ("max_drop", self.max_drop))
            for subset, measures in limits.items()
            for measure in measures
        ]
        return (*paths, *(["new_distractors"] if self.new_distractors is not None else []))


def decimal(limit: float) -> Fraction:
    """Read a limit as the decimal that was written, not as the float nearest to it.

    Examples
    --------
    >>> decimal(0.3), Fraction(0.3) == Fraction(3, 10)
    (Fraction(3, 10), False)
    """
    return Fraction(str(limit))


def _comparable(limits: Limits) -> Limits:
    return {
        subset: {
            name: limit for name, limit in measures.items() if comparable_across_chunkings(name)
        }
        for subset, measures in limits.items()
    }
